import { doubled } from '../../backoff';
import type { Clock } from '../../ports';
import type { StreamNotice } from '../contract';
import type { FailureLog } from '../failure-log';
import type { Subscriber } from '../delivery/subscriber';
import {
	BASELINE_AGAIN_MS,
	OUTDATED_AGAIN_MS,
	READ_LAG_MS_MAX,
	READ_SPACING_MS,
	READ_SPARSE_EVERY_MS,
	REFUSALS_CONFIRM,
	REFUSED_RETRY_MS,
	SLICE_PAUSE_MS,
} from '../limits';
import type { StreamPolicy } from '../policy';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { offerRead, type Backfill, type Reading } from '../backfill/backfill';
import type { Suspicion } from '../backfill/suspicion';
import { createBaselineGate } from './baseline-gate';
import { createFailureNotice, createReadingLog, isRefusal, type ReadingLog } from './reading-log';
import type { TopicHistory } from '../backfill/reading-queue';
import type { Inbox } from './inbox';
import type { FirstReading } from '../backfill/first-reading';
import { createListBackfill } from '../backfill/list-backfill';
import type { RecentReading } from '../backfill/recent-reading';
import { createScheduler, type Scheduler } from './scheduler';
import type { SequenceTracker } from './sequence';
import type { Position, Step } from '../position';
import { createSequenceBackfill } from '../backfill/sequence-backfill';
import type { SharedBaseline } from '../backfill/shared-baseline';
import { createSnapshotBackfill } from '../backfill/snapshot-backfill';
import type { Subscribers } from './subscribers';

/** Decides when one topic is backfilled over REST, and how failures are retried. */
export interface Reconciler {
	/** Reads the baseline of a subscriber exactly once. A second one would take undelivered events for old ones. */
	baseline(subscriber: Subscriber): Promise<void>;
	/** Events may be missing. After a subscription the first backfill is urgent and bypasses the rate limit. */
	requestReconcile(reason?: Step | 'subscribed'): void;
	/** The topic is subscribed, and not only for subscribers that joined others. */
	subscribed(): void;
	/** Subscribers joined an already subscribed topic and may have missed events. */
	serveNewcomers(newcomers: Iterable<Subscriber>): void;
	/**
	 * Checks the cursors against the position of the service, undefined if unknown. In another epoch than a cursor's, the
	 * sequence numbers of the topic may have restarted. Returns whether they may have for any subscriber.
	 */
	doubt(position: Position | undefined): boolean;
	/** The connection is back. A backfill in progress may have read the newest rows before, so another one follows. */
	reconnected(): void;
	/** Numbered events arrived over the stream. */
	heard(events: readonly TopicEvent[]): void;
	canRead(): boolean;
	status(): ReturnType<ReadingLog['status']>;
	/** Offers events that were read over REST for another purpose. */
	take(events: TopicEvent[]): void;
	stop(): void;
}

