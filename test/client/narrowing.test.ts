import type { Item } from '@partner-exchange/core';
import { type OperationId, operationOf } from '@partner-exchange/core/catalogue';
import { success, useWire } from '../support/wire';
import { inCurrency, narrowed, narrows, partsOf } from '../../packages/core/src/client/narrowing';

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
		[{ created_after: day(20) }, ['d31', 'd30', 'd20']],
		[{ created_before: day(20) }, ['d10', 'd1']],
		[{ created_after: '2026-01-10', created_before: day(30) }, ['d20', 'd10']],
		[{ sort: 'oldest_first' }, ['d1', 'd10', 'd20', 'd30', 'd31']],
		[{ sort: 'oldest_first', created_before: day(20) }, ['d1', 'd10']],
	])('filters and sorts a list by %j', async (options, expected) => {
		serve(days);
		expect(await ids(options)).toEqual(expected);
	});

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

	it('reads a list in no order to its end', async () => {
		serve([
			...Array.from({ length: 120 }, (_, number) => ({ id: `o${number}`, created_at: day(1) })),
			{ id: 'late', created_at: day(31) },
		]);
		expect(await ids({ created_after: day(20) })).toEqual(['late']);
	});

	it('keeps an item that does not show its time or status', async () => {
		serve([{ id: 'bare' }]);
		expect(await ids({ created_after: day(20), sort: 'newest_first' })).toEqual(['bare']);
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

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 31) + minute * 60_000).toISOString();

const row = (minute: number | undefined, more: Item = {}): Item => ({
	...(minute === undefined ? {} : { created_at: at(minute) }),
	minute,
	...more,
});

/** The minutes of the remaining rows, and the number of rows that were read for them. */
async function minutesOf(rows: Item[], requested?: Parameters<typeof narrowed>[1]) {
	let read = 0;
	async function* all() {
		for (const item of rows) yield await Promise.resolve(((read += 1), item));
	}
	const minutes = [];
	for await (const { minute } of narrowed(all(), requested)) minutes.push(minute);
	return { minutes, read };
}

describe('whether a list is narrowed', () => {
	it.each([
		[undefined, false],
		[{}, false],
		[{ sort: 'as_sent' }, false],
		[{ sort: 'newest_first' }, true],
		[{ created_after: at(0) }, true],
		[{ created_before: at(0) }, true],
	] as const)('says whether %j narrows a list: %s', (input, expected) => {
		expect(narrows(input)).toBe(expected);
	});
});

describe('the items of a list', () => {
	const rows = [row(3), row(1), row(undefined), row(2)];

	it('leaves the items of a list as they are without a filter', async () => {
		const everything = { minutes: [3, 1, undefined, 2], read: 4 };
		expect(await minutesOf(rows)).toEqual(everything);
		expect(await minutesOf(rows, { sort: 'as_sent' })).toEqual(everything);
	});

	it('sorts items by their time, those without one as the oldest', async () => {
		expect((await minutesOf(rows, { sort: 'newest_first' })).minutes).toEqual([3, 2, 1, undefined]);
		expect((await minutesOf(rows, { sort: 'oldest_first' })).minutes).toEqual([undefined, 1, 2, 3]);
	});

	it('keeps items from one moment on and before another, and those without a time', async () => {
		expect((await minutesOf(rows, { created_after: at(2) })).minutes).toEqual([3, undefined, 2]);
		expect((await minutesOf(rows, { created_before: at(2) })).minutes).toEqual([1, undefined]);
		expect((await minutesOf(rows, { created_after: at(2), created_before: at(3) })).minutes).toEqual([undefined, 2]);
	});

	const falling = (from: number, count: number): Item[] =>
		Array.from({ length: count }, (_, index) => row(from - index));

	it('ends a read after fifty rows that are too old, also where neighbours overtook each other', async () => {
		const overtaken = [row(2), row(1), row(1.5), ...falling(0, 200)];
		const { minutes, read } = await minutesOf(overtaken, { created_after: at(1) });
		expect({ minutes, read }).toEqual({ minutes: [2, 1, 1.5], read: 54 });
	});

	it('keeps a row of the last minute that fifty others overtook', async () => {
		const crowd = Array.from({ length: 60 }, (_, index) => row(0.9 - index / 100));
		const { minutes } = await minutesOf([...falling(60, 59), ...crowd, row(1)], { created_after: at(1) });
		expect(minutes.at(-1)).toBe(1);
		expect(minutes).toHaveLength(60);
	});

	it.each([
		['are as old as one another', Array.from({ length: 200 }, () => row(-9))],
		['come behind one that is newer', [row(5), row(9), ...falling(0, 200)]],
		['come before one that is newer', [...falling(0, 49), row(9), ...falling(0, 20)]],
		['show no time', Array.from({ length: 200 }, () => row(undefined))],
	])('reads to the end where rows %s', async (_, some) => {
		expect((await minutesOf(some, { created_after: at(1) })).read).toBe(some.length);
	});

	it('recognises newest first also beside rows without a time or of equal times', async () => {
		const mixed = [row(3), row(3), row(undefined), ...falling(0, 200)];
		expect((await minutesOf(mixed, { created_after: at(1) })).read).toBe(54);
	});
});

describe('the records of an answer', () => {
	const balances = operationOf('wallet.balances');
	const row = (currency: string) => ({ currency, available: '1' });
	const data = { balances: [row('NGN'), row('usd'), { available: '2' }], credit: { status: 'ok' } };

	it('keeps the records of a currency, however it is written', () => {
		expect(inCurrency(balances, data, ' usd ')).toEqual({ ...data, balances: [row('usd')] });
		expect(inCurrency(balances, data, 'USD')).toEqual({ ...data, balances: [row('usd')] });
	});

	it('refuses a currency no record has, unless there are no records', () => {
		expect(() => inCurrency(balances, data, 'GHS')).toThrow(
			expect.objectContaining({ field: 'currency', message: expect.stringContaining('GHS') as string }),
		);
		expect(inCurrency(balances, { balances: [] }, 'GHS')).toEqual({ balances: [] });
	});

	it('keeps all records without a chosen currency, or when the answer has none', () => {
		expect(inCurrency(balances, data, undefined)).toBe(data);
		expect(inCurrency(balances, [1], 'NGN')).toEqual([1]);
		expect(inCurrency(operationOf('order.get'), data, 'GHS')).toBe(data);
	});

	it('splits records one by one, each with the fields around it', () => {
		const { credit } = data;
		expect(partsOf(balances, data)).toEqual([
			{ ...row('NGN'), credit },
			{ ...row('usd'), credit },
			{ available: '2', credit },
		]);
		expect(partsOf(balances, { balances: ['odd'], credit })).toEqual(['odd']);
	});

	it.each([[{ balances: null }], [[1]], [null]])('leaves the answer %j as it is', (answer) => {
		expect(partsOf(balances, answer)).toEqual([answer]);
	});

	it('leaves an answer as it is that is documented as one record', () => {
		expect(partsOf(operationOf('order.get'), data)).toEqual([data]);
	});
});
