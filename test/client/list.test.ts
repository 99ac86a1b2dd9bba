import { pollTransactions, type Order } from '@partner-exchange/core';
import { LIST_BYTES_MAX } from '../../packages/core/src/ports';
import { silence, success, useWire } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';
const TRANSACTIONS = 'GET /partner/wallets/transactions';
const { wire, client } = useWire();

const order = (id: string, status: string, day: number) => ({
	...{ id, status, pair_id: 'USD/NGN', quantity: '1.00', filled_quantity: '0.00' },
	created_at: `2026-01-0${day}T00:00:00Z`,
});
const all = [order('a', 'filled', 3), order('b', 'cancelled', 2), order('c', 'filled', 1)];

describe('a list of a client', () => {
	it('is the page of the service where it is awaited, asked for once and not before', async () => {
		wire.on(ORDERS, success({ count: 3, orders: all }));
		const list = client.order.list();
		expect(wire.calls(ORDERS)).toEqual([]);
		expect(await list).toEqual({ count: 3, orders: all.map((each) => ({ ...each, remaining_quantity: '1.00' })) });
		expect(await list).toBe(await list);
		expect(wire.calls(ORDERS)).toHaveLength(1);
	});

	it('is every item of all pages where it is iterated', async () => {
		wire.on(ORDERS, success({ orders: all.slice(0, 2) }), success({ orders: all.slice(2) }), success({ orders: [] }));
		const items: Order[] = [];
		for await (const item of client.order.list()) items.push(item);
		expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
	});

	it.each([
		[{ created_before: '2026-01-03T00:00:00Z' }, ['b', 'c']],
		[{ created_after: '2026-01-02T00:00:00Z' }, ['a', 'b']],
		[{ sort: 'oldest_first' }, ['c', 'b', 'a']],
		[{ created_before: '2026-01-01T00:00:00Z' }, []],
		[{ created_after: '2026-01-02', created_before: '2026-01-03T00:00:00Z' }, ['b']],
		[{ sort: 'oldest_first', created_before: '2026-01-03T00:00:00Z' }, ['c', 'b']],
	] as const)('does what the options %j say, in one page and over all', async (options, ids) => {
		wire.on(ORDERS, success({ count: 3, orders: all }));
		const { orders, count } = await client.order.list({}, { options });
		expect({ ids: orders.map(({ id }) => id), count }).toEqual({ ids, count: 3 });
		const items: string[] = [];
		for await (const { id } of client.order.list({}, { options })) items.push(id);
		expect(items).toEqual(ids);
	});
});

it('says that the time was over where the caller gave it a time, and not that somebody stopped it', async () => {
	wire.on(ORDERS, silence);
	await expect(client.order.list({}, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'timeout' });
	await expect(client.order.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
});

it('hands over every row of a list whose rows show an empty identifier beside their own', async () => {
	const rows = ['t1', 't2', 't3'].map((transaction_id) => ({ id: '', transaction_id, status: 'pending' }));
	wire.on(TRANSACTIONS, success({ transactions: rows }));
	const items: unknown[] = [];
	for await (const item of client.transaction.list()) items.push(item);
	expect(items).toEqual(rows);
});

describe('an answer in which no list is found', () => {
	const row = { id: 't1', status: 'pending' };

	it.each([
		['two lists', { deposits: [row], withdrawals: [row] }, 'deposits, withdrawals'],
		['records by their id', { t1: row, t2: row }, 't1, t2'],
		['no list at all', { version: 3, note: 'see the new endpoint' }, 'version, note'],
	])('is no empty list, and its fields are named: %s', async (_, data, fields) => {
		wire.on(TRANSACTIONS, success(data));
		const refusal = {
			code: 'malformed_response',
			what: `No list was found in the answer, which has the fields ${fields}`,
		};
		await expect(client.page('transaction.list', {})).rejects.toMatchObject(refusal);
		await expect(client.items('transaction.list', {}).next()).rejects.toMatchObject(refusal);
		await expect(pollTransactions(client, undefined)).rejects.toMatchObject(refusal);
	});

	it('is no empty list where it counts rows and shows null, whatever comes beside it', async () => {
		wire.on(TRANSACTIONS, success({ count: 5, transactions: null, errors: ['one part did not answer'] }));
		await expect(client.page('transaction.list', {})).rejects.toMatchObject({ code: 'malformed_response' });
	});

	it.each([
		['in it', success({ count: 0, transactions: [], errors: ['one part did not answer'] })],
		['beside it', { body: '{"status":"success","data":{"transactions":[]},"errors":[{"code":"E1"}]}' }],
		['and no success', success({ transactions: [], success: false })],
		['and no success as text', success({ transactions: [], success: 'false' })],
		['as its status', success({ transactions: [], status: 'error' })],
		['in a sentence', success({ transactions: [], error_message: 'the database is away' })],
		['as a code', success({ transactions: [], code: 500 })],
		['as a code beside it', { body: '{"status":"success","data":{"transactions":[]},"errorCode":"E17"}' }],
		['of its rows', success({ transactions: [null] })],
		['that leaves rows out', success({ transactions: [], has_more: true })],
		['of several answers', { ...success({ transactions: [] }), status: 207 }],
		['of a part', { ...success({ transactions: [] }), status: 206 }],
	])('is no empty list where it shows none and an error %s', async (_, answer) => {
		wire.on(TRANSACTIONS, answer);
		await expect(client.page('transaction.list', {})).rejects.toMatchObject({ code: 'malformed_response' });
	});

	it('names ten fields, each shortened', async () => {
		const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`.padEnd(100, 'x'), index]));
		wire.on(TRANSACTIONS, success(many));
		const { what } = (await client.page('transaction.list', {}).catch((error: unknown) => error)) as { what: string };
		expect(what.length).toBeLessThan(600);
		expect(what).not.toContain('f10');
	});

	it.each([
		['nothing', {}],
		['null', { transactions: null }],
		['a count of nought', { count: 0 }],
		['an empty list', { transactions: [] }],
	])('is empty where it says so: %s', async (_, data) => {
		wire.on(TRANSACTIONS, success(data));
		expect(await client.page('transaction.list', {})).toEqual([]);
	});
});

describe('a list that the service answers all at once', () => {
	it('reads a list of 30,000 orders in 6 MB that comes at once', async () => {
		const orders = Array.from({ length: 30_000 }, (_, number) => ({
			id: `o${number}`,
			status: 'filled',
			note: 'x'.repeat(200),
		}));
		wire.on(ORDERS, success({ orders }));
		expect(await client.page('order.list', {})).toHaveLength(orders.length);
	});

	it('refuses a list beyond the limit, with advice that names it', async () => {
		const page = JSON.stringify({ status: 'success', data: { orders: [] } });
		wire.on(ORDERS, { body: page + ' '.repeat(LIST_BYTES_MAX) });
		await expect(client.page('order.list', {})).rejects.toMatchObject({
			code: 'limit_reached',
			advice: 'Ask the operator of the service to answer this list in pages: at most 32 MiB are read',
		});
	});
});