export interface ReconcilerPorts {
	name: string;
	topic: Topic;
	clock: Clock;
	random: () => number;
	policy: StreamPolicy;
	subscribers: Subscribers;
	tracker: SequenceTracker;
	inbox: Inbox;
	/** Absent without a key, because every read needs one. */
	history?: TopicHistory;
	/** Baselines, shared by subscribers that join at about the same time. */
	baselines: SharedBaseline<FirstReading>;
	/** The latest backfill, shared by subscribers that return after it. */
	recent: RecentReading;
	suspicion: Suspicion;
	failures: FailureLog;
	/** Whether the topic is subscribed at present. If not, the service may restart without a sign. */
	isConfirmed(): boolean;
	/** Called with the events of a backfill before they are delivered. */
	observed(events: readonly TopicEvent[]): void;
	/** Subscribes the topic again, because a confirmation may carry a snapshot where REST has none. */
	resubscribe(): void;
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

export function createReconciler(ports: ReconcilerPorts): Reconciler {
	const { name, topic, clock, random, policy, subscribers, tracker, inbox, resubscribe } = ports;
	const isSnapshot = topic.order === 'snapshot';
	const isServed = (one: Subscriber): boolean => baselines.isDone(one) && !one.lagging.has(name);
	const servedNow = (): Subscriber[] => subscribers.all().filter(isServed);
	const backfill = backfillOf(ports, servedNow);
	const scheduler = createScheduler({ run: read, clock, random, everyMs: backfill && policy.readEveryMs });
	const stopped = new AbortController();
	const reading: Reading = { signal: stopped.signal };
	const log = createReadingLog(clock, ports.failures);
	const reportFailure = createFailureNotice({ ...ports, log }, stopped.signal);
	const onLateBaseline = (): void => (ports.suspicion.arises(), scheduler.request(0));
	const baselines = createBaselineGate({ ...ports, backfill, reading, reportFailure, onLateBaseline });
	const [refusals, outdated] = [createReadRefusals(clock), createGrowingPause()];
	const doubt = createDoubt(ports, backfill);

	function readBaseline(subscriber: Subscriber): Promise<void> {
		return baselines.read(subscriber).catch((error: unknown) => {
			scheduler.request(BASELINE_AGAIN_MS);
			throw error;
		});
	}

	async function read(): Promise<number | undefined> {
		const isDoubted = isSnapshot && inbox.isStale();
		if (!backfill) {
			if (isDoubted) resubscribe();
			return undefined;
		}
		if (!ports.isConfirmed()) doubt(undefined);
		// Changes that arrive during the backfill are delivered after its snapshot.
		if (isDoubted) inbox.buffer();
		// A subscriber whose baseline fails does not delay the others.
		inbox.settleBystanders();
		for (const one of subscribers.all()) readBaseline(one).catch(() => undefined);
		const served = servedNow();
		if (served.length === 0) return void inbox.flush();
		try {
			const againMs = await readOnce(backfill, served, isDoubted);
			refusals.reset();
			return againMs;
		} catch (error) {
			return failed(served, error);
		}
	}

	async function readOnce(source: Backfill, served: Subscriber[], isDoubted: boolean) {
		const { isWhole, isForAll, found, isOutdated, snapshot } = await source.run(served, reading);
		// A stale book needs a newer snapshot; a sound book needs none.
		if (isOutdated) return void (isDoubted && scheduler.request(outdated.pauseMs()));
		outdated.reset();
		if (snapshot) inbox.startBook(snapshot.sequence);
		if (!isWhole) return served.every((one) => one.isFull()) ? READ_SPACING_MS : SLICE_PAUSE_MS;
		if (isForAll === false) scheduler.requestForNewcomer();
		tracker.read(found);
		log.done();
		inbox.flush();
		return undefined;
	}

	/** A key without read permission is tried again at growing pauses; any other failure is retried soon. */
	function failed(served: readonly Subscriber[], error: unknown): number | undefined {
		if (!isRefusal(error)) {
			reportFailure(served, error);
			throw error;
		}
		const againMs = refusals.pauseMs();
		reportFailure(served, error, againMs);
		inbox.flush();
		return againMs;
	}

	function stop(): void {
		stopped.abort();
		scheduler.stop();
	}

	return {
		baseline: readBaseline,
		...createRequests(ports, { backfill, scheduler, isServed }),
		heard: backfill?.heard ?? (() => undefined),
		doubt,
		reconnected: () => backfill?.reconnected?.(),
		canRead: () => backfill !== undefined,
		status: () => log.status(scheduler.nextAt(), ports.history?.place() ?? null),
		take: (events) => take(events, servedNow(), ports),
		stop,
	};
}

/** Suspects a restart of the sequence numbers for each subscriber that may not be in the run of the service. */
const createDoubt =
	({ name, subscribers }: ReconcilerPorts, backfill: Backfill | undefined) =>
	(position: Position | undefined): boolean => {
		const doubted = subscribers.all().filter((one) => one.cursor(name).mayRestart(position));
		if (doubted.length > 0) backfill?.restarted?.();
		return doubted.length > 0;
	};

interface RequestParts {
	backfill: Backfill | undefined;
	scheduler: Scheduler;
	isServed(subscriber: Subscriber): boolean;
}

/** Requests the backfills of a topic, by what happened to it. */
function createRequests(ports: ReconcilerPorts, { backfill, scheduler, isServed }: RequestParts) {
	const { topic, policy, subscribers, tracker, inbox } = ports;
	const isBook = topic.order === 'snapshot';

	/** Live messages wait for the backfill where events have an order. */
	function bufferInOrder(): void {
		if (backfill && topic.order !== 'none') inbox.buffer();
	}

	function requestReconcile(reason?: Step | 'subscribed'): void {
		if (reason === 'gap' || reason === 'unusable') subscribers.doubted();
		if (isBook) {
			// Changes may be missing, so the book starts over.
			inbox.markStale();
			bufferInOrder();
			return scheduler.request(0, reason === 'subscribed');
		}
		if (!backfill) return;
		if (reason === 'gap' && tracker.isSparse()) return scheduler.ensure(READ_LAG_MS_MAX, READ_SPARSE_EVERY_MS);
		for (const delayMs of policy.readAfterMs) scheduler.request(delayMs, reason === 'subscribed' && delayMs === 0);
	}

	function subscribed(): void {
		bufferInOrder();
		requestReconcile('subscribed');
	}

	function serveNewcomers(newcomers: Iterable<Subscriber>): void {
		if (isBook || !backfill) return requestReconcile('subscribed');
		const left = [...newcomers].filter((one) => !isServed(one) || !backfill.serveNewcomer?.(one));
		if (left.length > 0 && scheduler.requestForNewcomer()) bufferInOrder();
	}

	return { requestReconcile, subscribed, serveNewcomers };
}

/** Offers events that were read for another purpose. */
function take(events: TopicEvent[], to: readonly Subscriber[], { name, observed, notice }: ReconcilerPorts): void {
	observed(events);
	const said = { topic: name, observed, notice: sayAbout(name, notice) };
	for (const one of to) offerRead(one, events, said);
}

const sayAbout =
	(topic: string, notice: ReconcilerPorts['notice']) => (to: Subscriber, one: Omit<StreamNotice, 'state'>) =>
		notice(to, { ...one, topic });

/** The pauses before a snapshot that was too old is read again. */
function createGrowingPause() {
	let count = 0;
	return {
		pauseMs: (): number => doubled(OUTDATED_AGAIN_MS, count++),
		reset: (): void => void (count = 0),
	};
}

/** The pauses for a key without read permission. A refusal during a pause does not extend it. */
function createReadRefusals(clock: Pick<Clock, 'elapsed'>) {
	let [count, endsAt] = [0, Number.NEGATIVE_INFINITY];
	return {
		pauseMs: (): number => {
			const now = clock.elapsed();
			if (now < endsAt) return endsAt - now;
			count += 1;
			const growth = 3 ** Math.max(0, count - REFUSALS_CONFIRM);
			const pauseMs = Math.min(REFUSED_RETRY_MS.cap, REFUSED_RETRY_MS.base * growth);
			endsAt = now + pauseMs;
			return pauseMs;
		},
		reset: (): void => {
			[count, endsAt] = [0, Number.NEGATIVE_INFINITY];
		},
	};
}

/** The backfill of a topic, if it has one. */
function backfillOf(
	{ name, topic, inbox, notice, history, ...ports }: ReconcilerPorts,
	served: () => readonly Subscriber[],
): Backfill | undefined {
	const { backfill: source } = topic;
	if (!history || source === 'live-only') return undefined;
	const shared = {
		...ports,
		topic: name,
		identify: topic.identify,
		history,
		notice: sayAbout(name, notice),
	};
	switch (source.from) {
		case 'list':
			return createListBackfill({ ...shared, source });
		case 'sequence':
			return createSequenceBackfill({ ...shared, source });
		case 'snapshot':
			return createSnapshotBackfill({ ...shared, source, served, isOutdated: inbox.isOutdated });
	}
}
