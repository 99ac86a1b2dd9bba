import { ExchangeError } from '../errors';
import type { Clock } from '../ports';

/** The latest failure and its time, for the status. */
export interface FailureLog {
	record(error: unknown): void;
	last(): { last_error: string | null; last_error_at: string | null };
}

export function createFailureLog(clock: Pick<Clock, 'now'>): FailureLog {
	let last: { text: string; at: number } | undefined;
	return {
		// Only our own texts are kept: an error thrown elsewhere may contain secrets.
		record: (error) => {
			const text = error instanceof ExchangeError ? error.summary : typeof error === 'string' ? error : 'It failed';
			last = { text, at: clock.now() };
		},
		last: () => ({ last_error: last?.text ?? null, last_error_at: last ? instant(last.at) : null }),
	};
}

export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();
