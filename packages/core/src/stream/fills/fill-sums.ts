import { add, compare } from '../../decimal';
import { SUMMED_FILLS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/**
 * What the fills of each order add up to: a plain value, which `addUp` alone changes. The older half is forgotten whole.
 * So a fill is forgotten no later than the sum it is in, and is never missing in a sum that begins anew.
 */
export interface FillSums {
	latest: Half;
	earlier: Half;
}

interface Half {
	/** Keys of the fills that were added up, each of which may come several times. */
	keys: Set<string>;
	/** By order. */
	sums: Map<string, FillSum>;
}

interface FillSum {
	quantity: string;
	fills: number;
}

const NONE: FillSum = { quantity: '0', fills: 0 };

const newHalf = (): Half => ({ keys: new Set(), sums: new Map() });

export const newFillSums = (): FillSums => ({ latest: newHalf(), earlier: newHalf() });

/** Adds a fill to the sum of its order, once, whatever the order of arrival. */
export function addUp(state: FillSums, { key, aliases = [], fill }: TopicEvent): void {
	if (!fill) return;
	const { latest, earlier } = state;
	const { quantity, fills } = sumOf(state, fill.orderId);
	// A copy of a fill may carry other identifiers, so all its keys are compared.
	const keys = [key, ...aliases];
	const isNew = !keys.some((name) => latest.keys.has(name) || earlier.keys.has(name));
	for (const name of keys) latest.keys.add(name);
	latest.sums.set(
		fill.orderId,
		isNew ? { quantity: add(quantity, fill.quantity), fills: fills + 1 } : { quantity, fills },
	);
	if (latest.keys.size < SUMMED_FILLS_MAX / 2) return;
	state.earlier = latest;
	state.latest = newHalf();
}

export const sumOf = ({ latest, earlier }: FillSums, orderId: string): FillSum =>
	latest.sums.get(orderId) ?? earlier.sums.get(orderId) ?? NONE;

/** Whether the fills add up to less than the filled quantity of the order. */
export const isShort = (state: FillSums, orderId: string, filled: string): boolean =>
	compare(sumOf(state, orderId).quantity, filled) < 0;
