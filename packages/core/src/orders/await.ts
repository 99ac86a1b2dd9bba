import { finality, orderRank } from '../catalogue';
import type { CallContext, Read } from '../context';
import { compare, isDecimal, isZero } from '../decimal';
import { type ExchangeError, isExchangeError } from '../errors';
import type { Ports } from '../ports';
import { firstWithin, type Item, orderIn, textOf } from '../wire/payload';
import { wakeup, type WakeupSource } from './wakeup';

/** Delays between reads of the order while the stream is silent. */
const POLL_MS_FIRST = 250;
const POLL_MS_MAX = 5_000;

export type Goal = 'accepted' | 'final';

/** The result of a wait. */
export interface WaitReport {
	until: Goal;
	reached: boolean;
	/** Why it ended. `expired` ends a wait, and nobody says whether it is final. */
	ended: 'reached' | 'rejected' | 'cancelled' | 'time_limit' | 'stopped' | 'expired' | 'unreadable';
	waited_seconds: number;
	/** Reads that were older than what was known. */
	stale_readings: number;
	/** Why the order could not be read, where that is so. */
	problem?: string;
}

export interface AwaitedOrder {
	orderId: string;
	until: Goal;
	limitMs: number;
	read: Read;
	ports: Pick<Ports, 'clock'>;
	context: CallContext;
	wakeups?: WakeupSource;
}

/** Waits until an order has reached a status, or for the time limit. Never throws for what the service answers. */
export async function awaitOrder(waiting: AwaitedOrder): Promise<{ order?: Item; wait: WaitReport }> {
	const { until, limitMs, ports, context } = waiting;
	const beganAt = ports.clock.elapsed();
	const pause = wakeup(waiting.wakeups);
	let seen: Seen = { stale: 0 };
	try {
		for (let polls = 0; ; polls += 1) {
			seen = await poll(waiting, seen);
			const waited = ports.clock.elapsed() - beganAt;
			const ended = endOf(seen, until, context) ?? (waited >= limitMs ? 'time_limit' : undefined);
			if (ended) return { order: seen.order, wait: report(until, ended, waited, seen) };
			const delayMs = Math.min(POLL_MS_MAX, POLL_MS_FIRST * 2 ** polls, limitMs - waited);
			await pause.orAfter(delayMs, ports.clock, context.signal);
			pause.rang();
		}
	} finally {
		pause.close();
	}
}

interface Seen {
	order?: Item;
	problem?: ExchangeError;
	stale: number;
}

/** Something just created may not be found for a moment, so a failed reading only means: later. */
async function poll({ orderId, read, context }: AwaitedOrder, before: Seen): Promise<Seen> {
	try {
		const order = orderIn(await read('order.get', { order_id: orderId }, context));
		if (!order) return before;
		return isBehind(order, before.order) ? { ...before, stale: before.stale + 1 } : { order, stale: before.stale };
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { ...before, problem: error };
	}
}

function endOf({ order, problem }: Seen, until: Goal, { signal }: CallContext): WaitReport['ended'] | undefined {
	const status = textOf(order, 'status');
	if (status === 'rejected') return 'rejected';
	// An order that was never seen in the book and left it unfilled may not have been accepted at all.
	if (until === 'accepted' && status === 'cancelled' && isUnfilled(order!)) return 'cancelled';
	if (status !== undefined && isReached(status, until)) return 'reached';
	if (signal?.aborted) return 'stopped';
	if (status !== undefined && finality(status) === 'unknown') return 'expired';
	return problem && ['unauthorized', 'forbidden'].includes(problem.code) ? 'unreadable' : undefined;
}

const isReached = (status: string, until: Goal): boolean =>
	finality(status) === 'final' || (until === 'accepted' && ['accepted', 'partially_filled'].includes(status));

const report = (until: Goal, ended: WaitReport['ended'], waitedMs: number, { problem, stale }: Seen): WaitReport => ({
	until,
	reached: ended === 'reached' || (ended === 'rejected' && until === 'final'),
	ended,
	waited_seconds: Math.round(waitedMs / 100) / 10,
	stale_readings: stale,
	...(problem ? { problem: problem.summary } : {}),
});

/** A quantity that is not shown is not a quantity of nothing. */
export const isUnfilled = ({ filled_quantity: filled }: Item): boolean => isDecimal(filled) && isZero(filled);

/**
 * Whether a reading of an order is behind what is known already: a copy of the service may lag, and an order never goes
 * back. Of a status never heard of nobody can say, so it counts as news.
 */
function isBehind(seen: Item, known: Item | undefined): boolean {
	if (!known) return false;
	const [was, is] = [orderRank(textOf(known, 'status') ?? ''), orderRank(textOf(seen, 'status') ?? '')];
	if (was !== undefined && is !== undefined && is < was) return true;
	const [had, has] = [known.filled_quantity, seen.filled_quantity];
	return isDecimal(had) && isDecimal(has) && compare(has, had) < 0;
}

/** Where a rejection may carry its reason; the interface says that there is one, not where. */
const reasonNames = [
	'rejection_reason',
	'reject_reason',
	'rejected_reason',
	'reason',
	'status_reason',
	'error_message',
	'message',
	'error',
	'public_message',
];

/** The public message of a rejected order, which a person must see. (Interface, part 7.) */
export function rejectionOf(order: Item): string | undefined {
	if (textOf(order, 'status') !== 'rejected') return undefined;
	return firstWithin(order, reasonNames, ['rejection', 'error', 'reason']) ?? 'The service gave no reason';
}
