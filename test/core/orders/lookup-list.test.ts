import type { Item } from '@partner-exchange/core';
import { errorOf, quickClient, resting } from '../../support/placing';
import { failure, success, useWire, type Answer } from '../../support/wire';

const LIST = 'GET /partner/exchange/orders';
const NEWEST = Date.UTC(2026, 0, 31);
const MINUTE_MS = 60_000;

const listed = (orders: readonly Item[]): Answer => success({ count: orders.length, orders });

/** A list with this many orders in pages of 100, newest first by default, with the wanted order at a given index. */
function listOf(count: number, at: number | undefined, newestFirst = true): Answer {
	return (request, response) => {
		const query = new URL(request.url!, 'http://wire').searchParams;
		const offset = Number(query.get('offset') ?? 0);
		const orders = Array.from({ length: Math.max(0, Math.min(100, count - offset)) }, (_, index) => {
			const place = offset + index;
			const age = newestFirst ? place : count - place;
			const created_at = new Date(NEWEST - age * MINUTE_MS).toISOString();
			return {
				id: `order-at-${place}`,
				client_order_id: place === at ? 'mine' : `other-${place}`,
				status: 'filled',
				created_at,
			};
		});
		response.end(JSON.stringify({ status: 'success', data: { count, orders } }));
	};
}

/** One page with rows; the page after it is empty. */
function paged(orders: readonly Item[], count = orders.length): Answer {
	return (request, response) => {
		const isFirst = (new URL(request.url!, 'http://wire').searchParams.get('offset') ?? '0') === '0';
		response.end(JSON.stringify({ status: 'success', data: { count, orders: isFirst ? orders : [] } }));
	};
}

/** No request of that time can still arrive. */
const LONG_AGO = '2020-01-01T00:00:00Z';

describe('looking for an order', () => {
	const { wire } = useWire();

	const resolve = (input: { client_order_id: string; pair_id?: string } = { client_order_id: 'mine' }) =>
		quickClient(wire.account).order.resolve(input, { options: { wait_certain: true } });

	it('reads page after page and stops at the one that holds the order', async () => {
		wire.on(LIST, listOf(1_000, 250));
		expect(await resolve()).toMatchObject({ outcome: 'accepted', order: { id: 'order-at-250' } });
		expect(wire.calls(LIST)).toHaveLength(3);
	});

	it.each([
		['from new to old', true],
		['from old to new', false],
	])('finds an order behind twenty thousand others in a list %s', async (_, newestFirst) => {
		wire.on(LIST, listOf(30_000, 20_000, newestFirst));
		expect(await resolve()).toMatchObject({ outcome: 'accepted', order: { id: 'order-at-20000' } });
	});

	const row = (id: string, status = 'filled'): Item => ({ id, client_order_id: `of ${id}`, status });
	const twenty = Array.from({ length: 20 }, (_, index) => row(`order-at-${index}`));

	it('does not answer not found for a list that counts more than it shows, nor send under a business key', async () => {
		const gap = 'the list counts 57 orders and shows 20';
		wire.on(LIST, paged(twenty, 57));
		expect((await errorOf(resolve())).message).toContain(gap);
		const error = await errorOf(
			quickClient(wire.account).order.create(
				{ pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' },
				{ options: { business_key: 'invoice 7', check_market: false } },
			),
		);
		expect(error).toMatchObject({ code: 'outcome_unknown' });
		expect(error.message).toContain(gap);
		expect(error.message).toContain('this run sent nothing');
		expect(error.message.match(/Create Order/g)).toHaveLength(1);
		expect(wire.calls('POST /partner/exchange/orders')).toEqual([]);
	});

	interface Growing {
		newestFirst: boolean;
		/** Rows that are inserted after each page read. */
		by: number;
		/** The age of the wanted row. */
		mine?: number;
		counts?: boolean;
	}

	/** A list of 250 rows that grows while it is read. */
	function growing({ newestFirst, by, mine, counts = true }: Growing): Answer {
		let rows = 250;
		return (request, response) => {
			const query = new URL(request.url!, 'http://wire').searchParams;
			const offset = Number(query.get('offset') ?? 0);
			const orders = Array.from({ length: Math.max(0, Math.min(100, rows - offset)) }, (_, index) => {
				const age = newestFirst ? rows - 1 - offset - index : offset + index;
				return row(age === mine ? 'mine' : `order-at-${age}`);
			}).map((item) => (item.id === 'mine' ? { ...item, client_order_id: 'mine' } : item));
			const data = { ...(counts ? { count: rows } : {}), orders };
			if (rows < 1_000) rows += by;
			response.end(JSON.stringify({ status: 'success', data }));
		};
	}

	it.each<[string, Growing]>([
		['in front', { newestFirst: true, by: 7 }],
		['in front, faster than a page shows', { newestFirst: true, by: 120 }],
		['at its end', { newestFirst: false, by: 7 }],
		['in front, and does not say how long it is', { newestFirst: true, by: 7, counts: false }],
	])('answers not found for a list that grows %s while it is read', async (_, list) => {
		wire.on(LIST, growing(list));
		expect(await resolve()).toMatchObject({ outcome: 'not_found' });
	});

	it('finds an order that came in front of the list while it was read', async () => {
		wire.on(LIST, growing({ newestFirst: true, by: 7, mine: 252 }));
		const placed = await quickClient(wire.account).order.create(
			{ ...resting, client_order_id: 'mine' },
			{ options: { check_market: false } },
		);
		expect(placed).toMatchObject({ order_id: 'mine', repeated: true });
		expect(wire.calls('POST /partner/exchange/orders')).toEqual([]);
	});

	it('answers not found only where the list of every status was read', async () => {
		wire.on(LIST, listed([]));
		const client = quickClient(wire.account);
		expect(await client.order.resolve({ client_order_id: 'mine', not_before: LONG_AGO })).toMatchObject({
			outcome: 'not_found',
		});
		expect(client.waited).toEqual([]);
		const requested = wire.calls(LIST).map(({ path }) => new URL(path, 'http://wire').searchParams.get('status'));
		expect(requested).toEqual([
			null,
			'pending',
			'accepted',
			'partially_filled',
			'filled',
			'cancelled',
			'rejected',
			'expired',
		]);
	});

	it('finds an order that the plain list leaves out', async () => {
		wire.on(LIST, (request, response) => {
			const match = request.url!.includes('status=filled')
				? [{ id: 'order-1', client_order_id: 'mine', status: 'filled' }]
				: [];
			response.end(JSON.stringify({ status: 'success', data: { count: match.length, orders: match } }));
		});
		expect(await resolve()).toMatchObject({ outcome: 'accepted', order: { id: 'order-1' } });
	});

	it('reads a list again that could not be read for a moment', async () => {
		wire.on(
			LIST,
			failure(503, {}),
			failure(429, {}, { 'retry-after': '2' }),
			listed([{ id: 'order-1', client_order_id: 'mine' }]),
		);
		expect(await resolve({ client_order_id: 'mine', pair_id: 'USD/NGN' })).toMatchObject({ outcome: 'accepted' });
	});

	it('stops looking for an order when the call is stopped', async () => {
		wire.on(LIST, listed([]));
		const error = await errorOf(
			quickClient(wire.account).order.resolve({ client_order_id: 'mine' }, { signal: AbortSignal.abort() }),
		);
		expect(error.code).toBe('aborted');
	});
});
