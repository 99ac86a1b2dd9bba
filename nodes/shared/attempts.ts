import { sleep } from '@partner-exchange/core/adapters';
import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from './clock';
import { runOnce, type End } from './execution';

/** One execution that was started for events. */
export interface RunAttempt extends End {
	key: string;
	/** Whether it only asked n8n, under the key of an execution that did not end in time, to begin it if it had not begun. */
	isQuestion: boolean;
}

export interface Attempts {
	start(key: string): void;
	/** Asks for the last one with its own key: n8n begins it if it never began. */
	ask(): void;
	/** How many may still end. */
	running(): number;
	/** The next one to end. */
	first(limitMs: number | undefined): Promise<RunAttempt | 'late'>;
}

/** Executions of the same events, one list of items for each output of the trigger. */
export function createAttempts(host: ITriggerFunctions, outputs: INodeExecutionData[][]): Attempts {
	const running = new Set<Promise<RunAttempt>>();
	let last = '';

	function add(key: string, isQuestion: boolean): void {
		last = key;
		const attempt: Promise<RunAttempt> = runOnce(host, outputs, key).then((end) => {
			running.delete(attempt);
			return { ...end, key, isQuestion };
		});
		running.add(attempt);
		// Of those that are not waited for any longer nobody needs to hear.
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
