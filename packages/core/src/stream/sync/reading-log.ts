import { instant, type FailureLog } from '../failure-log';
import type { Clock } from '../../ports';
import { isRefusal } from './read-failure';

/** How the readings of one topic went, for those who look. */
export interface ReadingLog {
	done(): void;
	failed(error: unknown): void;
	status(nextAt: number | undefined): {
		done: number;
		refused: number;
		failed: number;
		last_at: string | null;
		next_at: string | null;
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
		status: (nextAt) => ({ ...counts, last_at: dated(lastAt), next_at: dated(nextAt) }),
	};
}

const dated = (at: number | undefined): string | null => (at === undefined ? null : instant(at));
