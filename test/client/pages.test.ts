import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExchangeError } from '@partner-exchange/core';
import type { OperationId } from '@partner-exchange/core/catalogue';
import { success, useWire, type Answer } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';
const TRADES = 'GET /partner/exchange/trades';
const CANDLES = 'GET /partner/exchange/candles';

const { wire, client, clock } = useWire();

type Query = Record<string, string>;
/** Computes every page from the query. */
const paged =
	(page: (query: Query) => unknown): Answer =>
	(request: IncomingMessage, response: ServerResponse) => {
		const query = Object.fromEntries(new URL(request.url!, 'http://h').searchParams);
		response.end(JSON.stringify({ status: 'success', data: page(query) }));
	};
const all = async (id: OperationId, input: object = {}, limit?: number) => {
	const items = [];
	for await (const item of client.items(id, input as Record<string, unknown>, { limit })) items.push(item);
	return items;
};
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const order = (number: number) => ({ id: `o${number}`, status: 'filled' });
const queries = () => wire.received.map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));

describe('pages by offset', () => {
	const serve = (orders: object[], cap = 100, count = orders.length) =>
		wire.on(
			ORDERS,
			paged(({ offset, limit }) => ({
				count,
				orders: orders.slice(Number(offset), Number(offset) + Math.min(cap, Number(limit))),
			})),
		);

	it.each([0, 3, 1_000_000])('ignores a count of %d', async (count) => {
		serve(range(0, 130).map(order), 100, count);
		expect(await all('order.list')).toHaveLength(130);
	});

	describe('where the service does not find a page behind the last row', () => {
		const serveUpTo = (rows: number, found: (offset: number) => boolean, status = 404) =>
			wire.on(ORDERS, (request, response) => {
				const offset = Number(new URL(request.url!, 'http://h').searchParams.get('offset'));
				response.statusCode = found(offset) ? 200 : status;
				const orders = range(0, rows).map(order).slice(offset);
				response.end(
					JSON.stringify(found(offset) ? { status: 'success', data: { orders } } : { message: 'not found' }),
				);
			});

		it.each([
			[1, 404],
			[30, 404],
			[1, 400],
			[3, 400],
			[30, 400],
		])('ends after %d rows, told by %d', async (rows, status) => {
			serveUpTo(rows, (offset) => offset < rows, status);
			expect(await all('order.list')).toHaveLength(rows);
		});

		it('takes a refusal for no end where it may be for too large an offset, or for the filter', async () => {
			serveUpTo(300, (offset) => offset < 90, 400);
			await expect(all('order.list')).rejects.toMatchObject({ code: 'refused' });
			await expect(all('order.list', { offset: 200 })).rejects.toMatchObject({ code: 'refused' });
		});

		it('takes no other page that is not found for the end', async () => {
			serveUpTo(30, (offset) => offset < 10);
			await expect(all('order.list')).rejects.toMatchObject({ code: 'not_found' });
			serveUpTo(30, () => false);
			await expect(all('order.list')).rejects.toMatchObject({ code: 'not_found' });
		});
	});

	it('begins at the given offset, and reads nothing before it', async () => {
		serve(range(0, 230).map(order));
		expect(await all('order.list', { offset: 120 })).toEqual(range(120, 230).map(order));
	});

	it.each([
		['has_more', { has_more: true }],
		['has_more beside no cursor', { has_more: 1, next_cursor: null }],
		['a cursor', { next_cursor: 'b7' }],
		['a cursor in a part of its own', { pagination: { next: '/orders?cursor=b7' } }],
	])('says that it is not whole where it shows its first page for ever, and %s', async (_, more) => {
		wire.on(
			ORDERS,
			paged(() => ({ orders: range(0, 100).map(order), ...more })),
		);
		const items: unknown[] = [];
		const read = async () => {
			for await (const item of client.order.list()) items.push(item);
		};
		await expect(read()).rejects.toMatchObject({
			code: 'limit_reached',
			what: 'The list says that more follows, and shows its first page alone',
		});
		expect(items).toHaveLength(100);
		expect(await all('order.list', {}, 100)).toHaveLength(100);
	});

	it.each([{ has_more: false }, { has_next: 'false' }, { pageInfo: { hasNextPage: false } }])(
		'is whole where it says that no more follows, whatever next page it names: %j',
		async (more) => {
			wire.on(ORDERS, success({ orders: range(0, 3).map(order), ...more, next_cursor: 'b7' }));
			expect(await all('order.list')).toHaveLength(3);
		},
	);

	it('is whole where the service always names a next page, and has none', async () => {
		wire.on(
			ORDERS,
			paged(({ offset, limit }) => ({
				orders: range(0, 130)
					.slice(Number(offset), Number(offset) + Number(limit))
					.map(order),
				next_cursor: 'b7',
			})),
		);
		expect(await all('order.list')).toHaveLength(130);
	});

	it('ends as soon as enough items are read, and requests no more than that', async () => {
		serve(range(0, 230).map(order));
		expect(await all('order.list', {}, 7)).toHaveLength(7);
		expect(queries()).toEqual([{ limit: '7', offset: '0' }]);
	});
});

