import type { StreamEvent } from '@partner-exchange/core';
import { inBackground, sleep } from '@partner-exchange/core/adapters';
import { createHash, randomUUID } from 'crypto';
import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { executionsMode, runOnce, type Reason, type End } from '../host/execution';
import { pauseMsAfter, type FailurePolicy } from './failure';
import { failedOutputs, outputsOf, type EventOutput } from './outputs';

export interface RunOptions {
	failure: FailurePolicy;
	output: EventOutput;
	/** An execution that takes longer is considered lost. */
	executionMsMax: number;
	/** Logs a warning for the user, one clause. */
	warn(text: string): void;
	/** Reports events for which no execution ran despite all tries. */
	giveUp(events: readonly StreamEvent[]): undefined;
}

/** Resolves with the key of the ended execution when the workflow has run for these events. */
type RunWorkflow = (events: StreamEvent[]) => Promise<string | undefined>;

/** Backoff after executions that broke before the workflow ran. */
const BREAK_PAUSES_MS = [500, 2_000, 10_000, 30_000];
/** An execution in queue mode that takes longer is named in the log, because its end may be lost. */
const SLOW_MS = 30_000;
/** Minimum time between two warnings of a second reader. */
const SECOND_READER_EVERY_MS = 600_000;

/**
 * Runs the workflow for events until an execution has ended. If an execution broke, the events are delivered again
 * under another key with the same event keys: at least once, rather than never. After `stopped`, nothing more is
 * started.
 */
export function createRun(
	host: ITriggerFunctions,
	name: string,
	options: RunOptions,
	stopped: AbortSignal,
): RunWorkflow {
	const { failure, output, executionMsMax, warn, giveUp } = options;
	// n8n ignores an emit whose key it has seen, even if that execution broke, and replaces an execution with the same
	// key that has not started. So keys must be unique, also across starts of this trigger.
	const own = `${name}:${randomUUID()}`;
	let count = 0;
	let warnedAt = Number.NEGATIVE_INFINITY;

	function foundSecondReader(): void {
		if (hostClock.elapsed() - warnedAt < SECOND_READER_EVERY_MS) return;
		warnedAt = hostClock.elapsed();
		warn('A second reader delivers the events of this trigger too: run one main of n8n only, or events come twice');
	}

	/** `outputs`: the items of each output of the trigger. */
	const startingWith = (outputs: INodeExecutionData[][]): Attempts =>
		createAttempts((key) => runOnce(host, outputs, key));

	async function run(events: StreamEvent[]): Promise<string | undefined> {
		const attempts = startingWith(outputsOf(events, { ...failure, output }));
		attempts.start(liveKey(events, name) ?? nextKey());
		for (let failures = 1; ; failures += 1) {
			const attempt = await untilItRan(attempts);
			if (attempt?.ending === 'ended') return attempt.key;
			if (failure.afterwards !== 'stop' && (!attempt || failures >= failure.tries))
				return await conclude(events, failures, attempt);
			if (failures === failure.tries)
				warn('The workflow keeps failing for an event; later ones wait until it succeeds');
			await pause(pauseMsAfter(failures, failure));
			attempts.start(nextKey());
		}
	}

	/** Resolves with undefined if all executions broke before the workflow ran. */
	async function untilItRan(attempts: Attempts): Promise<RunAttempt | undefined> {
		for (let breaks = 0; ;) {
			const first = await inTime(attempts);
			if (first === 'late') {
				if (executionsMode() === undefined) askForMode(host, nextKey());
				if (executionsMode() !== 'queue') continue;
				const seconds = Math.round(executionMsMax / 1000);
				warn(`An execution has not ended after ${seconds} s; its events are handed over again`);
				attempts.ask();
				continue;
			}
			if (first.ending === 'ended' || first.ending === 'failed') return first;
			const next = nextStep(first, attempts.running());
			if (next === 'wait') continue;
			if (next === 'second reader') foundSecondReader();
			if (next === 'pause') {
				const pauseMs = BREAK_PAUSES_MS[breaks];
				if (pauseMs === undefined) return undefined;
				warn('An execution did not run to its end; its events are handed over again');
				breaks += 1;
				await pause(pauseMs);
			}
			attempts.start(nextKey());
		}
	}

	/** The next attempt to end, or `late` when none has in the time an execution may take. Says when it gets slow. */
	async function inTime(attempts: Attempts): Promise<RunAttempt | 'late'> {
		if (executionsMode() === 'regular') return await untilItEnds(attempts);
		const slowMs = Math.min(SLOW_MS, executionMsMax / 2);
		const soon = await attempts.first(slowMs);
		if (soon !== 'late' || executionsMode() === 'regular') return soon;
		const until = new Date(hostClock.now() + executionMsMax - slowMs).toISOString();
		if (executionsMode() === 'queue')
			warn(
				`An execution has not ended after ${Math.round(slowMs / 1000)} s. Later events wait for it until ${until} at most; n8n does not say whether its queue lost it`,
			);
		return await attempts.first(executionMsMax - slowMs);
	}

	/** Without a queue no execution is lost, but n8n tells nobody of one that is stopped before its turn has come. */
	async function untilItEnds(attempts: Attempts): Promise<RunAttempt | 'late'> {
		const soon = await attempts.first(executionMsMax);
		if (soon !== 'late') return soon;
		const seconds = Math.round(executionMsMax / 1000);
		warn(
			`An execution has not ended after ${seconds} s, and later events wait for it. If n8n does not list it as running, it was stopped before its turn: unpublish the workflow and publish it again`,
		);
		return await attempts.first(undefined);
	}

	/** All tries failed: handles the events as the form says. */
	async function conclude(events: StreamEvent[], tries: number, last?: RunAttempt): Promise<string | undefined> {
		if (failure.afterwards === 'continue') return last ? last.key : giveUp(events);
		const reason: Reason = last?.reason ?? { message: 'Its executions broke before they had run' };
		const attempts = startingWith(failedOutputs(events, { output }, tries, reason));
		attempts.start(nextKey());
		const handedOver = await untilItRan(attempts);
		if (!handedOver) return giveUp(events);
		if (handedOver.ending === 'failed') warn('The workflow failed for its failed events too; look at its executions');
		return handedOver.key;
	}

	async function pause(pauseMs: number): Promise<void> {
		await sleep(hostClock, pauseMs, stopped);
		if (stopped.aborted) throw new Error('The trigger was stopped before the workflow had run');
	}

	function nextKey(): string {
		count += 1;
		return `${own}:${count}`;
	}

	return run;
}

