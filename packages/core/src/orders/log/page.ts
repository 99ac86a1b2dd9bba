import type { Read } from '../../context';
import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import type { Item } from '../../wire/payload';

/**
 * The average pace of page reads, and how far reads may run ahead of it: they must not use up the rate limit that orders
 * need.
 */
const MS_PER_PAGE = 100;
const AHEAD_MS_MAX = 4_000;
/** How often one look asks again for a page that failed for a moment, so that one failure does not discard those before. */
const RETRIES_MAX = 5;
const RETRY_MS = { min: 500, max: 10_000 };

/** Waits for the turn of the next page. */
export type PagePace = (clock: Clock, signal: AbortSignal) => Promise<void>;

export function createPagePace(): PagePace {
	/** When the pages read so far would have been read at the average pace. */
	let paidUntil = 0;
	return async (clock, signal) => {
		const now = clock.elapsed();
		const earlyMs = paidUntil - AHEAD_MS_MAX - now;
		paidUntil = Math.max(paidUntil, now) + MS_PER_PAGE;
		if (earlyMs > 0) await sleep(clock, earlyMs, signal);
	};
}

/** Reads one page of the order list. */
export type ReadOrders = (query: Item) => Promise<unknown>;

interface PageSource {
	read: Read;
	clock: Clock;
	pace: PagePace;
	signal: AbortSignal;
	/** Whether the first page is repeated too. A caller that does not wait for it repeats it at its own pace. */
	isPatient: boolean;
}

/** Reads the pages of one look. */
export function pagesOf({ read, clock, pace, signal, isPatient }: PageSource): ReadOrders {
	let retries = RETRIES_MAX;
	let pages = 0;
	return async (query) => {
		for (;;) {
			await pace(clock, signal);
			try {
				const data = await read('order.list', query, { signal });
				pages += 1;
				return data;
			} catch (error) {
				const isRepeated = retries > 0 && (isPatient || pages > 0) && !signal.aborted;
				if (!isExchangeError(error) || !error.retryable || !isRepeated) throw error;
				const delayMs = Math.max(RETRY_MS.min, error.retryAfterMs ?? 0);
				if (delayMs > RETRY_MS.max) throw error;
				retries -= 1;
				await sleep(clock, delayMs, signal);
			}
		}
	};
}

/** A service may refuse a filter or an order that it does not know. */
export const isRefused = (error: unknown): boolean =>
	isExchangeError(error, 'refused') || isExchangeError(error, 'not_found');
