import type { FailureLog } from '../failure-log';
import type { Subscriber } from '../delivery/subscriber';
import { BASELINE_AGAIN_MS, READ_LAG_MS_MAX, READ_SPACING_MS, READ_SPARSE_EVERY_MS, SLICE_PAUSE_MS } from '../limits';
import type { TopicEvent } from '../topics/event';
import { offerRead, type Backfill, type Reading } from '../backfill/backfill';
import { createBaselineGate } from './baseline-gate';
import { createFailureNotice, createReadingLog, isRefusal, type ReadingLog } from './reading-log';
import { createGrowingPause, createReadRefusals } from './read-pauses';
import { createScheduler, type Scheduler } from './scheduler';
import type { Position, Step } from '../position';
import type { Subscribers } from './subscribers';
import { noticesAbout, topicBackfill, type TopicBackfillPorts } from './topic-backfill';

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
	/** Events arrived over the stream. */
	heard(events: readonly TopicEvent[]): void;
	canRead(): boolean;
	status(): ReturnType<ReadingLog['status']>;
	/** Offers events that were read over REST for another purpose. */
	take(events: TopicEvent[]): void;
	stop(): void;
}

export interface ReconcilerPorts extends TopicBackfillPorts {
	random: () => number;
	subscribers: Subscribers;
	failures: FailureLog;
	/** Subscribes the topic again, because a confirmation may carry a snapshot where REST has none. */
	resubscribe(): void;
}

export function createReconciler(ports: ReconcilerPorts): Reconciler {
	const { name, topic, clock, random, policy, subscribers, tracker, inbox, resubscribe } = ports;
	const isSnapshot = topic.order === 'snapshot';
	const isServed = (one: Subscriber): boolean => baselines.isDone(one) && !one.lagging.has(name);
	const servedNow = (): Subscriber[] => subscribers.all().filter(isServed);
	const backfill = topicBackfill(ports, servedNow);
	const scheduler = createScheduler({ run: read, clock, random, everyMs: backfill && policy.readEveryMs });
	const [stopped, log] = [new AbortController(), createReadingLog(clock, ports.failures)];
	const reading: Reading = { signal: stopped.signal };
	const reportFailure = createFailureNotice({ name, notice: ports.notice, log }, stopped.signal);
	const baselines = createBaselineGate({
		...{ name, clock, subscribers, inbox, backfill, reading, reportFailure },
		onLateBaseline: () => (ports.suspicion.arises(), scheduler.request(0)),
	});
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
		take: (events) => {
			backfill?.heard?.(events);
			take(events, servedNow(), ports);
		},
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
	const said = { topic: name, observed, notice: noticesAbout(name, notice) };
	for (const one of to) offerRead(one, events, said);
}
