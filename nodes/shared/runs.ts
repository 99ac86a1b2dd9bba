import type { StreamEvent } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';
import { createHash, randomUUID } from 'crypto';
import type { IDataObject, INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from './clock';
import { mayBeLost, runOnce, type Ending } from './execution';

export interface RunOptions {
	/** How often events are handed over while the workflow fails. */
	tries: number;
	/** An execution that has not ended by then is taken to be lost. */
	executionMsMax: number;
	/** Something a person should know, as one clause. */
	warn(text: string): void;
	/** Events that start no execution, however often they are handed over. */
	giveUp(events: readonly StreamEvent[]): undefined;
}

export interface Runs {
	/** Resolves with the key of the execution that ended, when the workflow has run for these events. */
	run(events: StreamEvent[]): Promise<string | undefined>;
	/** Nothing more is started. */
	stop(): void;
}

/** Executions that broke before the workflow ran, after each of which the events are handed over again. */
const BREAK_PAUSES_MS = [500, 2_000, 10_000, 30_000];
/** A second reader is worth a line in the log, but not with each event. */
const SECOND_READER_EVERY_MS = 600_000;

/**
 * Runs the workflow for events until an execution has ended. A run that broke is not a run that ended: the events are
 * handed over again under another key, with the same event keys, because twice is better than never.
 */
export function createRuns(host: ITriggerFunctions, name: string, options: RunOptions): Runs {
	const { tries, executionMsMax, warn, giveUp } = options;
	// n8n refuses a key it has seen, even of a run that broke, and hands a key over whose run has not begun. Nobody else
	// may have ours, and no earlier start of this trigger either.
	const own = `${name}:${randomUUID()}`;
	let count = 0;
	let warnedAt = Number.NEGATIVE_INFINITY;
	const stopped = new AbortController();

	function foundSecondReader(): void {
		if (hostClock.elapsed() - warnedAt < SECOND_READER_EVERY_MS) return;
		warnedAt = hostClock.elapsed();
		warn('A second reader delivers the events of this trigger too: run one main of n8n only, or events come twice');
	}

	async function run(events: StreamEvent[]): Promise<string | undefined> {
		const attempts = createAttempts(host, events.map(itemOf));
		let failures = 0;
		let breaks = 0;
		attempts.start(liveKey(events, name) ?? nextKey());
		for (;;) {
			const first = await attempts.first(mayBeLost() ? executionMsMax : undefined);
			if (first === 'late') {
				const seconds = Math.round(executionMsMax / 1000);
				warn(`An execution has not ended after ${seconds} s; its events are handed over again`);
				attempts.ask();
				continue;
			}
			if (first.ending === 'failed') failures += 1;
			if (first.ending === 'ended' || failures >= tries) return first.key;
			const next = nextStep(first, attempts.running());
			if (next === 'wait') continue;
			if (next === 'second reader') foundSecondReader();
			if (next === 'pause') {
				const pauseMs = BREAK_PAUSES_MS[breaks];
				if (pauseMs === undefined) return giveUp(events);
				warn('An execution did not run to its end; its events are handed over again');
				breaks += 1;
				await sleep(hostClock, pauseMs, stopped.signal);
				if (stopped.signal.aborted) throw new Error('The trigger was stopped before the workflow had run');
			}
			attempts.start(nextKey());
		}
	}

	function nextKey(): string {
		count += 1;
		return `${own}:${count}`;
	}

	return { run, stop: () => stopped.abort() };
}

interface Attempt {
	key: string;
	ending: Ending;
	/** Whether it only asked n8n, under the key of an execution that did not end in time, to begin it if it had not begun. */
	isQuestion: boolean;
}

/** What an attempt that settled nothing is followed by, while others may still end. */
function nextStep({ key, ending, isQuestion }: Attempt, running: number): 'again' | 'wait' | 'second reader' | 'pause' {
	// One that has begun and did not end in time counts as lost, because n8n does not tell where it is.
	if (ending === 'failed' || (ending === 'known' && isQuestion)) return 'again';
	if (running > 0) return 'wait';
	return isLive(key) && ending !== 'broken' ? 'second reader' : 'pause';
}

/** Executions of the same events that may still end. */
function createAttempts(host: ITriggerFunctions, items: INodeExecutionData[]) {
	const running = new Set<Promise<Attempt>>();
	let last = '';

	function add(key: string, isQuestion: boolean): void {
		last = key;
		const attempt: Promise<Attempt> = runOnce(host, items, key).then((ending) => {
			running.delete(attempt);
			return { key, ending, isQuestion };
		});
		running.add(attempt);
		// Of those that are not waited for any longer nobody needs to hear.
		attempt.catch(() => undefined);
	}

	return {
		start: (key: string) => add(key, false),
		ask: () => add(last, true),
		running: () => running.size,
		first: async (limitMs: number | undefined): Promise<Attempt | 'late'> => {
			if (limitMs === undefined) return await Promise.race(running);
			const over = new AbortController();
			const late = sleep(hostClock, limitMs, over.signal).then(() => 'late' as const);
			return await Promise.race([...running, late]).finally(() => over.abort());
		},
	};
}

const LIVE = ':live:';
const isLive = (key: string): boolean => key.includes(LIVE);

/**
 * What arrives live has never been handed over before, so its key is that of the events: if n8n knows it, somebody else
 * reads for this trigger at this moment. What is replayed or read may have been in the hands of an earlier start.
 */
function liveKey(events: readonly StreamEvent[], name: string): string | undefined {
	if (events.some(({ delivery }) => delivery !== 'live')) return undefined;
	const keys = JSON.stringify(events.map(({ eventKey }) => eventKey));
	return `${name}${LIVE}${createHash('sha256').update(keys).digest('hex')}`;
}

export const itemOf = (event: StreamEvent): INodeExecutionData => ({ json: { ...event } as unknown as IDataObject });
