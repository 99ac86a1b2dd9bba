import { orderStatuses } from '@partner-exchange/core/catalogue';
import { fillsOf, ordersOf } from '../engine/order-lists';
import { knownFields } from '../engine/order-request';
import { fingerprintOf } from '../engine/idempotency';
import { fillRecord, orderRecord } from '../engine/records';
import { invalid, notFound } from '../engine/refusal';
import { marketOf, type WorldView } from '../engine/world';
import type { Order } from '../engine/order';
import { partOf, type Call, type RoutesOf } from './call';

const ORDERS_PAGE = { standard: 50, max: 200 };
const FILLS_PAGE = { standard: 50, max: 200 };
const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
const SAFE_KEY = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export const orderRoutes: RoutesOf<'order' | 'fill'> = {
	'order.create'({ headers, body, account, apply, requireFree }) {
		const { idempotency_key: bodyKey, ...fields } = body;
		const key = requireKey(headers['idempotency-key']);
		if (bodyKey !== undefined && bodyKey !== null && bodyKey !== key) {
			throw invalid('idempotency_key_mismatch', 'The Idempotency-Key header and idempotency_key of the body differ.');
		}
		requireFree(account, key);
		const fingerprint = fingerprintOf('order_create', fields);
		return {
			data: apply({ kind: 'order_create', accountId: account.id, fields: knownFields(fields), key, fingerprint }).data,
			created: true,
		};
	},

	'order.get'({ world, account, params, dialect }) {
		const order = world.state.orders.get(params.order_id as string);
		if (!order || order.accountId !== account.id) throw notFound('unknown_order', 'The account has no such order.');
		const record = recordOf(world, order);
		if (dialect.order === 'wrapped') return { data: { order: record } };
		if (dialect.order === 'order_id') {
			const { id, ...others } = record;
			return { data: { order_id: id, ...others } };
		}
		return { data: record };
	},

	'order.list'(call) {
		const { count, orders } = listed(call);
		const records = orders.map((order) => recordOf(call.world, order));
		return { data: { count: call.dialect.count === 'total' ? count : records.length, orders: records } };
	},

	'fill.list'({ world, account, query, dialect }) {
		const wanted = { pairId: query.get('pair_id') ?? undefined, orderId: query.get('order_id') ?? undefined };
		const { count, fills: page } = fillsOf(account, wanted, partOf(query, FILLS_PAGE));
		const fills = page.map((fill) => fillRecord(fill, marketOf(world, fill.pairId).rules));
		return { data: dialect.lists === 'bare' ? fills : { fills, count } };
	},
};

const recordOf = (world: WorldView, order: Order) => orderRecord(order, marketOf(world, order.pairId).rules);

export function requireKey(key: unknown): string {
	if (typeof key !== 'string' || key === '')
		throw invalid('idempotency_key_required', 'Order writes need an Idempotency-Key.');
	if (key.length > IDEMPOTENCY_KEY_CHARACTERS_MAX || !SAFE_KEY.test(key)) {
		throw invalid(
			'invalid_idempotency_key',
			`An idempotency key has at most ${IDEMPOTENCY_KEY_CHARACTERS_MAX} plain characters.`,
		);
	}
	return key;
}

/** The account's orders that match the filters, newest first, without those too new for a lagging list. */
function listed({ world, state, account, query }: Call): ReturnType<typeof ordersOf> {
	const [status, pairId] = [query.get('status'), query.get('pair_id')];
	if (status !== null && !Object.hasOwn(orderStatuses, status))
		throw invalid('invalid_status', 'status is not an order status.');
	if (pairId !== null) marketOf(world, pairId);
	const { listLagMs } = state.settings;
	const until = listLagMs > 0 ? state.now - listLagMs : undefined;
	const wanted = { status: status ?? undefined, pairId: pairId ?? undefined, until };
	return ordersOf(world, account, wanted, partOf(query, ORDERS_PAGE));
}
