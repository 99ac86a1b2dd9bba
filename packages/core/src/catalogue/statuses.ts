/** Order statuses and whether each is final; of `expired` nobody says. (Interface, part 3.) */
export const orderStatuses = {
	pending: 'open',
	accepted: 'open',
	partially_filled: 'open',
	filled: 'final',
	cancelled: 'final',
	rejected: 'final',
	expired: 'unknown',
} as const;

/**
 * How far an order is in each status. Updates and lookups overtake each other, and an order never goes back, so a lower rank is an
 * older look at it. `expired` stands before the ends, because nobody says whether it is one.
 */
const orderRanks: Readonly<Record<keyof typeof orderStatuses, number>> = {
	pending: 0,
	accepted: 1,
	partially_filled: 2,
	expired: 3,
	filled: 4,
	cancelled: 4,
	rejected: 4,
};

/** Nothing for a status never heard of, of which nobody can say. */
export const orderRank = (status: string): number | undefined =>
	Object.hasOwn(orderRanks, status) ? orderRanks[status as keyof typeof orderRanks] : undefined;

/** Words of acknowledgements. They are never an order's status. (Interface, part 3.) */
export const interimStatuses = ['cancelling', 'replacing'] as const;

export const transactionStatuses = {
	pending: 'open',
	completed: 'final',
	failed: 'final',
	cancelled: 'final',
} as const;

/** 'open' for a status never heard of: it is reported and waited on, bounded by the caller's deadline. */
export const finality = (status: string): 'open' | 'final' | 'unknown' => finalities.get(status) ?? 'open';

const finalities = new Map<string, 'open' | 'final' | 'unknown'>(Object.entries(orderStatuses));

export const orderTypes = ['limit', 'market'] as const;
export const timesInForce = ['GTC', 'IOC', 'FOK', 'POST_ONLY'] as const;
