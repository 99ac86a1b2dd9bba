/** The button people press in a bad moment. */
import { createClient, ExchangeError, type Client, type Clock, type Item } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, ordersIn, streamingClient } from '../support/placing';
import { quickClock, startWire, success } from '../support/wire';
import { forEach } from '../support/opened';

const pair_id = 'USD/NGN';
const resting = { pair_id, side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' } as const;

const sandbox = forEach(() => startSandbox({ settings: { orderDelayMs: 0 } }));
const used = forEach(() => streamingClient(accountOf(sandbox), quickClock()));

const place = async (terms: object = {}, client: Client = used.client) =>
	(await client.order.create({ ...resting, ...terms }, { options: { wait: 'accepted' } })).order_id;
const statuses = () => ordersIn(sandbox).map(({ status }) => status);

describe('Cancel Open Orders', () => {
	it('cancels every open order, and says how each ended and what had been filled', async () => {
		const first = await place({ side: 'sell', price: '1400.00' });
		await place(
			{ price: '1400.00', quantity: '3.10' },
			createClient(accountOf(sandbox, 'sandbox-key-second'), nodePorts()),
		);
		const second = await place();
		const { orders, still_open, problem } = await used.client.order.cancelAll({});
		expect({ still_open, problem }).toEqual({ still_open: 0, problem: null });
		expect([...orders].sort((a, b) => a.quantity.localeCompare(b.quantity))).toHaveLength(2);
		expect(orders.find(({ order_id }) => order_id === first)).toMatchObject({
			...{
				outcome: 'cancelled',
				status: 'cancelled',
				filled_quantity: '3.10',
				remaining_quantity: '6.90',
				problem: null,
			},
		});
		expect(orders.find(({ order_id }) => order_id === second)).toMatchObject({ outcome: 'cancelled' });
		expect(new Set(statuses())).toEqual(new Set(['cancelled']));
	});

	it('refuses at once a pair that does not exist, and an input that is set and empty, and cancels nothing', async () => {
		await place();
		const { order } = used.client;
		await expect(order.cancelAll({ pair_id: 'EUR/NGN' })).rejects.toMatchObject({ code: 'not_found' });
		for (const input of [{ pair_id: '' }, { side: ' ' }, { created_before: '' }])
			await expect(order.cancelAll(input as object)).rejects.toMatchObject({ code: 'invalid_input' });
		expect(statuses()).toEqual(['accepted']);
		expect(sandbox.requests.filter(({ path }) => path.endsWith('/orders')).length).toBeLessThan(10);
	});

	it('leaves orders of the other side, and those that are not older than it was asked', async () => {
		const bought = await place();
		const sold = await place({ side: 'sell', price: '2000.00' });
		const { orders } = await used.client.order.cancelAll({ side: 'sell' });
		expect(orders.map(({ order_id }) => order_id)).toEqual([sold]);
		const { created_at } = await used.client.order.get({ order_id: bought });
		await expect(used.client.order.cancelAll({ created_before: created_at })).resolves.toMatchObject({ orders: [] });
		expect(statuses().sort()).toEqual(['accepted', 'cancelled']);
	});

	it('finds an order that arrives meanwhile', async () => {
		await place();
		const clock = quickClock();
		let late: Promise<string> | undefined;
		// The first pause between two looks ends once another order is in the book.
		const after: Clock['after'] = (delayMs, action) => {
			late ??= place({ price: '999.00' });
			let stop = () => undefined as void;
			void late.then(() => (stop = clock.after(delayMs, action)));
			return () => stop();
		};
		const { client, stream } = streamingClient(accountOf(sandbox), { ...clock, after });
		const { orders } = await client.order.cancelAll({});
		expect(orders.map(({ order_id }) => order_id)).toContain(await late);
		expect(new Set(statuses())).toEqual(new Set(['cancelled']));
		await stream.close();
	});
});

describe('a list that lags', () => {
	it('is not believed the first time it shows nothing, and an order it still shows as open is not cancelled again', async () => {
		const wire = await startWire();
		const order: Item = {
			...resting,
			id: 'o1',
			status: 'accepted',
			filled_quantity: '0.00',
			created_at: '2026-01-01T00:00:00Z',
		};
		const nothing = success({ count: 0, orders: [] });
		const shown = success({ count: 1, orders: [order] });
		// Three statuses a look: the first look shows nothing, each later one shows the order, even after it was cancelled.
		wire.on('GET /partner/exchange/orders', nothing, nothing, nothing, nothing, shown);
		wire.on('GET /partner/exchange/orders/o1', success({ ...order, status: 'cancelled' }));
		const commands: unknown[] = [];
		const command = async (action: string, fields: Item) => {
			commands.push(action);
			return { data: { order_id: fields.order_id, status: 'cancelling', cancelled_at: '2026-01-01T00:00:01Z' } };
		};
		const client = createClient(
			wire.account,
			{ ...nodePorts(), clock: quickClock() },
			{ commands: () => ({ command }) },
		);
		await expect(client.order.cancelAll({})).resolves.toMatchObject({
			still_open: 0,
			orders: [{ outcome: 'cancelled' }],
		});
		expect(commands).toEqual(['order_cancel']);
		await wire.close();
	});
});

describe('a list in words of its own', () => {
	/** What one press of the button for sells does at a service that applies no filter. */
	async function press(input: object, ...shown: Item[]) {
		const wire = await startWire();
		const orders: Item[] = shown.map((order) => ({ ...resting, filled_quantity: '0.00', ...order }));
		wire.on('GET /partner/exchange/orders', success({ count: orders.length, orders }));
		for (const order of orders)
			wire.on(`GET /partner/exchange/orders/${String(order.id)}`, success({ ...order, status: 'cancelled' }));
		const cancelled: unknown[] = [];
		const command = async (_action: string, { order_id }: Item) => {
			cancelled.push(order_id);
			return { data: { order_id, status: 'cancelling', cancelled_at: '2026-01-01T00:00:01Z' } };
		};
		const client = createClient(
			wire.account,
			{ ...nodePorts(), clock: quickClock() },
			{ commands: () => ({ command }) },
		);
		const { still_open, problem } = await client.order.cancelAll(input);
		await wire.close();
		return { cancelled, still_open, problem };
	}

	it('cancels an order in a status that nobody documented, and one whose side is written in capitals', async () => {
		const shown = [
			{ id: 'o1', status: 'working', side: 'sell' },
			{ id: 'o2', status: 'ACCEPTED', side: 'SELL' },
			{ id: 'o3', status: 'accepted', side: 'buy' },
		];
		const said = await press({ side: 'sell' }, ...shown);
		expect(said).toEqual({ cancelled: ['o1', 'o2'], still_open: 0, problem: null });
	});

	it.each([
		['no identifier', {}, { status: 'accepted', id: undefined }],
		['no side, where sells are meant', { side: 'sell' }, { id: 'o1', status: 'accepted', side: undefined }],
		['no time, where old ones are meant', { created_before: '2026-01-01T00:00:00Z' }, { id: 'o1', status: 'accepted' }],
	])('says that an open order was left which shows %s', async (_, input, order) => {
		expect(await press(input, order)).toEqual({
			...{ cancelled: [], still_open: 1 },
			problem: 'open orders that do not show whether they were meant, and were left: 1',
		});
	});
});

describe('a command that is refused', () => {
	/** Two open orders of a service whose commands are refused so often. */
	async function refusing(times: number) {
		const wire = await startWire();
		const statuses = new Map([
			['o1', 'accepted'],
			['o2', 'accepted'],
		]);
		const orders = () => [...statuses].map(([id, status]) => ({ ...resting, id, status, filled_quantity: '0.00' }));
		wire.on('GET /partner/exchange/orders', (request, response) => {
			const status = new URL(request.url!, 'http://x').searchParams.get('status');
			const rows = orders().filter((order) => order.status === status);
			response.end(JSON.stringify({ status: 'success', data: { count: rows.length, orders: rows } }));
		});
		for (const id of statuses.keys())
			wire.on(
				`GET /partner/exchange/orders/${id}`,
				(_request, response) =>
					void response.end(JSON.stringify({ status: 'success', data: orders().find((order) => order.id === id) })),
			);
		let sent = 0;
		const command = async (_action: string, { order_id }: Item) => {
			sent += 1;
			if (order_id === 'o1' && times-- > 0)
				throw new ExchangeError('refused', { what: 'The order is busy', serviceCode: 'VALIDATION_FAILED' });
			statuses.set(String(order_id), 'cancelled');
			return { data: { order_id, status: 'cancelling', cancelled_at: '2026-01-01T00:00:01Z' } };
		};
		const clock = quickClock();
		const client = createClient(wire.account, { ...nodePorts(), clock }, { commands: () => ({ command }) });
		return { client, wire, clock, sent: () => sent };
	}

	it('is said with its order when the time is over, and holds no other order up', async () => {
		const { client, wire, clock } = await refusing(Infinity);
		const began = clock.elapsed();
		const { orders, still_open } = await client.order.cancelAll({}, { options: { wait_seconds: 20 } });
		expect(clock.elapsed() - began).toBeGreaterThanOrEqual(20_000);
		expect(still_open).toBe(1);
		expect(orders).toMatchObject([
			{ order_id: 'o1', outcome: 'still_open', problem: expect.stringContaining('The order is busy') as string },
			{ order_id: 'o2', outcome: 'cancelled', problem: null },
		]);
		await wire.close();
	});
});
