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
import { createFillSums } from './fill-sums';

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
	since: number;
	/** The next step, due `at`; `none` once the order was reported. */
	next: 'reconcile' | 'read' | 'none';
	at: number;
	reads: number;
}

export function createMissingFills(ports: MissingFillsPorts): MissingFills {
	const { clock, policy } = ports;
	const sums = createFillSums();
	const pending = new Map<string, Pending>();
	let cancel: (() => void) | undefined;
	let isBusy = false;
	let restsUntil = 0;
	const closed = new AbortController();

	function note({ order, item }: TopicEvent): void {
		if (!order?.filled || !ports.isWanted()) return;
		const known = pending.get(order.id);
		// Updates may arrive out of order, so only a final one may lower the filled quantity.
		const isLess = known !== undefined && compare(order.filled, known.expected) < 0 && !isFinal(order.status);
		const expected = isLess ? known.expected : order.filled;
		if (!sums.isShort(order.id, expected)) return void pending.delete(order.id);
		if (known && known.expected === expected) return;
		const now = clock.now();
		const { id, status } = order;
		pending.delete(id);
		pending.set(id, {
			...{ order: { id, status }, data: item, expected, since: now },
			...{ next: 'reconcile', at: now + FILLS_FOLLOW_MS_MAX, reads: 0 },
		});
		if (pending.size > INCOMPLETE_ORDERS_MAX) pending.delete(pending.keys().next().value!);
		arm();
	}

	function arm(): void {
		cancel?.();
		cancel = undefined;
		if (isBusy || closed.signal.aborted) return;
		const waiting = [...pending.values()].filter(({ next }) => next !== 'none');
		const due = waiting.map(({ next, at }) => (next === 'read' ? Math.max(at, restsUntil) : at));
		if (due.length === 0) return;
		cancel = clock.after(Math.max(0, Math.min(...due) - clock.now()), () => inBackground(look()));
	}

	/** Reads one order at a time, with pauses, so that many incomplete orders do not use up the rate limit. */
	async function look(): Promise<void> {
		const due = [...pending.values()].filter(({ next, at }) => next !== 'none' && at <= clock.now());
		const asked = due.filter(({ next }) => next === 'reconcile');
		for (const one of asked) Object.assign(one, { next: 'read', at: one.since + policy.fillsLateMs });
		if (asked.length > 0) ports.reconcile();
		const first = due.find((one) => !asked.includes(one));
		isBusy = true;
		if (first && restsUntil <= clock.now()) {
			await readFills(first);
			restsUntil = clock.now() + READ_SPACING_MS;
		}
		isBusy = false;
		arm();
	}

	async function readFills(one: Pending): Promise<void> {
		const { id } = one.order;
		one.reads += 1;
		const isRead = await ports.readFills(id, closed.signal).then(
			() => true,
			() => false,
		);
		if (closed.signal.aborted || pending.get(id) !== one) return;
		if (!isRead && one.reads < ORDER_FILLS_READS_MAX) {
			one.at = clock.now() + ORDER_FILLS_READ_MS * 2 ** one.reads;
			return;
		}
		one.next = 'none';
		const notice = noticeOf(one, isRead ? 'read' : 'reading_failed');
		ports.tell(`incomplete_fills:${id}:${one.expected}:${notice.counted}`, notice, one.data);
	}

	function noticeOf({ order, data, expected }: Pending, done: IncompleteFillsNotice['done']): IncompleteFillsNotice {
		const { quantity: counted, fills } = sums.of(order.id);
		return {
			...{ order_id: order.id, pair_id: (data && textOf(data, 'pair_id')) ?? null, expected, counted },
			...{ missing: subtract(expected, counted), fills_known: fills, done },
		};
	}

	return {
		count: (events) => {
			if (!ports.isCompared()) return;
			events.forEach(sums.take);
			if (pending.size === 0) return;
			for (const { fill } of events) {
				const known = fill && pending.get(fill.orderId);
				if (known && !sums.isShort(fill.orderId, known.expected)) pending.delete(fill.orderId);
			}
		},
		expect: (events) => events.forEach(note),
		incomplete: () =>
			[...pending.values()].map(({ order, expected, since, next }) => ({
				...{ order_id: order.id, expected, counted: sums.of(order.id).quantity },
				...{ since, isReported: next === 'none' },
			})),
		close: () => {
			closed.abort();
			cancel?.();
		},
	};
}
