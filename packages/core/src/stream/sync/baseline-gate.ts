import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import type { Subscriber } from '../delivery/subscriber';
import { REFUSAL_AGAIN_MS, REFUSALS_CONFIRM } from '../limits';
import type { Backfill } from '../backfill/backfill';
import type { ReadOptions } from '../backfill/history';
import { isRefusal } from './topic-status';
import type { TopicSubscribers } from './topic-subscribers';

/** Reads the baseline of each subscriber of a topic. Until it is read, no other backfill serves the subscriber. */
interface BaselineGate {
	/** Reads the baseline exactly once. A second one would take events since the first for old ones and lose them. */
	read(subscriber: Subscriber): Promise<void>;
	isDone(subscriber: Subscriber): boolean;
}

interface BaselineGatePorts {
	name: string;
	clock: Clock;
	subscribers: TopicSubscribers;
	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	serviceTime(at: number): number;
	/** Absent where the topic cannot be backfilled. */
	backfill: Backfill | undefined;
	options: ReadOptions;
	/** A baseline could not be read. */
	failed(subscriber: Subscriber, error: unknown): void;
	/** A baseline was read late: events since it was due may still be missing, so a backfill has to follow. */
	late(): void;
}

export function createBaselineGate(ports: BaselineGatePorts): BaselineGate {
	const { name, clock, subscribers, serviceTime, backfill, options, failed, late } = ports;
	const baselined = new WeakSet<Subscriber>();
	const inProgress = new Map<Subscriber, Promise<void>>();

	function read(subscriber: Subscriber): Promise<void> {
		if (baselined.has(subscriber)) return Promise.resolve();
		const baseline =
			inProgress.get(subscriber) ?? readBaseline(subscriber).finally(() => inProgress.delete(subscriber));
		inProgress.set(subscriber, baseline);
		return baseline;
	}

	async function readBaseline(subscriber: Subscriber): Promise<void> {
		if (backfill?.baseline && subscriber.cursor(name).start !== 'stored') {
			const newSince = lateSince(subscriber);
			try {
				await confirmed(() => backfill.baseline!(subscriber, options, newSince));
				if (newSince() !== undefined) late();
			} catch (error) {
				// The time is stored, so that a process that ends before the baseline is read continues from it.
				subscriber.follow(name);
				failed(subscriber, error);
				// A key without read permission still gets live events.
				if (isExchangeError(error, 'forbidden')) subscribers.baselined(subscriber);
				throw error;
			}
		}
		if (options.signal.aborted) return;
		baselined.add(subscriber);
		subscriber.begin(name);
		subscribers.baselined(subscriber);
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
				if (!isRefusal(error) || tries >= REFUSALS_CONFIRM || options.signal.aborted) throw error;
			}
			await sleep(clock, REFUSAL_AGAIN_MS * tries, options.signal);
		}
	}

	return { read, isDone: (subscriber) => baselined.has(subscriber) };
}