/**
 * An execution without events shows by its end whether n8n has a queue. An execution that only waits for its turn must
 * not be asked for: n8n would replace it in its list, and run both.
 */
const askForMode = (host: ITriggerFunctions, key: string): void =>
	inBackground(runOnce(host, [[]], key).catch(() => undefined));

/** The next step after an attempt that ran nothing; other attempts may still be running. */
function nextStep(
	{ key, ending, isQuestion }: RunAttempt,
	running: number,
): 'again' | 'wait' | 'second reader' | 'pause' {
	// The late execution has started and n8n does not tell where it is, so it is considered lost.
	if (ending === 'known' && isQuestion) return 'again';
	if (running > 0) return 'wait';
	return isLive(key) && ending !== 'broken' ? 'second reader' : 'pause';
}

const LIVE = ':live:';
const isLive = (key: string): boolean => key.includes(LIVE);

/**
 * Live events were never delivered before, so their key is a hash of their event keys: if n8n knows that key, a second
 * reader is running this trigger now. Replayed and reconciled events may have been delivered by an earlier start.
 */
function liveKey(events: readonly StreamEvent[], name: string): string | undefined {
	if (events.some(({ delivery }) => delivery !== 'live')) return undefined;
	const keys = JSON.stringify(events.map(({ eventKey }) => eventKey));
	return `${name}${LIVE}${createHash('sha256').update(keys).digest('hex')}`;
}

/** The result of one execution that was started for a batch of events. */
interface RunAttempt extends End {
	key: string;
	/**
	 * Whether this attempt re-sent the key of an execution that is late, so that n8n starts it if it was never started.
	 */
	isQuestion: boolean;
}

interface Attempts {
	start(key: string): void;
	/** Emits again under the last key: n8n starts the execution if it never started, and answers `known` otherwise. */
	ask(): void;
	/** Number of attempts that have not ended yet. */
	running(): number;
	/** Resolves with the next attempt to end, or with `late` when none ended within the limit. */
	first(limitMs: number | undefined): Promise<RunAttempt | 'late'>;
}

/** Counts the executions that are started for the same events. `run` starts one under a key and resolves with its end. */
function createAttempts(run: (key: string) => Promise<End>): Attempts {
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
