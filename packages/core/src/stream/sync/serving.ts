import { inBackground } from '../../background';
import type { Backfill } from '../backfill/backfill';
import type { StreamNotice } from '../contract';
import type { Subscriber } from '../delivery/subscriber';
import type { FailureLog } from '../failure-log';
import { READ_SPACING_MS, SLICE_PAUSE_MS } from '../limits';
import type { Clock } from '../../ports';
import type { Position } from '../position';
import { createBaselineGate } from './baseline-gate';
import type { TopicInput, TopicReading } from './effects';
import { failureText, isRefusal } from './topic-status';
import type { Subscribers } from './subscribers';

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
	subscribers: Subscribers;
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
	const reading = { signal };
	const baselines = createBaselineGate({
		...{ name, clock, subscribers, backfill, reading, serviceTime },
		failed: (one, error) => {
			if (signal.aborted) return;
			happened({ type: 'baseline_failed', isRefused: isRefusal(error) });
			reportFailure([one], error);
		},
		late: () => happened({ type: 'baseline_late' }),
	});
	const isServed = (one: Subscriber): boolean => baselines.isDone(one) && !one.lagging.has(name);
	const served = (): Subscriber[] => subscribers.all().filter(isServed);

	function reportFailure(to: readonly Subscriber[], error: unknown, againMs?: number): void {
		failures.note(error);
		for (const one of to) notice(one, { kind: 'degraded', text: failureText(error, againMs) });
	}

	async function read(): Promise<void> {
		// A subscriber whose baseline fails does not delay the others.
		for (const one of subscribers.all()) inBackground(baselines.read(one));
		const present = served();
		const chance = random();
		if (present.length === 0) return happened({ type: 'read_nothing', chance });
		const fails = (error: unknown): void =>
			happened({ type: 'read_failed', chance, isRefused: isRefusal(error) }, { error });
		await readFor(present).then((found) => happened({ type: 'read', chance, ...found }), fails);
	}

	async function readFor(present: readonly Subscriber[]): Promise<TopicReading> {
		const { isWhole, isForAll = true, found, isOutdated, snapshot } = await backfill!.run(present, reading);
		// Where every queue is full, the pause is longer.
		const pauseMs = present.every((one) => one.isFull()) ? READ_SPACING_MS : SLICE_PAUSE_MS;
		return { againMs: isWhole ? undefined : pauseMs, isForAll, found, isOutdated, book: snapshot };
	}

	function serveNewcomers(newcomers: Iterable<Subscriber>): void {
		const left = [...newcomers].filter((one) => !isServed(one) || !backfill?.serveNewcomer?.(one));
		if (left.length > 0 && backfill) happened({ type: 'newcomers' });
	}

	function compareRuns({ position, isSign }: { position?: Position; isSign?: boolean }): void {
		const doubted = subscribers.all().filter((one) => one.cursor(name).mayRestart(position));
		if (doubted.length === 0) return;
		backfill?.restarted?.();
		if (isSign) happened({ type: 'doubted', reason: 'epoch' });
	}

	return { baseline: baselines.read, served, read, serveNewcomers, compareRuns, reportFailure };
}
