/** What a desk asks for every day, in a complete n8n: a rate that crosses a line, everything cancelled, a name that differs. */
import { until } from '../../support/condition';
import { makeFill } from '../../support/fills';
import { ordersIn, resting } from '../../support/placing';
import type { Execution } from '../../support/n8n';
import { byHand, openBench, type Bench } from './bench';

const ACTION = 'n8n-nodes-partner-exchange.partnerExchange';
const ALERTS = 'n8n-nodes-partner-exchange.partnerExchangeAlertTrigger';
const pair_id = { __rl: true, mode: 'name', value: 'USD/NGN' };
/** Prices on either side of the line, each traded while n8n was killed. */
const PRICES = ['1651.00', '1649.00', '1660.00', '1640.00', '1655.00'];

jest.setTimeout(600_000);

describe('a desk, in a complete n8n', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 } });
	});
	afterAll(async () => await bench?.close());

	/** Runs one operation by hand. */
	async function act(parameters: Record<string, unknown>): Promise<Execution> {
		const id = await bench.save('Act', [byHand, { name: 'Act', type: ACTION, parameters }]);
		return await bench.n8n.runManually(id, byHand.name);
	}

	it('a rate that crosses a line starts the workflow once for each crossing, though n8n is killed at each', async () => {
		await makeFill(bench.sandbox(), '1600.00');
		const parameters = {
			...{ event: 'rate', pair_id, threshold: '1650.00', direction: 'both' },
			pollTimes: { item: [{ mode: 'everyMinute' }] },
		};
		const id = await bench.save('Rate', [{ name: 'Rate', type: ALERTS, parameters }]);
		await bench.n8n.publish(id);
		// The first look starts nothing; it shows as an execution without items.
		await bench.n8n.waitForExecutions(id, 1);
		const told = async (): Promise<Record<string, unknown>[]> =>
			(await bench.n8n.waitForExecutions(id, 0))
				.reverse()
				.flatMap((run) => run.itemsOf('Rate').map(({ json }) => json));
		for (const [at, price] of PRICES.entries()) {
			await bench.n8n.kill();
			await makeFill(bench.sandbox(), price);
			await bench.n8n.restart();
			await until(async () => (await told()).length > at, {
				...{ everyMs: 500, what: `${price} to be told` },
				seen: () => bench.n8n.log().slice(-1500),
			});
		}
		const crossings = await told();
		expect(new Set(crossings.map(({ value }) => value))).toEqual(new Set(PRICES));
		expect(crossings).toHaveLength(PRICES.length);
		expect(new Set(crossings.map(({ eventKey }) => eventKey)).size).toBe(PRICES.length);
		await bench.n8n.unpublish(id);
	});

	it('every open order is cancelled, and each is an item that says how it ended', async () => {
		for (const price of ['1000.00', '999.00'])
			await act({ resource: 'order', operation: 'create', ...resting, pair_id, price });
		const run = await act({ resource: 'order', operation: 'cancelAll' });
		expect(run.itemsOf('Act').map(({ json }) => json)).toMatchObject([
			{ outcome: 'cancelled', still_open: 0 },
			{ outcome: 'cancelled', still_open: 0 },
		]);
		const open = ordersIn(bench.sandbox()).filter(({ status }) => ['pending', 'accepted'].includes(status));
		expect(open).toEqual([]);
	});

	it('a holder who is not the expected one fails the run, in words', async () => {
		const account = { resource: 'wallet', operation: 'verifyAccount', bank_code: '058', account_number: '0123456789' };
		const known = await act(account);
		expect(known.data.resultData.error).toBeUndefined();
		const { error } = (await act({ ...account, options: { expected_name: 'Zephyrine Quux' } })).data.resultData;
		expect(`${error!.message} ${error!.description}`).toMatch(/The bank names the holder .+, not Zephyrine Quux/);
	});
});
