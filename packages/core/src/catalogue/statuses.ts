/** Order statuses and whether each is final; for `expired` the interface does not say. (Interface, part 3.) */
export const orderStatuses = {
	pending: 'open',
	accepted: 'open',
	partially_filled: 'open',
	filled: 'final',
	cancelled: 'final',
	rejected: 'final',
	expired: 'unknown',
} as const;

/** The statuses of an order that is not over yet, in the order it takes them. */
export const openStatuses = (Object.keys(orderStatuses) as (keyof typeof orderStatuses)[]).filter(
	(status) => orderStatuses[status] === 'open',
);

/** What a filter calls the statuses, and all those together in which an order is open. */
export const orderStatusLabels = {
	open: { label: 'Open (All of Them)' },
	pending: { label: 'Pending' },
	accepted: { label: 'Accepted' },
	partially_filled: { label: 'Partially Filled' },
	filled: { label: 'Filled' },
	cancelled: { label: 'Cancelled' },
	rejected: { label: 'Rejected' },
	expired: { label: 'Expired' },
};

/**
 * The progress of an order in each status. Events and lookups overtake each other and an order never goes back, so a
 * lower rank is older data. `expired` ranks before the final statuses, because it may not be final.
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

/** How far an order is in a status; a lower rank is older data. Undefined for an undocumented status. */
export const orderRank = (status: string): number | undefined => {
	const meant = statusMeant(status);
	return Object.hasOwn(orderRanks, meant) ? orderRanks[meant as keyof typeof orderRanks] : undefined;
};

/**
 * The status that a service means by a word: in letters of any case, with spaces or dashes, and in the American spelling.
 * What is told stays as the service wrote it; what is decided is decided by this.
 */
export function statusMeant(status: string): string {
	if (Object.hasOwn(orderStatuses, status)) return status;
	const word = status
		.trim()
		.toLowerCase()
		.replace(/[\s-]+/g, '_');
	return word === 'canceled' ? 'cancelled' : word;
}

/**
 * Whether an order status is final. `open` for an undocumented one: it is reported, and waited on until the caller's
 * deadline.
 */
export const finality = (status: string): 'open' | 'final' | 'unknown' => finalities.get(statusMeant(status)) ?? 'open';

const finalities = new Map<string, 'open' | 'final' | 'unknown'>(Object.entries(orderStatuses));

/** Transaction statuses and whether each is final. (Interface, part 3.) */
export const transactionStatuses = {
	pending: 'open',
	completed: 'final',
	failed: 'final',
	cancelled: 'final',
} as const;

/** Whether a transaction status is final. Undefined for an undocumented one, which may still change. */
export const transactionFinality = (status: string): 'open' | 'final' | undefined =>
	transactionFinalities.get(statusMeant(status));

const transactionFinalities = new Map<string, 'open' | 'final'>(Object.entries(transactionStatuses));

/** Order types. (Interface, part 3.) */
export const orderTypes = ['limit', 'market'] as const;
/** The sides of the book, seen from who places the order. (Interface, part 2.) */
export const sides = ['buy', 'sell'] as const;
/**
 * How long an order stays in force: until cancelled, immediate-or-cancel, fill-or-kill, post-only. (Interface, part 3.)
 */
export const timesInForce = ['GTC', 'IOC', 'FOK', 'POST_ONLY'] as const;