describe('pages by sequence', () => {
	const trade = (sequence: number) => ({ id: `t${sequence}`, sequence });
	const serve = (sequences: number[], cap: number) =>
		wire.on(
			TRADES,
			paged(({ after_sequence = '0', limit }) => ({
				trades: sequences
					.filter((sequence) => sequence > Number(after_sequence))
					.slice(0, Math.min(cap, Number(limit)))
					.map(trade),
			})),
		);

	it('continues after the highest sequence, through holes', async () => {
		const sequences = [1, 2, 5, 9, 10, 500, 501, 502, 900];
		serve(sequences, 3);
		expect((await all('market.trades', { pair_id: 'USD/NGN' })).map(({ sequence }) => sequence)).toEqual(sequences);
		expect(queries().map(({ after_sequence }) => after_sequence)).toEqual(['0', '5', '500', '900']);
	});

	it('continues past a cap below what was requested, until a page is empty', async () => {
		serve(range(1, 701), 200);
		expect(await all('market.trades', { pair_id: 'USD/NGN', limit: 1000 })).toHaveLength(700);
		expect(queries()).toHaveLength(5);
		expect(queries()[0]).toMatchObject({ limit: '1000' });
	});
});

describe('pages by time', () => {
	const hour = (number: number) => new Date(Date.UTC(2026, 0, 1, number)).toISOString();
	const candle = (number: number) => ({ timestamp: hour(number), close: '1500.00' });
	const serve = (candles: object[], includes: boolean, arrange: (page: object[]) => object[] = (page) => page) =>
		wire.on(
			CANDLES,
			paged(({ before = '9', limit }) => {
				const older = (candles as { timestamp: string }[]).filter(
					({ timestamp }) => timestamp < before || (includes && timestamp === before),
				);
				return { candles: arrange(older.slice(-Math.min(40, Number(limit)))) };
			}),
		);
	const input = { pair_id: 'USD/NGN', interval: '1h' };
	const newestFirst = range(0, 100).map(candle).reverse();

	it.each([true, false])(
		'pages of candles leave no gap and repeat nothing, whether before is inclusive (%p) or not',
		async (includes) => {
			serve(range(0, 100).map(candle), includes);
			expect(await all('market.candles', input)).toEqual(newestFirst);
		},
	);

	it.each([
		['ascending', (page: object[]) => page],
		['descending', (page: object[]) => [...page].reverse()],
		['duplicated', (page: object[]) => [...page, ...page]],
		[
			'shuffled',
			(page: object[]) => [...page.filter((_, index) => index % 2), ...page.filter((_, index) => index % 2 === 0)],
		],
	])('answers candles newest first and once each when the service sends them %s', async (_, arrange) => {
		serve(range(0, 100).map(candle), false, arrange);
		expect(await all('market.candles', input)).toEqual(newestFirst);
	});

	it('reads five years page by page with pauses, and says where to continue when it ends', async () => {
		wire.on(
			CANDLES,
			paged(({ before }) => {
				const end = before ? Date.parse(before) : Date.UTC(2026, 0, 1);
				return {
					candles: range(1, 101).map((number) => ({ timestamp: new Date(end - number * 60_000).toISOString() })),
				};
			}),
		);
		let items = 0;
		const reading = (async () => {
			for await (const _ of client.items('market.candles', { pair_id: 'USD/NGN', interval: '1m' })) items += 1;
		})();
		const error: ExchangeError = await reading.then(
			() => undefined as never,
			(reason: ExchangeError) => reason,
		);
		expect(items).toBe(100_000);
		expect(clock.waited.filter((waitedMs) => waitedMs === 100)).toHaveLength(990);
		const oldest = new Date(Date.UTC(2026, 0, 1) - 100_000 * 60_000).toISOString();
		expect(error).toMatchObject({ code: 'limit_reached', details: { before: oldest } });
		expect(error.advice).toContain(`go on in a next run from before = ${oldest}`);
	});
});

