import type { ExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import type { Backfill } from '../backfill/backfill';
import { isFull } from '../delivery/queue';
import type { Subscriber } from '../delivery/subscriber';
import { READ_SPACING_MS, REFUSAL_AGAIN_MS, REFUSALS_CONFIRM, SLICE_PAUSE_MS } from '../limits';
import { isRefusal } from '../sync/backfill-end';
import type { BackfillOutcome, TopicInput } from '../sync/effects';
import type { TopicState } from '../sync/state';
import { isServed, served } from '../sync/subscribers';

/** Reads one topic over REST, and tells what became of it. */
interface Reads {
	/** Reads the baseline of a subscriber. */
	baseline(subscriber: Subscriber): Promise<void>;
	/** Reads once for all who are served what they may have missed. */
	backfill(): Promise<void>;
	/** Serves those who joined an already subscribed topic and may have missed events. */
	serve(newcomers: readonly Subscriber[]): void;
}

interface ReadsPorts {
	name: string;
	clock: Clock;
	random: () => number;
	state: TopicState;
	/** Absent where the topic cannot be backfilled. */
	backfill: Backfill | undefined;
	/** Hands the outcome to `step`. */
	happened(input: TopicInput): void;
	/** Aborted when the topic is stopped. */
	signal: AbortSignal;
	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	serviceTime(at: number): number;
	/** The baseline of a subscriber failed that does not wait for another try. */
	failed(subscriber: Subscriber, error: ExchangeError): void;
}

export function createReads(ports: ReadsPorts): Reads {
	const { name, clock, random, state, backfill, happened, signal, serviceTime } = ports;

	async function baseline(subscriber: Subscriber): Promise<void> {
		const newSince = lateSince(subscriber);
		try {
			await confirmed(() => backfill!.baseline!(subscriber, newSince));
		} catch (error) {
			return baselineFailed(subscriber, error);
		}
		if (signal.aborted) return;
		const isLate = newSince() !== undefined;
		subscriber.begin(name);
		happened({ type: 'baseline_read', subscriber, isLate });
	}

	function baselineFailed(subscriber: Subscriber, error: unknown): void {
		// The time is stored, so that a process that ends before the baseline is read continues from it.
		subscriber.follow(name);
		happened({ type: 'baseline_failed', subscriber, error });
		const isPatient = subscriber.consumer.retriesFirstConnection || state.subscribers.get(subscriber)?.isUnreadable;
		if (!isPatient) ports.failed(subscriber, error as ExchangeError);
	}

	/**
	 * When the subscriber joined, by the clock of the service: later events are new even if the baseline is late.
	 * Undefined for a first try of a first run, where everything the baseline finds is old.
	 */
	function lateSince(subscriber: Subscriber): () => number | undefined {
		const [cursor, at] = [subscriber.cursor(name), clock.now()];
		if (typeof cursor.baseline === 'object') return cursor.baseline.since;
		// A process that ends before the baseline is read has perhaps delivered an order whose further updates are owed.
		// Evaluated later, because later messages may show how far the clock of the service is from ours.
		cursor.baseline = { since: () => serviceTime(at) };
		return () => undefined;
	}

	/** A single refusal may be temporary, so the request is repeated before a refusal counts. */
	async function confirmed(request: () => Promise<void>): Promise<void> {
		for (let tries = 1; ; tries += 1) {
			try {
				return await request();
			} catch (error) {
				if (!isRefusal(error) || tries >= REFUSALS_CONFIRM || signal.aborted) throw error;
			}
			await sleep(clock, REFUSAL_AGAIN_MS * tries, signal);
		}
	}

	async function read(): Promise<void> {
		const receivers = served(state.subscribers, name);
		const chance = random();
		if (receivers.length === 0) return happened({ type: 'read_nothing', chance });
		await readFor(receivers).then(
			(outcome) => happened({ type: 'read', chance, ...outcome }),
			(error: unknown) => happened({ type: 'read_failed', chance, error }),
		);
	}

	async function readFor(receivers: readonly Subscriber[]): Promise<BackfillOutcome> {
		const { isWhole, isForAll = true, hasNews, isOutdated, snapshot } = await backfill!.run(receivers);
		// Where every queue is full, the pause is longer.
		const pauseMs = receivers.every((subscriber) => isFull(subscriber.queue)) ? READ_SPACING_MS : SLICE_PAUSE_MS;
		return { againMs: isWhole ? undefined : pauseMs, isForAll, hasNews, isOutdated, book: snapshot };
	}

	function serve(newcomers: readonly Subscriber[]): void {
		const left = newcomers.filter(
			(subscriber) => !isServed(state.subscribers, subscriber, name) || !backfill?.serveNewcomer?.(subscriber),
		);
		if (left.length > 0 && backfill) happened({ type: 'newcomers' });
	}

	return { baseline, backfill: read, serve };
}
