import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { until } from '../support/condition';
import { startTrigger, type RunningTrigger } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { answer, credentialFor } from './exchange';

const STATUS = { resource: 'stream', operation: 'status' };

describe('what a stream trigger tells beside events', () => {
	let sandbox: Sandbox;
	let trigger: RunningTrigger;
	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } });
	});
	afterEach(async () => {
		await trigger.close();
		await sandbox.close();
	});

	/** Without a key nothing can be backfilled, so events missed before a new connection are a gap. */
	async function gap(options = {}): Promise<void> {
		trigger = await startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox, { apiKey: '' }),
			parameters: { topics: ['trades'], pairs: ['USD/NGN'], filters: {}, options },
		});
		await makeFill(sandbox);
		await trigger.waitForItems(1);
		sandbox.faults.arm({ kind: 'drop-stream' });
		sandbox.faults.arm({ kind: 'new-epoch' });
		await until(() => trigger.notices().length > 0, { what: 'a notice' });
	}

	it.each([{}, { whenTriesFail: 'failedEvents' }])(
		'sends notices through an output of their own, where no node expects an event: options %j',
		async (options) => {
			await gap(options);
			expect(trigger.notices()).toEqual([
				expect.objectContaining({
					kind: 'gap',
					topic: 'trades.USD_NGN',
					data: {
						gap: { after_sequence: 1, before_sequence: null },
						...{ pair: 'USD_NGN', may_be_missing: 'Public Trades after 1', done: 'not_readable' },
					},
				}),
			]);
			expect(trigger.items()).toHaveLength(1);
			expect(trigger.emissions.flatMap(({ failedItems }) => failedItems)).toEqual([]);
		},
	);

	it('counts the stream in Stream Status in the same process, without a key or a trade', async () => {
		await gap();
		const status = await answer(sandbox, STATUS, { credential: { apiKey: '' } });
		expect(status).toMatchObject({
			running: true,
			totals: { gaps: 1, delivered: { live: 1 } },
			topics: [{ topic: 'trades.USD_NGN', gaps: 1 }],
		});
	});

	it('says in Stream Status that no stream runs, as in a worker', async () => {
		await gap();
		const status = await answer(sandbox, STATUS);
		expect(status).toMatchObject({
			running: false,
			text: expect.stringMatching(/runs no stream of this account.*never in a worker/) as string,
			topics: [],
		});
	});
});
