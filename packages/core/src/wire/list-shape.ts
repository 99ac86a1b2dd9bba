/** The order of a list by time. The interface does not show it, so it is learned from the rows. */
type ListOrder = 'newest_first' | 'oldest_first' | 'unknown';

/** What is learned about a list and kept between walks. */
export interface ListShape {
	order: ListOrder;
	/** Number of rows when the end of the list was last seen. */
	end?: number;
	/** Pairs of rows in which the later row is newer (rising) or older (falling). */
	rising: number;
	falling: number;
	/** Some rows contradicted the learned order, so the list counts as unordered from then on. */
	isContradicted?: boolean;
}

export const unknownShape = (): ListShape => ({ order: 'unknown', rising: 0, falling: 0 });

/** Largest disorder by time that an ordered list may show: concurrent inserts overtake each other. */
export const DISORDER_MS_MAX = 60_000;
/** Share of the compared pairs that has to agree on an order. */
const AGREEMENT = 0.7;
/** Above this number of pairs the old ones lose weight, so that a changed order is noticed. */
const PAIRS_MAX = 2_000;

/** Learns the order of the list. Neighbours in the wrong order and far apart in time contradict it for good. */
export function learnOrder(shape: ListShape, times: readonly number[]): void {
	const steps = times.slice(1).map((time, index) => time - times[index]!);
	// Neighbours may share a time or overtake each other, so rows half a page apart are compared.
	const half = Math.ceil(times.length / 2);
	const strides = times.slice(half).map((time, index) => time - times[index]!);
	const keeps = shape.rising + shape.falling > PAIRS_MAX ? 0.5 : 1;
	shape.rising = shape.rising * keeps + strides.filter((stride) => stride > 0).length;
	shape.falling = shape.falling * keeps + strides.filter((stride) => stride < 0).length;
	const needed = AGREEMENT * (shape.rising + shape.falling);
	const order = shape.falling > needed ? 'newest_first' : shape.rising > needed ? 'oldest_first' : 'unknown';
	const sign = order === 'newest_first' ? -1 : 1;
	if (order !== 'unknown' && steps.some((step) => sign * step < -DISORDER_MS_MAX)) shape.isContradicted = true;
	shape.order = shape.isContradicted ? 'unknown' : order;
}