describe('a list without pages', () => {
	it('says of a list without pages that it is not whole where the service pages it', async () => {
		wire.on('GET /partner/wallets/recipients', success({ recipients: [{ id: 'r1' }], has_more: true }));
		await expect(all('recipient.list')).rejects.toMatchObject({ code: 'limit_reached' });
	});

	it('reads a list without pages once', async () => {
		wire.on(
			'GET /partner/wallets/currencies',
			success({ currencies: [{ code: 'NGN' }, { code: 'USD' }, { code: 'NGN' }] }),
		);
		expect(await all('wallet.currencies')).toEqual([{ code: 'NGN' }, { code: 'USD' }]);
		expect(wire.received).toHaveLength(1);
	});
});

describe('numbers of rows beyond what a double holds', () => {
	const trade = (sequence: string): string =>
		`{"id":"t${sequence}","pair_id":"USD/NGN","price":"1500.00","quantity":"1.00","side":"buy","sequence":${sequence},"created_at":"2026-01-31T00:00:00Z"}`;
	const trades = (...sequences: string[]) => ({
		body: `{"status":"success","data":{"trades":[${sequences.map(trade).join(',')}]}}`,
	});

	it('are read on exactly, and asked for as they were written', async () => {
		wire.on(
			TRADES,
			trades('9007199254740991', '9007199254740993'),
			trades('9007199254740994', '12345678901234567890'),
			trades(),
		);
		const ids: unknown[] = [];
		for await (const { id } of client.market.trades({ pair_id: 'USD/NGN' })) ids.push(id);
		const asked = wire.calls(TRADES).map(({ path }) => new URL(path, wire.url).searchParams.get('after_sequence'));
		expect(ids).toEqual(['t9007199254740991', 't9007199254740993', 't9007199254740994', 't12345678901234567890']);
		expect(asked).toEqual(['0', '9007199254740993', '12345678901234567890']);
	});

	it.each(['"a7"', '1.5', '-1', 'true', '{}'])(
		'are refused in words where a row has the sequence %s, after its page',
		async (sequence) => {
			wire.on(TRADES, {
				body: `{"status":"success","data":{"trades":[${trade('1')},${trade('2').replace('"sequence":2', `"sequence":${sequence}`)}]}}`,
			});
			const ids: unknown[] = [];
			const reading = (async () => {
				for await (const { id } of client.market.trades({ pair_id: 'USD/NGN' })) ids.push(id);
			})();
			await expect(reading).rejects.toMatchObject({
				code: 'malformed_response',
				message: expect.stringContaining('which is no whole number'),
			});
			expect(ids).toEqual(['t1', 't2']);
		},
	);
});

it('hands no row over twice of a service that pages nothing and has 21,000 of them', async () => {
	const orders = Array.from({ length: 21_000 }, (_, index) => ({ id: `order-${index}` }));
	wire.on('GET /partner/exchange/orders', success({ orders }));
	let rows = 0;
	for await (const _ of client.order.list()) rows += 1;
	expect(rows).toBe(21_000);
});
