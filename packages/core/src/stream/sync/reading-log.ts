import { ExchangeError, isExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { StreamNotice } from '../contract';
import type { Subscriber } from '../delivery/subscriber';
import { instant, type FailureLog } from '../failure-log';
import { noticeTexts } from '../notice-text';

/** Statistics of the backfills of one topic. */
export interface ReadingLog {
	done(): void;
	failed(error: unknown): void;
	status(
		nextAt: number | undefined,
		place: number | null,
	): {
		done: number;
		refused: number;
		failed: number;
		last_at: string | null;
		next_at: string | null;
		place: number | null;
	};
}

export function createReadingLog(clock: Pick<Clock, 'now'>, failures: FailureLog): ReadingLog {
	const counts = { done: 0, refused: 0, failed: 0 };
	let lastAt: number | undefined;
	const count = (name: keyof typeof counts): void => {
		counts[name] += 1;
		lastAt = clock.now();
	};
	return {
		done: () => count('done'),
		failed: (error) => {
			count(isRefusal(error) ? 'refused' : 'failed');
			failures.note(error);
		},
		status: (nextAt, place) => ({ ...counts, last_at: dated(lastAt), next_at: dated(nextAt), place }),
	};
}

const dated = (at: number | undefined): string | null => (at === undefined ? null : instant(at));

interface FailureNoticePorts {
	name: string;
	log: { failed(error: unknown): void };
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

/** Notifies subscribers that a backfill failed, and when the next try is. */
export type FailureNotice = (to: readonly Subscriber[], error: unknown, againMs?: number) => void;

export function createFailureNotice({ name, log, notice }: FailureNoticePorts, stopped: AbortSignal): FailureNotice {
	return (to, error, againMs) => {
		if (stopped.aborted) return;
		log.failed(error);
		const why = error instanceof ExchangeError ? error.summary : 'unknown reason';
		const text = noticeTexts.backfillFailed(why, againMs);
		for (const subscriber of to) notice(subscriber, { kind: 'degraded', topic: name, text });
	};
}

export const isRefusal = (error: unknown): boolean =>
	isExchangeError(error, 'unauthorized') || isExchangeError(error, 'forbidden');
