/** The alerts node on the rate of a pair, in a real Node-RED, against trades in the sandbox. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import { makeFill } from '../support/fills';
import { openCommonBench } from './common-bench';
import { account, node, tab } from './flows';
import { forAll } from '../support/opened';

const bench = forAll(() => openCommonBench({ marketMaker: false, settings: { orderDelayMs: 0 } }));
const payloads = (id: string) =>
	bench.nodeRed.messages
		.filter(({ from }) => from === id)
		.map(({ message }) => message as { topic: string; payload: Record<string, unknown>; event: { eventKey: string } });
const told = (id: string) => payloads(id).map(({ payload }) => payload.value);
const toldOf = async (id: string, count: number): Promise<unknown[]> =>
	await until(() => told(id).length >= count && told(id), { what: `${count} crossings`, seen: () => told(id) });
const rate = { event: 'rate', pair_id: 'USD/NGN', rate: '1650.00', direction: 'above', seconds: '1' };
const flows = (other: object = {}) => [
	tab,
	account(bench.sandbox),
	...node('high', 'alerts', { ...rate, ...other }, 1),
	...node('wide', 'alerts', { ...rate, rate_margin: '20.00' }, 1),
	...node('bids', 'alerts', { ...rate, direction: 'below', rate_field: 'best_bid', initial: true }, 1),
];
/** A value that a look of the node has seen and stored. */
const stored = async (value: string): Promise<boolean> =>
	await until(
		async () => {
			const file = join(bench.nodeRed.userDir, 'partner-exchange', 'high.json');
			return (await readFile(file, 'utf8').catch(() => '')).includes(value);
		},
		{ what: `${value} to be stored` },
	);

describe('the alerts node on the rate of a pair', () => {
	beforeAll(async () => {
		await makeFill(bench.sandbox, '1600.00');
		await bench.nodeRed.deploy(flows());
		for (const id of ['high', 'wide', 'bids']) await bench.nodeRed.waitForStatus(id, /watching/);
		await stored('1600.00');
	});

	it('a flow gets one message for each crossing of a rate, and none within the margin', async () => {
		await makeFill(bench.sandbox, '1651.00');
		await toldOf('high', 1);
		await toldOf('wide', 1);
		await makeFill(bench.sandbox, '1649.00');
		await stored('1649.00');
		await makeFill(bench.sandbox, '1652.00');
		expect(await toldOf('high', 2)).toEqual(['1651.00', '1652.00']);
		expect(told('wide')).toEqual(['1651.00']);
	});

	it('a flow gets the pair, the rate and the line in its message', () => {
		expect(payloads('high')[0]).toMatchObject({
			topic: 'market.rate',
			payload: {
				...{ pair_id: 'USD/NGN', crossing: 'above', value: '1651.00', previous_value: '1600.00' },
				...{ threshold: '1650.00', field: 'last_price', last_price: '1651.00' },
			},
			event: { eventKey: expect.stringMatching(/^rate:/) as string },
		});
	});

	it('a flow that watches what is bid gets no message while nobody bids', () => {
		expect(payloads('bids')).toEqual([]);
	});

	it('a flow gets the crossing that happened while Node-RED was killed, once', async () => {
		await makeFill(bench.sandbox, '1648.00');
		await stored('1648.00');
		const before = new Set(payloads('high').map(({ event }) => event.eventKey));
		bench.nodeRed.forget();
		const restarting = bench.nodeRed.restart('SIGKILL');
		await makeFill(bench.sandbox, '1660.00');
		await restarting;
		expect(await toldOf('high', 1)).toEqual(['1660.00']);
		expect(payloads('high').filter(({ event }) => before.has(event.eventKey))).toEqual([]);
		await stored('1660.00');
	});

	it('a flow gets no message of the past when the line is moved', async () => {
		bench.nodeRed.forget();
		await bench.nodeRed.deploy(flows({ rate: '1655.00' }));
		await makeFill(bench.sandbox, '1671.00');
		await stored('1671.00');
		expect(told('high')).toEqual([]);
	});
});
