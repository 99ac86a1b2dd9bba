import { join } from 'node:path';
import { createAccountLimits, createClient, type LimitSettings, type OrderPorts } from '@partner-exchange/core';
import { fileJournal, nodePorts, systemClock } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../../support/folder';
import { PLACED_AGE_MS_MAX } from '../../../packages/core/src/orders/limits/placed-count';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting, streamingClient } from '../../support/placing';
import { forEach } from '../../support/opened';

const LATEST_LAG_MS = 12_000;

describe('what an account placed, under its limits', () => {
	const sandbox = forEach(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	let [folder, now] = ['', 0];
	beforeEach(() => void ([folder, now] = [newFolder(), 0]));

	/** A process of its own, which knows nothing of the others. */
	const process = (settings: LimitSettings, host: OrderPorts = {}) =>
		quickClient(accountOf(sandbox), {
			limits: createAccountLimits({ elapsed: () => now }, settings),
			...host,
		});
	/** Somebody else offers, so that an order can be filled. */
	const offer = (price: string) =>
		quickClient(accountOf(sandbox, 'sandbox-key-second')).order.create(
			{ ...resting, side: 'sell', price },
			{ options: { wait: 'accepted' } },
		);
	const listReads = () => sandbox.requests.filter(({ method, path }) => method === 'GET' && path.includes('/orders'));
	const refused = async (placing: Promise<unknown>, rule: string) =>
		expect(await errorOf(placing)).toMatchObject({ details: { rule } });

	it('counts the orders of before a restart, so that a restarting loop passes no limit', async () => {
		for (let life = 0; life < 3; life += 1) await process({ ordersPerDay: 3 }).order.create(resting);
		for (let life = 0; life < 3; life += 1)
			await refused(process({ ordersPerDay: 3 }).order.create(resting), 'ordersPerDay');
		await refused(process({ ordersPerMinute: 3 }).order.create(resting), 'ordersPerMinute');
		await refused(process({ valuePerDay: '42000' }).order.create(resting), 'valuePerDay');
		await process({ valuePerDay: '56000' }).order.create(resting);
		expect(createsIn(sandbox)).toHaveLength(4);
	});

	it('counts a cancelled or rejected order, and no dry run', async () => {
		const { client, stream } = streamingClient(accountOf(sandbox));
		const { order_id } = await client.order.create(resting);
		await client.order.cancel({ pair_id: 'USD/NGN', order_id: String(order_id) });
		await stream.close();
		await offer('1400.00');
		const options = { wait: 'final', fail_when: 'never' } as const;
		await quickClient(accountOf(sandbox)).order.create({ ...resting, time_in_force: 'POST_ONLY' }, { options });
		expect(ordersIn(sandbox).map(({ status }) => status)).toEqual(['cancelled', 'rejected']);
		await process({ ordersPerDay: 3 }).order.create(resting, { options: { dry_run: true } });
		await process({ ordersPerDay: 3 }).order.create(resting);
		await refused(process({ ordersPerDay: 3 }).order.create(resting), 'ordersPerDay');
	});

	it('reads the count once for orders that begin together, and again after a minute', async () => {
		const client = process({ ordersPerDay: 10 });
		sandbox.requests.length = 0;
		await Promise.all(Array.from({ length: 5 }, () => client.order.create(resting)));
		const once = listReads().length;
		await client.order.create(resting);
		expect(listReads()).toHaveLength(once);
		now += PLACED_AGE_MS_MAX;
		await client.order.create(resting);
		expect(listReads().length).toBeGreaterThan(once);
		expect(ordersIn(sandbox)).toHaveLength(7);
	});

	it('passes a limit of several processes together by at most the orders of a minute', async () => {
		const workers = [process({ ordersPerDay: 4 }), process({ ordersPerDay: 4 })];
		for (const worker of workers) await worker.order.create(resting);
		for (const worker of workers) for (let more = 0; more < 2; more += 1) await worker.order.create(resting);
		now += PLACED_AGE_MS_MAX;
		for (const worker of workers) await refused(worker.order.create(resting), 'ordersPerDay');
	});

	it('refuses orders while they cannot be counted, and lets cancels and the stop switch work', async () => {
		const { client: placing, stream } = streamingClient(accountOf(sandbox));
		const { order_id } = await placing.order.create(resting);
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const limits = createAccountLimits({ elapsed: () => 0 }, { valuePerDay: '1000000' });
		const client = quickClient(accountOf(sandbox), { limits, commands: () => stream });
		const error = await errorOf(client.order.create(resting));
		expect(error).toMatchObject({ code: 'not_available', details: { rule: 'placed_orders' } });
		expect(error.message).toContain('cannot be counted, and it has limits: Get Many Orders');
		await client.order.cancel({ pair_id: 'USD/NGN', order_id: String(order_id) });
		limits.stop();
		await refused(client.order.create(resting), 'stop_switch');
		limits.resume();
		sandbox.faults.disarm();
		await client.order.create(resting);
		await stream.close();
		expect(createsIn(sandbox)).toHaveLength(2);
	});

	it('counts an order from the journal before the list shows it', async () => {
		sandbox.exchange.apply({ kind: 'settings', settings: { listLagMs: LATEST_LAG_MS } });
		const life = (settings: LimitSettings) => {
			const journal = fileJournal(join(folder, 'orders.journal'));
			return createClient(accountOf(sandbox), nodePorts(), {
				...{ journal, limits: createAccountLimits(systemClock, settings) },
			});
		};
		await life({ ordersPerDay: 2 }).order.create(resting, { intent: 'first' });
		await life({ ordersPerDay: 2 }).order.create(resting, { intent: 'second' });
		await refused(life({ ordersPerDay: 2 }).order.create(resting, { intent: 'third' }), 'ordersPerDay');
		await refused(life({ valuePerDay: '28000' }).order.create(resting, { intent: 'fourth' }), 'valuePerDay');
		await life({ ordersPerDay: 3 }).order.create(resting, { intent: 'fifth' });
	});

	it('counts one order once, whether this process sent it, the list shows it or its reply was lost', async () => {
		const client = process({ ordersPerDay: 3 });
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		await client.order.create(resting);
		await client.order.create(resting);
		now += PLACED_AGE_MS_MAX;
		await client.order.create(resting);
		await refused(client.order.create(resting), 'ordersPerDay');
		expect(ordersIn(sandbox)).toHaveLength(3);
	});

	it('values a new market order at the price of the ticker', async () => {
		const market = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' } as const;
		await offer('1500.00');
		await refused(process({ valuePerDay: '14999.99' }).order.create(market), 'valuePerDay');
		await process({ valuePerDay: '15000' }).order.create(market);
		sandbox.faults.arm({ kind: 'server-error', operation: 'market.ticker', times: 100 });
		const error = await errorOf(process({ valuePerDay: '100000' }).order.create(market));
		expect(error.message).toContain('what a market order is worth is not known');
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('counts the orders of another key apart', async () => {
		const limits = createAccountLimits({ elapsed: () => now }, { ordersPerDay: 1 });
		await quickClient(accountOf(sandbox), { limits }).order.create(resting);
		const error = await errorOf(quickClient(accountOf(sandbox, 'nobody'), { limits }).order.create(resting));
		expect(error).toMatchObject({ details: { rule: 'placed_orders' } });
		await refused(quickClient(accountOf(sandbox), { limits }).order.create(resting), 'ordersPerDay');
	});
});
