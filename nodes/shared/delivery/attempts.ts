import { sleep } from '@partner-exchange/core/adapters';
import { hostClock } from '../host/clock';
import type { End } from '../host/execution';

/** The result of one execution that was started for a batch of events. */
export interface RunAttempt extends End {
	key: string;
	/**
	 * Whether this attempt re-sent the key of an execution that is late, so that n8n starts it if it was never started.
	 */
	isQuestion: boolean;
}

export interface Attempts {
	start(key: string): void;
	/** Emits again under the last key: n8n starts the execution if it never started, and answers `known` otherwise. */
	ask(): void;
	/** Number of attempts that have not ended yet. */
	running(): number;
	/** Resolves with the next attempt to end, or with `late` when none ended within the limit. */
	first(limitMs: number | undefined): Promise<RunAttempt | 'late'>;
}

/** Counts the executions that are started for the same events. `run` starts one under a key and resolves with its end. */
export function createAttempts(run: (key: string) => Promise<End>): Attempts {
	const running = new Set<Promise<RunAttempt>>();
	let last = '';

	function add(key: string, isQuestion: boolean): void {
		last = key;
		const attempt: Promise<RunAttempt> = run(key).then((end) => {
			running.delete(attempt);
			return { ...end, key, isQuestion };
		});
		running.add(attempt);
		// An attempt may reject when no caller awaits it any longer; Node must not report that as an unhandled rejection.
		attempt.catch(() => undefined);
	}

	return {
		start: (key) => add(key, false),
		ask: () => add(last, true),
		running: () => running.size,
		first: async (limitMs) => {
			if (limitMs === undefined) return await Promise.race(running);
			const over = new AbortController();
			const late = sleep(hostClock, limitMs, over.signal).then(() => 'late' as const);
			return await Promise.race([...running, late]).finally(() => over.abort());
		},
	};
}
