import { inBackground } from '../../background';
import type { Backfill } from '../backfill/backfill';
import type { StreamNotice } from '../contract';
import { mayRestart } from '../delivery/cursor';
import { isFull } from '../delivery/queue';
import type { Subscriber } from '../delivery/subscriber';
import type { FailureLog } from '../failure';
import { READ_SPACING_MS, SLICE_PAUSE_MS } from '../limits';
import type { Clock } from '../../ports';
import type { Position } from '../position';
import { createBaselineGate } from './baseline-gate';
import type { TopicInput, BackfillOutcome } from './effects';
import { failureText, isRefusal } from './topic-status';
import type { TopicSubscribers } from './topic-subscribers';

/** Reads over REST for the subscribers of one topic. */
export interface Serving {
	/** Reads the baseline of a subscriber exactly once. A second one would take undelivered events for old ones. */
	baseline(subscriber: Subscriber): Promise<void>;
	/** Those whose baseline is read, and whose queues have room. */
	served(): Subscriber[];
	/** Reads once for all of them what they may have missed. */
	read(): Promise<void>;
	/** Serves those who joined an already subscribed topic and may have missed events. */
	serveNewcomers(newcomers: Iterable<Subscriber>): void;
	/**
	 * Compares the runs of the cursors with that of a position of the service, undefined if unknown. `isSign`: if the
	 * numbers may have restarted for any subscriber, events may be missing.
	 */
	compareRuns(run: { position?: Position; isSign?: boolean }): void;
	/** Notifies that a backfill failed, and when the next try is. */
	reportFailure(to: readonly Subscriber[], error: unknown, againMs?: number): void;
}

export interface ServingPorts {
	name: string;
	clock: Clock;
	random: () => number;
	subscribers: TopicSubscribers;
	/** Absent where the topic cannot be backfilled. */
	backfill: Backfill | undefined;
	failures: FailureLog;
	/** Has the topic decide what follows. */
	happened(input: TopicInput, details?: { error?: unknown }): void;
	/** Aborted when the topic is stopped. */
	signal: AbortSignal;
	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	serviceTime(at: number): number;
	notice(subscriber: Subscriber, notice: Pick<StreamNotice, 'kind' | 'text'>): void;
}

export function createServing(ports: ServingPorts): Serving {
	const { name, clock, random, subscribers, backfill, failures, happened, signal, serviceTime, notice } = ports;
	const options = { signal };
	const baselines = createBaselineGate({
		...{ name, clock, subscribers, backfill, options, serviceTime },
		failed: (subscriber, error) => {
			if (signal.aborted) return;
			happened({ type: 'baseline_failed', isRefused: isRefusal(error) });
			reportFailure([subscriber], error);
		},
		late: () => happened({ type: 'baseline_late' }),
	});
	const isServed = (subscriber: Subscriber): boolean => baselines.isDone(subscriber) && !subscriber.lagging.has(name);
	const served = (): Subscriber[] => subscribers.all().filter(isServed);

	function reportFailure(to: readonly Subscriber[], error: unknown, againMs?: number): void {
		failures.record(error);
		for (const subscriber of to) notice(subscriber, { kind: 'degraded', text: failureText(error, againMs) });
	}

	async function read(): Promise<void> {
		// A subscriber whose baseline fails does not delay the others.
		for (const subscriber of subscribers.all()) inBackground(baselines.read(subscriber));
		const receivers = served();
		const chance = random();
		if (receivers.length === 0) return happened({ type: 'read_nothing', chance });
		const fails = (error: unknown): void =>
			happened({ type: 'read_failed', chance, isRefused: isRefusal(error) }, { error });
		await readFor(receivers).then((outcome) => happened({ type: 'read', chance, ...outcome }), fails);
	}

	async function readFor(receivers: readonly Subscriber[]): Promise<BackfillOutcome> {
		const { isWhole, isForAll = true, hasNews, isOutdated, snapshot } = await backfill!.run(receivers, options);
		// Where every queue is full, the pause is longer.
		const pauseMs = receivers.every((subscriber) => isFull(subscriber.queue)) ? READ_SPACING_MS : SLICE_PAUSE_MS;
		return { againMs: isWhole ? undefined : pauseMs, isForAll, hasNews, isOutdated, book: snapshot };
	}

	function serveNewcomers(newcomers: Iterable<Subscriber>): void {
		const left = [...newcomers].filter((subscriber) => !isServed(subscriber) || !backfill?.serveNewcomer?.(subscriber));
		if (left.length > 0 && backfill) happened({ type: 'newcomers' });
	}

	function compareRuns({ position, isSign }: { position?: Position; isSign?: boolean }): void {
		const doubted = subscribers.all().filter((subscriber) => mayRestart(subscriber.cursor(name), position));
		if (doubted.length === 0) return;
		backfill?.restarted?.();
		if (isSign) happened({ type: 'doubted', reason: 'epoch' });
	}

	return { baseline: baselines.read, served, read, serveNewcomers, compareRuns, reportFailure };
}
