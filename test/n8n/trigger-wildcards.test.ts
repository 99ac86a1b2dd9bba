import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { loadOptions } from '../../nodes/shared/form/pickers';
import { startTrigger, type RunningTrigger } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { credentialFor } from './exchange';

describe('a stream trigger of all pairs (checklist 125)', () => {
	let sandbox: Sandbox;
	let trigger: RunningTrigger | undefined;
	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } });
	});
	afterEach(async () => {
		await trigger?.close();
		trigger = undefined;
		await sandbox.close();
	});
	const listen = (pairs: string[]) =>
		startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox),
			parameters: { topics: ['trades'], pairs, filters: {}, options: { notices: true } },
		});

	it('all pairs is the first choice of the pairs, and says that it is live only', async () => {
		const { credentials } = credentialFor(sandbox);
		const httpRequest = async ({ url, headers }: { url: string; headers: Record<string, string> }) => {
			const response = await fetch(url, { headers });
			return { statusCode: response.status, headers: {}, body: await response.text() };
		};
		const host = {
			getCredentials: () => Promise.resolve(credentials.partnerExchangeApi),
			getNode: () => ({ name: 'n' }),
			helpers: { httpRequest },
		};
		expect(await loadOptions.loadPairs.call(host as never)).toEqual([
			{ name: 'All Pairs', value: '*', description: expect.stringContaining('Live only') as string },
			expect.objectContaining({ value: 'USD/NGN' }),
		]);
	});

	it('all pairs starts the workflow with each trade under its exact topic, once where its pair is chosen too', async () => {
		trigger = await listen(['*', 'USD/NGN']);
		await makeFill(sandbox);
		await makeFill(sandbox);
		const items = await trigger.waitForItems(2);
		expect(items.map(({ topic }) => topic)).toEqual(['trades.USD_NGN', 'trades.USD_NGN']);
		expect(new Set(items.map(({ eventKey }) => eventKey)).size).toBe(2);
	});

	it('all pairs activates the trigger with an error in words where the service refuses the pattern', async () => {
		await expect(listen(['#'])).rejects.toThrow('The service refuses the wildcard topic trades.#');
	});
});
