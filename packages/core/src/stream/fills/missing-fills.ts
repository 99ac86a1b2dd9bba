import { inBackground } from '../../background';
import type { IncompleteFillsNotice } from '../../catalogue';
import { compare, subtract } from '../../decimal';
import { textOf, type Item } from '../../wire/payload';
import type { Clock } from '../../ports';
import { isFinal, type OrderFacts, type TopicEvent } from '../topics/event';
import {
	FILLS_FOLLOW_MS_MAX,
	INCOMPLETE_ORDERS_MAX,
	ORDER_FILLS_READ_MS,
	ORDER_FILLS_READS_MAX,
	READ_SPACING_MS,
} from '../limits';
import type { StreamPolicy } from '../policy';
import { createWake } from '../wake';
import { addUp, isShort, newFillSums, sumOf } from './fill-sums';

/** An order whose fills do not add up to its filled quantity. */
interface IncompleteFills extends Pick<IncompleteFillsNotice, 'order_id' | 'expected' | 'counted'> {
	/** Since when, in milliseconds since 1970. */
	since: number;
	/** Whether the order was reported, because reading its fills did not complete the sum. */
	isReported: boolean;
}

/** Compares the fills of each order with its filled quantity, reads missing fills, and reports what stays missing. */
export interface MissingFills {
	/** Adds fills, live or read over REST. */
	count(events: readonly TopicEvent[]): void;
	/** Updates of orders, whose filled quantities the fills have to reach. */
	expect(events: readonly TopicEvent[]): void;
	incomplete(): IncompleteFills[];
	close(): void;
}

export interface MissingFillsPorts {
	clock: Clock;
	policy: Pick<StreamPolicy, 'fillsLateMs'>;
	/** Whether `user.fills` is subscribed. */
	isWanted(): boolean;
	/** Whether `user.orders` is subscribed. Fills from before are not counted, and are read where the sum lacks them. */
	isCompared(): boolean;
	/** Reads the newest fills, which usually include the missing ones. */
	reconcile(): void;
	/** Reads every fill of one order and offers the new ones. */
	readFills(orderId: string, signal: AbortSignal): Promise<void>;
	tell(key: string, notice: IncompleteFillsNotice, order: Item | undefined): void;
}

interface Pending {
	order: Pick<OrderFacts, 'id' | 'status'>;
	data: Item | undefined;
	expected: string;
	/** Since when its fills do not add up, and since when this quantity is expected. */
	since: number;
	heardAt: number;
	/** When the newest fills are read, and when those of the order. Neither once the order was reported. */
	reconcileAt?: number;
	readAt?: number;
	reads: number;
	/** Its fills add up. They may be those of a later quantity, so until the order was to be read it is not forgotten. */
	isMet: boolean;
}

