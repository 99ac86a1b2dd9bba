import { add, compare } from '../../decimal';
import { createBoundedMap, createBoundedSet } from '../ledger/bounded';
import { ORDERS_MAX, SUMMED_FILLS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/** Sums the fills of each order, each fill once, whatever the order of their arrival. */
export interface FillSums {
	/** Records a fill. Sums are computed on demand, because subscribers of fills alone never need them. */
	take(event: TopicEvent): void;
	of(orderId: string): FillSum;
	/** Whether the fills add up to less than the filled quantity of the order. */
	isShort(orderId: string, filled: string): boolean;
}

interface FillSum {
	quantity: string;
	fills: number;
}

/** A fill that is not summed yet. */
type Summand = Pick<TopicEvent, 'key' | 'aliases'> & { fill: NonNullable<TopicEvent['fill']> };

const NONE: FillSum = { quantity: '0', fills: 0 };
/** Recorded fills are summed on demand. Of those not summed yet, at least this many of the latest are kept. */
const TAKEN_MAX = SUMMED_FILLS_MAX / 2;

export function createFillSums(): FillSums {
	const counted = createBoundedSet(SUMMED_FILLS_MAX);
	const sums = createBoundedMap<string, FillSum>(ORDERS_MAX);
	let [earlier, latest]: [Summand[], Summand[]] = [[], []];

	/** A copy of a fill may carry other identifiers, so all its keys are compared. */
	function isNew({ key, aliases }: Summand): boolean {
		let isNewByAll = counted.add(key);
		if (aliases) for (const alias of aliases) isNewByAll = counted.add(alias) && isNewByAll;
		return isNewByAll;
	}

	function addUp(summand: Summand): void {
		if (!isNew(summand)) return;
		const { orderId, quantity } = summand.fill;
		const sum = sums.get(orderId);
		sums.set(orderId, {
			quantity: sum ? add(sum.quantity, quantity) : quantity,
			fills: (sum?.fills ?? 0) + 1,
		});
	}

	function of(orderId: string): FillSum {
		earlier.forEach(addUp);
		latest.forEach(addUp);
		[earlier, latest] = [[], []];
		return sums.get(orderId) ?? NONE;
	}

	return {
		take: ({ key, aliases, fill }) => {
			if (!fill) return;
			if (latest.length >= TAKEN_MAX) [earlier, latest] = [latest, []];
			latest.push({ key, aliases, fill });
		},
		of,
		isShort: (orderId, filled) => compare(of(orderId).quantity, filled) < 0,
	};
}
