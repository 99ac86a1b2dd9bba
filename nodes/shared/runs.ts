import type { StreamEvent } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';
import { createHash, randomUUID } from 'crypto';
import type { ITriggerFunctions } from 'n8n-workflow';
import { createAttempts, type RunAttempt, type Attempts } from './attempts';
import { hostClock } from './clock';
import { mayBeLost } from './execution';
import { pauseMsAfter, type FailurePolicy, type Reason } from './failure';
import { failedOutputs, outputsOf } from './outputs';

export interface RunOptions {
	failure: FailurePolicy;
	/** An execution that has not ended by then is taken to be lost. */
	executionMsMax: number;
	/** Something a person should know, as one clause. */
	warn(text: string): void;
	/** Events that start no execution, however often they are handed over. */
	giveUp(events: readonly StreamEvent[]): undefined;
}

/** Resolves with the key of the execution that ended, when the workflow has run for these events. */
export type RunWorkflow = (events: StreamEvent[]) => Promise<string | undefined>;

/** Executions that broke before the workflow ran, after each of which the events are handed over again. */
const BREAK_PAUSES_MS = [500, 2_000, 10_000, 30_000];
/** A second reader is worth a line in the log, but not with each event. */
const SECOND_READER_EVERY_MS = 600_000;

/**
 * Runs the workflow for events until an execution has ended. A run that broke is not a run that ended: the events are
 * handed over again under another key, with the same event keys, because twice is better than never. Nothing more is
 * started once it is stopped.
 */
export function createRun(
	host: ITriggerFunctions,
	name: string,
	options: RunOptions,
	stopped: AbortSignal,
): RunWorkflow {
	const { failure, executionMsMax, warn, giveUp } = options;
	// n8n refuses a key it has seen, even of a run that broke, and hands a key over whose run has not begun. Nobody else
	// may have ours, and no earlier start of this trigger either.
	const own = `${name}:${randomUUID()}`;
	let count = 0;
	let warnedAt = Number.NEGATIVE_INFINITY;

	function foundSecondReader(): void {
		if (hostClock.elapsed() - warnedAt < SECOND_READER_EVERY_MS) return;
		warnedAt = hostClock.elapsed();
		warn('A second reader delivers the events of this trigger too: run one main of n8n only, or events come twice');
	}

	async function run(events: StreamEvent[]): Promise<string | undefined> {
		const attempts = createAttempts(host, outputsOf(events, failure));
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

	/** Nothing if executions broke again and again before the workflow had run. */
	async function untilItRan(attempts: Attempts): Promise<RunAttempt | undefined> {
		for (let breaks = 0; ;) {
			const first = await attempts.first(mayBeLost() ? executionMsMax : undefined);
			if (first === 'late') {
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

	/** All tries failed, so the events go where the form says. */
	async function conclude(events: StreamEvent[], tries: number, last?: RunAttempt): Promise<string | undefined> {
		if (failure.afterwards === 'continue') return last ? last.key : giveUp(events);
		const reason: Reason = last?.reason ?? { message: 'Its executions broke before they had run' };
		const attempts = createAttempts(host, failedOutputs(events, tries, reason));
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

/** What follows an attempt that ran nothing, while others may still end. */
function nextStep(
	{ key, ending, isQuestion }: RunAttempt,
	running: number,
): 'again' | 'wait' | 'second reader' | 'pause' {
	// One that has begun and did not end in time counts as lost, because n8n does not tell where it is.
	if (ending === 'known' && isQuestion) return 'again';
	if (running > 0) return 'wait';
	return isLive(key) && ending !== 'broken' ? 'second reader' : 'pause';
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
