import type { IncompleteFillsNotice } from '../../catalogue';
import { compare, subtract } from '../../decimal';
import { textOf } from '../../wire/payload';
import {
	FILLS_FOLLOW_MS_MAX,
	INCOMPLETE_ORDERS_MAX,
	ORDER_FILLS_READ_MS,
	ORDER_FILLS_READS_MAX,
	READ_SPACING_MS,
} from '../limits';
import { isFinal, type TopicEvent } from '../topics/event';
import { addUp, isShort, sumOf, type FillSums } from './fill-sums';
import type { FillsState, ShortOrder } from './state';

type Done = IncompleteFillsNotice['done'];

/** Adds a fill, live or read over REST. */
export function onFill({ sums, short }: FillsState, event: TopicEvent): void {
	addUp(sums, event);
	const order = event.fill && short.get(event.fill.orderId);
	if (!order || isShort(sums, order.id, order.expected)) return;
	if (order.readAt === undefined || order.isFinal) short.delete(order.id);
}

/** An update of an order, whose filled quantity the fills have to reach. */
export function onOrder(state: FillsState, { order, item = {} }: TopicEvent, now: number): void {
	const { sums, short, lateMs } = state;
	if (!order?.filled) return;
	const { id, filled, status } = order;
	const before = short.get(id);
	// Updates may arrive out of order, so only a final one may lower the filled quantity.
	const isLess = before !== undefined && compare(filled, before.expected) < 0 && !isFinal(status);
	const expected = isLess ? before.expected : filled;
	if (!isShort(sums, id, expected)) return void short.delete(id);
	if (before?.expected === expected) return;
	short.delete(id);
	short.set(id, {
		id,
		isFinal: isFinal(status),
		filterable: { pair_id: item.pair_id, side: item.side },
		expected,
		since: before?.readAt === undefined ? now : before.since,
		heardAt: now,
		// Further fills of an order do not postpone the reading of those that are missing.
		newestReadAt: before?.newestReadAt ?? now + FILLS_FOLLOW_MS_MAX,
		readAt: before?.readAt ?? now + lateMs,
		reads: 0,
	});
	if (short.size > INCOMPLETE_ORDERS_MAX) short.delete(short.keys().next().value!);
}

/**
 * Whether to read the newest fills, which usually include the missing ones, and of which order to read every fill. Orders
 * are read one at a time, with pauses, so that many short ones do not use up the rate limit.
 */
export function onWoken(state: FillsState, now: number): { isNewestDue: boolean; orderId?: string } {
	const orders = [...state.short.values()];
	const isMissing = ({ id, expected }: ShortOrder): boolean => isShort(state.sums, id, expected);
	const overdue = orders.filter(({ newestReadAt = Infinity }) => newestReadAt <= now);
	for (const order of overdue) order.newestReadAt = undefined;
	const due = orders.filter(({ readAt = Infinity }) => readAt <= now);
	for (const order of due) if (!isMissing(order)) state.short.delete(order.id);
	const first = state.readsFrom <= now ? due.find(isMissing) : undefined;
	if (first) {
		first.reads += 1;
		state.readsFrom = Infinity;
	}
	return { isNewestDue: overdue.some(isMissing), orderId: first?.id };
}

/** The fills of an order were read, or could not be. Returns the notice where they do not complete the sum. */
export function onRead(state: FillsState, orderId: string, done: Done, now: number): TopicEvent | undefined {
	state.readsFrom = now + READ_SPACING_MS;
	const order = state.short.get(orderId);
	if (!order) return undefined;
	// The fills behind the latest quantity may still be on their way.
	const lateAt = order.heardAt + state.lateMs;
	order.readAt = undefined;
	if (!isShort(state.sums, orderId, order.expected)) state.short.delete(orderId);
	else if (done === 'reading_failed' && order.reads < ORDER_FILLS_READS_MAX)
		order.readAt = now + ORDER_FILLS_READ_MS * 2 ** order.reads;
	else if (now < lateAt) Object.assign(order, { since: order.heardAt, readAt: lateAt, reads: 0 });
	else return noticeOf(order, state.sums, done);
	return undefined;
}

function noticeOf({ id, expected, filterable }: ShortOrder, sums: FillSums, done: Done): TopicEvent {
	const { quantity: counted, fills } = sumOf(sums, id);
	const data: IncompleteFillsNotice = {
		...{ order_id: id, pair_id: textOf(filterable, 'pair_id') ?? null, expected, counted },
		...{ missing: subtract(expected, counted), fills_known: fills, done },
	};
	return { key: `incomplete_fills:${id}:${expected}:${counted}`, kind: 'incomplete_fills', data, item: filterable };
}

/** When the next `onWoken` is due. */
export function wakesAt({ short, readsFrom }: FillsState): number | undefined {
	const moments = [...short.values()].map(({ newestReadAt = Infinity, readAt = Infinity }) =>
		Math.min(newestReadAt, Math.max(readAt, readsFrom)),
	);
	const soonest = Math.min(...moments);
	return Number.isFinite(soonest) ? soonest : undefined;
}
