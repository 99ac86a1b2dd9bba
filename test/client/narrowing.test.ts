import type { Item } from '@partner-exchange/core';
import { type OperationId } from '@partner-exchange/core/catalogue';
import { success, useWire } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';

const { wire, client } = useWire();

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T12:00:00Z`;

const serve = (orders: Item[]) =>
	wire.on(ORDERS, (request, response) => {
		const query = new URL(request.url!, 'http://h').searchParams;
		const from = Number(query.get('offset'));
		const page = orders.slice(from, from + Math.min(100, Number(query.get('limit') ?? 100)));
		response.end(JSON.stringify({ status: 'success', data: { count: orders.length, orders: page } }));
	});

const ids = async (options: object, limit?: number, id: OperationId = 'order.list', input: object = {}) => {
	const matches = [];
	for await (const item of client.items(id, input as never, { options, limit })) matches.push(item.id);
	return matches;
};

describe('a list', () => {
	const days = [31, 30, 20, 10, 1].map((number) => ({
		id: `d${number}`,
		created_at: day(number),
		status: number % 2 === 0 ? 'accepted' : number === 1 ? 'rejected' : 'filled',
	}));

	it.each([
		['filled', 'status=filled', ['d31']],
		[['filled', 'rejected'], undefined, ['d31', 'd1']],
		['Filled, rejected', undefined, ['d31', 'd1']],
		['open', undefined, ['d30', 'd20', 'd10']],
		[['open', 'filled'], undefined, ['d31', 'd30', 'd20', 'd10']],
	])(
		'finds the orders with the status %j, and asks the service for what it knows: %s',
		async (status, sent, expected) => {
			serve(days);
			expect(await ids({}, undefined, 'order.list', { status })).toEqual(expected);
			const asked = wire.calls(ORDERS).map(({ path }) => new URL(path, 'http://service').searchParams);
			expect(new Set(asked.map((query) => query.get('status')))).toEqual(new Set([sent?.split('=')[1] ?? null]));
		},
	);

	it('counts the items that are left, not those read', async () => {
		serve([...Array.from({ length: 250 }, (_, number) => ({ id: `new${number}`, created_at: day(31) })), ...days]);
		expect(await ids({ created_before: day(31) }, 2)).toEqual(['d30', 'd20']);
		expect(await ids({ sort: 'oldest_first' }, 1)).toEqual(['d1']);
	});

	it('ends the read of a newest-first list soon after the chosen date', async () => {
		const hour = (number: number) => new Date(Date.parse(day(31)) - number * 3_600_000).toISOString();
		serve(Array.from({ length: 2_000 }, (_, number) => ({ id: `o${number}`, created_at: hour(number) })));
		expect(await ids({ created_after: day(30) })).toHaveLength(25);
		expect(wire.calls(ORDERS).length).toBeLessThan(3);
	});

	it('keeps an item of the last minute that fifty others overtook', async () => {
		const second = (number: number) => new Date(Date.parse(day(31)) - number * 1_000).toISOString();
		const newer = Array.from({ length: 59 }, (_, number) => ({ id: `new${number}`, created_at: second(-59 - number) }));
		const crowd = Array.from({ length: 60 }, (_, number) => ({
			id: `old${number}`,
			created_at: second(1 + number / 2),
		}));
		serve([...newer.toReversed(), ...crowd, { id: 'overtaken', created_at: second(0) }]);
		expect((await ids({ created_after: day(31) })).at(-1)).toBe('overtaken');
	});

	it('reads a list in no order to its end', async () => {
		serve([
			...Array.from({ length: 120 }, (_, number) => ({ id: `o${number}`, created_at: day(1) })),
			{ id: 'late', created_at: day(31) },
		]);
		expect(await ids({ created_after: day(20) })).toEqual(['late']);
	});

	it('refuses a time that the service has not reached when nothing is listed, because the clock here may be wrong', async () => {
		const hoursAhead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
		serve(days);
		const said = "is later than the service's clock";
		await expect(ids({ created_after: hoursAhead(1) })).rejects.toMatchObject({
			code: 'invalid_input',
			message: expect.stringContaining(said),
		});
		expect(await ids({ created_after: hoursAhead(-1) })).toEqual([]);
		serve([...days, { id: 'ahead', created_at: hoursAhead(2) }]);
		expect(await ids({ created_after: hoursAhead(1) })).toEqual(['ahead']);
	});

	it('refuses an unknown status and an invalid time', async () => {
		await expect(ids({}, undefined, 'order.list', { status: 'filled,done' })).rejects.toThrow(
			'Status must be one or more of open, pending, accepted',
		);
		await expect(ids({ created_after: 'yesterday' })).rejects.toThrow('Created After is not a time');
		expect(wire.received).toEqual([]);
	});
});

describe('balances', () => {
	it('filters balances by currency, and refuses a mistyped one', async () => {
		const balances = [
			{ currency: 'NGN', available: '1.00' },
			{ currency: 'USD', available: '2.00' },
		];
		wire.on('GET /partner/wallets/balances/overview', success({ balances, credit: {}, generated_at: day(1) }));
		expect(await client.wallet.balances({}, { options: { currency: 'usd' } })).toMatchObject({
			balances: [balances[1]],
		});
		await expect(client.wallet.balances({}, { options: { currency: 'NGM' } })).rejects.toThrow(
			'There is no wallet currency NGM. The service offers NGN, USD',
		);
	});
});
