import { add, compare } from '../../decimal';
import type { Clock } from '../../ports';
import { isFinal, type TopicEvent } from '../topics/event';
import { ORDERS_MAX, REMEMBERED_MAX } from '../limits';
import { createBoundedMap, createBoundedSet } from '../delivery/bounded';

/** How long the fills of an order may take to follow it before they are looked for. */
const FOLLOW_MS_MAX = 2_000;

/** Compares what orders say was filled with the fills that were seen, and asks for those that are missing. */
export interface MissingFills {
	note(events: readonly TopicEvent[]): void;
	close(): void;
}

export function createMissingFills(clock: Clock, missing: () => void): MissingFills {
	const counted = createBoundedSet(REMEMBERED_MAX);
	const sums = createBoundedMap<string, string>(ORDERS_MAX);
	let due = new Map<string, string>();
	let cancel: (() => void) | undefined;

	const isShort = ([id, filled]: [string, string]): boolean => compare(sums.get(id) ?? '0', filled) < 0;

	function check(): void {
		cancel = undefined;
		const short = [...due].some(isShort);
		due = new Map();
		if (short) missing();
	}

	return {
		note: (events) => {
			for (const { key, fill, order } of events) {
				if (fill && counted.add(key)) {
					sums.set(fill.orderId, add(sums.get(fill.orderId) ?? '0', fill.quantity));
				}
				if (!order?.filled || !isFinal(order.status) || !isShort([order.id, order.filled])) continue;
				due.set(order.id, order.filled);
				cancel ??= clock.after(FOLLOW_MS_MAX, check);
			}
		},
		close: () => cancel?.(),
	};
}
