import type { FlowNode } from '../support/node-red';
import { account, call, CONNECTED, node, openBench, tab, type Bench } from './flows';

const fills = { topics: ['user.fills'] };
const watching = { event: 'balance', currency: 'NGN', threshold: '1.00', seconds: '1' };

describe('a selection that cannot be meant', () => {
	let bench: Bench;
	const listener = (id: string, settings: Record<string, unknown>): FlowNode[] => node(id, 'events', settings, 1);
	const wallet = (id: string, settings: Record<string, unknown>): FlowNode[] =>
		node(id, 'wallet-events', { ...watching, ...settings }, 1);

	beforeAll(async () => {
		bench = await openBench({ marketMaker: true, settings: { orderDelayMs: 0 } });
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...listener('comma', { ...fills, minQuantity: '1,000' }),
			...listener('unset', { ...fills, minQuantity: '${MIN_QTY_OF_NOBODY}' }),
			...listener('mistyped', { ...fills, pair: 'USD/NGM' }),
			...listener('no-book', { topics: ['trades'], pairs: ['USDNGM'] }),
			...listener('sloppy', { ...fills, pair: 'usdngn', minQuantity: '5' }),
			...listener('rest', fills),
			...wallet('no-seconds', { seconds: '0' }),
			...wallet('words', { seconds: 'abc' }),
			...wallet('no-currency', { currency: 'NGM' }),
			...node('buyer', 'create-order', { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '2.00' }),
		]);
		for (const id of ['sloppy', 'rest']) await bench.nodeRed.waitForStatus(id, CONNECTED);
	});
	afterAll(async () => await bench.close());

	it.each([
		['comma', 'Minimum Quantity must be digits with at most one point, without separators'],
		['unset', 'Minimum Quantity is not a decimal number'],
		['mistyped', 'There is no pair USD/NGM. The service offers USD/NGN'],
		['no-book', 'There is no pair USDNGM'],
		['no-seconds', 'Every (seconds) must be a whole number from 1 to 86400'],
		['words', 'Every (seconds) must be a whole number from 1 to 86400'],
		['no-currency', 'The wallet has no balance in NGM. Choose one of NGN, USD'],
	])('a selection that cannot be served stops the node %s alone and says why', async (id, why) => {
		await bench.nodeRed.waitForStatus(id, /invalid input/);
		expect(bench.nodeRed.log()).toContain(why);
	});

	it('a selection that cannot be served harms no neighbour, whose status counts what filters drop', async () => {
		await call(bench.nodeRed, 'buyer');
		await bench.nodeRed.waitForStatus('rest', /connected · 1$/);
		await bench.nodeRed.waitForStatus('sloppy', /connected · 0 · 1 filtered/);
	});
});