export function createMissingFills(ports: MissingFillsPorts): MissingFills {
	const { clock, policy } = ports;
	const sums = newFillSums();
	const pending = new Map<string, Pending>();
	const wake = createWake(clock, () => inBackground(look()));
	/** Until when no order is read: for ever, while one is. */
	let restsUntil = 0;
	const closed = new AbortController();

	function expectFills({ order, item }: TopicEvent): void {
		if (!order?.filled || !ports.isWanted()) return;
		const before = pending.get(order.id);
		// Updates may arrive out of order, so only a final one may lower the filled quantity.
		const isLess = before !== undefined && compare(order.filled, before.expected) < 0 && !isFinal(order.status);
		const expected = isLess ? before.expected : order.filled;
		if (!isShort(sums, order.id, expected)) return void pending.delete(order.id);
		if (before && before.expected === expected) return;
		const now = clock.now();
		const { id, status } = order;
		// Further fills of an order do not postpone the reading of those that are missing.
		const { reconcileAt = now + FILLS_FOLLOW_MS_MAX, readAt = now + policy.fillsLateMs } = before ?? {};
		const since = before?.readAt === undefined ? now : before.since;
		const incomplete = {
			order: { id, status },
			data: item,
			expected,
			since,
			heardAt: now,
			reconcileAt,
			readAt,
			reads: 0,
			isMet: false,
		};
		pending.delete(id);
		pending.set(id, before ? Object.assign(before, incomplete) : incomplete);
		if (pending.size > INCOMPLETE_ORDERS_MAX) pending.delete(pending.keys().next().value!);
		arm();
	}

	function met(incomplete: Pending): void {
		if (incomplete.readAt === undefined || isFinal(incomplete.order.status)) pending.delete(incomplete.order.id);
		else incomplete.isMet = true;
	}

	function arm(): void {
		if (closed.signal.aborted) return wake(undefined);
		const at = [...pending.values()].map(({ reconcileAt = Infinity, readAt = Infinity }) =>
			Math.min(reconcileAt, Math.max(readAt, restsUntil)),
		);
		const next = Math.min(...at);
		wake(next < Infinity ? next : undefined);
	}

	/** Reads one order at a time, with pauses, so that many incomplete orders do not use up the rate limit. */
	async function look(): Promise<void> {
		const now = clock.now();
		const overdue = [...pending.values()].filter(({ reconcileAt = Infinity }) => reconcileAt <= now);
		for (const incomplete of overdue) incomplete.reconcileAt = undefined;
		if (overdue.some(({ isMet }) => !isMet)) ports.reconcile();
		const due = [...pending.values()].filter(({ readAt = Infinity }) => readAt <= now);
		for (const { order, isMet } of due) if (isMet) pending.delete(order.id);
		const first = due.find(({ isMet }) => !isMet);
		if (first && restsUntil <= now) {
			restsUntil = Infinity;
			arm();
			await readFills(first);
			restsUntil = clock.now() + READ_SPACING_MS;
		}
		arm();
	}

	async function readFills(incomplete: Pending): Promise<void> {
		const { id } = incomplete.order;
		incomplete.reads += 1;
		const isRead = await ports.readFills(id, closed.signal).then(
			() => true,
			() => false,
		);
		if (closed.signal.aborted || pending.get(id) !== incomplete) return;
		if (incomplete.isMet) return void pending.delete(id);
		incomplete.readAt = undefined;
		if (!isRead && incomplete.reads < ORDER_FILLS_READS_MAX) {
			incomplete.readAt = clock.now() + ORDER_FILLS_READ_MS * 2 ** incomplete.reads;
			return;
		}
		// The fills behind the latest quantity may still be on their way.
		const isEarly = clock.now() < incomplete.heardAt + policy.fillsLateMs;
		if (isEarly)
			return void Object.assign(incomplete, {
				since: incomplete.heardAt,
				readAt: incomplete.heardAt + policy.fillsLateMs,
				reads: 0,
			});
		const notice = noticeOf(incomplete, isRead ? 'read' : 'reading_failed');
		ports.tell(`incomplete_fills:${id}:${incomplete.expected}:${notice.counted}`, notice, incomplete.data);
	}

	function noticeOf({ order, data, expected }: Pending, done: IncompleteFillsNotice['done']): IncompleteFillsNotice {
		const { quantity: counted, fills } = sumOf(sums, order.id);
		return {
			...{ order_id: order.id, pair_id: (data && textOf(data, 'pair_id')) ?? null, expected, counted },
			...{ missing: subtract(expected, counted), fills_known: fills, done },
		};
	}

	return {
		count: (events) => {
			// Orders that nobody follows any more may still wait for their fills.
			if (pending.size === 0 && !ports.isCompared()) return;
			for (const event of events) addUp(sums, event);
			if (pending.size === 0) return;
			for (const { fill } of events) {
				const before = fill && pending.get(fill.orderId);
				if (before && !isShort(sums, fill.orderId, before.expected)) met(before);
			}
		},
		expect: (events) => events.forEach(expectFills),
		incomplete: () =>
			[...pending.values()]
				.filter(({ isMet }) => !isMet)
				.map(({ order, expected, since, readAt }) => ({
					...{ order_id: order.id, expected, counted: sumOf(sums, order.id).quantity },
					...{ since, isReported: readAt === undefined },
				})),
		close: () => {
			closed.abort();
			wake(undefined);
		},
	};
}
