import { finality, orderRank, type WaitEnd } from '../catalogue';
import type { CallContext, Read } from '../context';
import { compare, isDecimal, isZero } from '../decimal';
import { type ExchangeError, isExchangeError, isOfKey } from '../errors';
import type { Ports } from '../ports';
import { filledText, instantOf, orderIdOf, statusOf, TEXT_LENGTH_MAX, textOf, type Item } from '../wire/payload';
import { reasonIn } from '../wire/reasons';
import { wakeup, type WakeupSource } from './wakeup';
import { predecessorOf, readOrder, successorOf } from './lookup';
import type { OrderList } from './log/order-list';

/** Delays between reads of the order while the stream is silent. */
const POLL_MS_FIRST = 250;
const POLL_MS_MAX = 5_000;

export type Goal = 'accepted' | 'final';

/** The result of a wait. */
export interface WaitReport {
	until: Goal;
	reached: boolean;
	ended: WaitEnd;
	waited_seconds: number;
	/** Reads that returned an older state of the order than an earlier read. */
	stale_readings: number;
	/** Why the order could not be read; absent when every read succeeded. */
	problem?: string;
}

export interface AwaitedOrder {
	orderId: string;
	until: Goal;
	limitMs: number;
	read: Read;
	list: Pick<OrderList, 'find'>;
	ports: Pick<Ports, 'clock'>;
	context: CallContext;
	wakeups?: WakeupSource;
	/** A cancel is about this order alone, whatever took its place. */
	isThisAlone?: boolean;
}

/**
 * A wait goes on in at most so many orders that replaced each other in turn. After them it waits for the last one it has.
 */
const REPLACED_MAX = 20;

/**
 * Waits until an order reaches a status or the time limit passes. Where somebody replaces the order meanwhile, what it
 * stands for goes on in its successor, so the wait goes on there. Never throws an error the service answered with.
 */
export async function awaitOrder(
	waiting: AwaitedOrder,
): Promise<{ order?: Item; replacedBy?: string; wait: WaitReport }> {
	const { until, limitMs, ports, context } = waiting;
	const beganAt = ports.clock.elapsed();
	const pause = wakeup(waiting.wakeups);
	let seen: Seen = { stale: 0 };
	let orderId = waiting.orderId;
	const left = new Set([orderId]);
	try {
		for (let polls = 0; ; polls += 1) {
			seen = await poll({ ...waiting, orderId }, seen);
			const successor = waiting.isThisAlone ? undefined : seen.order && (await successorIn(seen.order, waiting));
			if (successor !== undefined && !left.has(successor) && left.size <= REPLACED_MAX) {
				orderId = successor;
				left.add(successor);
				seen = { stale: seen.stale };
				polls = -1;
				continue;
			}
			const waited = ports.clock.elapsed() - beganAt;
			const ended = waitEnd(seen, until, context) ?? (waited >= limitMs ? 'time_limit' : undefined);
			const replacedBy = orderId === waiting.orderId ? undefined : orderId;
			if (ended) return { order: seen.order, replacedBy, wait: report(until, ended, waited, seen) };
			const delayMs = Math.min(POLL_MS_MAX, POLL_MS_FIRST * 2 ** polls, limitMs - waited);
			await pause.orAfter(delayMs, ports.clock, context.signal);
		}
	} finally {
		pause.close();
	}
}

/**
 * The order that took the place of another one. If the service shows it as cancelled, and only its successor says that
 * it was replaced, the list is asked once: a caller that gets a cancelled order may place it again.
 */
export async function successorIn(
	order: Item,
	{ list, context }: Pick<AwaitedOrder, 'list' | 'context'>,
): Promise<string | undefined> {
	const named = successorOf(order);
	if (named !== undefined || statusOf(order) !== 'cancelled') return named;
	const [id, since] = [orderIdOf(order), instantOf(order.created_at)];
	if (id === undefined || since === undefined) return undefined;
	try {
		const matches = (other: Item): boolean => predecessorOf(other) === id;
		const { orders } = await list.find({ matches, since, isThorough: true }, context.signal);
		return orderIdOf(orders[0]);
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return undefined;
	}
}

interface Seen {
	order?: Item;
	problem?: ExchangeError;
	stale: number;
}

/** A new order may not be readable at once, so a failed read is remembered as a problem and the poll goes on. */
async function poll({ orderId, read, context }: AwaitedOrder, before: Seen): Promise<Seen> {
	try {
		const order = await readOrder(read, orderId, context);
		if (!order) return before;
		return isBehind(order, before.order) ? { ...before, stale: before.stale + 1 } : { order, stale: before.stale };
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { ...before, problem: error };
	}
}

function waitEnd({ order, problem }: Seen, until: Goal, { signal }: CallContext): WaitEnd | undefined {
	const status = statusOf(order);
	if (status === 'rejected') return 'rejected';
	// A cancelled order with nothing filled, never seen in the book, may not have been accepted at all.
	if (until === 'accepted' && status === 'cancelled' && isUnfilled(order!)) return 'cancelled';
	if (status !== undefined && isReached(status, until)) return 'reached';
	if (signal?.aborted) return 'stopped';
	if (status !== undefined && finality(status) === 'unknown') return 'expired';
	return isOfKey(problem) ? 'unreadable' : undefined;
}

const isReached = (status: string, until: Goal): boolean =>
	finality(status) === 'final' || (until === 'accepted' && ['accepted', 'partially_filled'].includes(status));

const report = (until: Goal, ended: WaitEnd, waitedMs: number, { problem, stale }: Seen): WaitReport => ({
	until,
	reached: ended === 'reached' || (ended === 'rejected' && until === 'final'),
	ended,
	waited_seconds: Math.round(waitedMs / 100) / 10,
	stale_readings: stale,
	...(problem ? { problem: problem.summary } : {}),
});

/** A missing `filled_quantity` is unknown and does not count as zero. */
export const isUnfilled = ({ filled_quantity: filled }: Item): boolean => isDecimal(filled) && isZero(filled);

/**
 * Whether a read returned an older state than the one known: replicas of the service may lag, and the status of an
 * order never goes back. An undocumented status has no rank, so it counts as newer.
 */
function isBehind(seen: Item, latest: Item | undefined): boolean {
	if (!latest) return false;
	const [was, is] = [orderRank(textOf(latest, 'status') ?? ''), orderRank(textOf(seen, 'status') ?? '')];
	if (was !== undefined && is !== undefined && is < was) return true;
	const [had, has] = [latest.filled_quantity, seen.filled_quantity];
	return isDecimal(had) && isDecimal(has) && compare(has, had) < 0;
}

/** A field that tells why an order was rejected: the interface promises a public message and does not name its field. */
const tellsWhy = (name: string): boolean => /reason|message|error|rejection/i.test(name) && !/code/i.test(name);

/** The public message of a rejected order, which has to be shown to a person. (Interface, part 7.) */
export function rejectionOf(order: Item): string | undefined {
	if (statusOf(order) !== 'rejected') return undefined;
	const reasons = Object.keys(order)
		.filter(tellsWhy)
		.map((name) => filledText(order[name]) ?? order[name]);
	return reasonIn(reasons)?.slice(0, TEXT_LENGTH_MAX) ?? 'The service gave no reason';
}
