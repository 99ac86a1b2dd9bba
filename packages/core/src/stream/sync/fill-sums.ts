import { add, compare } from '../../decimal';
import { createBoundedMap, createBoundedSet } from '../delivery/bounded';
import { ORDERS_MAX, REMEMBERED_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/** What the fills of each order add up to, each fill once, in whatever order they come. */
export interface FillSums {
	/** Counts a fill; answers the order it belongs to, unless it was counted before. */
	count(event: TopicEvent): string | undefined;
	of(orderId: string): FillSum;
	/** Whether less was counted than an order says was filled. */
	isShort(orderId: string, filled: string): boolean;
}

interface FillSum {
	quantity: string;
	fills: number;
}

const NONE: FillSum = { quantity: '0', fills: 0 };

export function createFillSums(): FillSums {
	const counted = createBoundedSet(REMEMBERED_MAX);
	const sums = createBoundedMap<string, FillSum>(ORDERS_MAX);
	const of = (orderId: string): FillSum => sums.get(orderId) ?? NONE;

	/** A copy of a fill may show other identifiers. */
	function isNew({ key, aliases }: TopicEvent): boolean {
		let isNewByAll = counted.add(key);
		if (aliases) for (const alias of aliases) isNewByAll = counted.add(alias) && isNewByAll;
		return isNewByAll;
	}

	return {
		count: (event) => {
			const { fill } = event;
			if (!fill || !isNew(event)) return undefined;
			const known = sums.get(fill.orderId);
			const quantity = known ? add(known.quantity, fill.quantity) : fill.quantity;
			sums.set(fill.orderId, { quantity, fills: (known?.fills ?? 0) + 1 });
			return fill.orderId;
		},
		of,
		isShort: (orderId, filled) => compare(of(orderId).quantity, filled) < 0,
	};
}
