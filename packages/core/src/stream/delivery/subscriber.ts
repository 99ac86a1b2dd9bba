import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamNotice, StreamState } from '../contract';
import { createAdmission, type Arrival } from './admission';
import { topicFilter } from './filter';
import { topicOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import { BOOK_BACKLOG_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { guardedConsumer } from './guard';
import { createTopicProgress, type TopicProgress } from './progress';
import { createHandOver } from './hand-over';
import { discard, emptyQueue, isCrowded, isFull, isOverfull, push, sizeOf, waitingOf, type Queue } from './queue';
import { createTallies, type Tallies } from './tally';
import { createCheckpointTracker, type CheckpointTracker } from './checkpoint';
import { noticeTexts, stateTexts } from '../notice-text';

/** What the stream has of one {@link Consumer}: its cursor per topic, its queue, its checkpoint. */
export interface Subscriber
	extends
		Pick<CheckpointTracker, 'cursor' | 'hasStored' | 'wasStored' | 'unreadSince' | 'awaitBaseline' | 'begin'>,
		TopicProgress {
	readonly consumer: Consumer;
	readonly counters: Counters;
	/** Topics whose events were dropped because the host was too slow. */
	readonly lagging: Set<string>;
	/** Whether events of an exact topic may pass the filters. */
	wants(topic: string): boolean;
	/** Queues the new events that pass the filters; returns how many there were. */
	offer(events: readonly TopicEvent[], arrival: Arrival): number;
	waiting(): number;
	waitingOf(topic: string): number;
	/** Counters per topic. */
	tally: Tallies;
	/** Whether its queue is full. */
	isFull(): boolean;
	/** Whether its queue is too full for its connection to resume. */
	isCrowded(): boolean;
	notice(notice: StreamNotice): void;
	/** The connection of one of its topics changed its state. */
	changed(state: StreamState): void;
	/** Starts the delivery. */
	start(): void;
	/** Stops the delivery; the acknowledgement of a delivery in flight still moves the checkpoint. */
	close(): void;
}

export interface SubscriberPorts {
	policy: StreamPolicy;
	clock: Clock;
	/** Whether lists are read, which needs a key. */
	isRead: boolean;
	random: () => number;
	/** The queue is full: the connection should pause. */
	full(): void;
	/** The host acknowledged events, or has none left to acknowledge. */
	acknowledged(): void;
	/** The subscriber failed and gets nothing more. */
	failed(error: ExchangeError): void;
	/** A backfill found a new state of an order. */
	moved(event: TopicEvent): void;
}

export function createSubscriber(consumer: Consumer, ports: SubscriberPorts): Subscriber {
	const { clock, random, moved } = ports;
	const guarded = guardedConsumer(consumer, ports.failed);
	const checkpoints = createCheckpointTracker(guarded, ports);
	const [counters, tally] = [noCounters(), createTallies()];
	const isBook = booksAmong(consumer.topics);
	const notice = (streamNotice: StreamNotice): void => guarded.onNotice?.(streamNotice);
	const [queue, lagging] = [emptyQueue(), new Set<string>()];
	const handOver = createHandOver(queue, {
		...{ clock, random },
		deliver: guarded.deliver,
		batchMax: consumer.batchMax ?? 1,
		acknowledged: (entries) => {
			counters.delivered += entries.length;
			for (const { event } of entries) if (!event.kind) tally(event.topic).delivered[event.delivery] += 1;
			checkpoints.acknowledge(entries);
			ports.acknowledged();
		},
		rejected: (tries) => tries === 1 && notice(notTaken()),
	});

	const progress = createTopicProgress({ checkpoints, queue, handOver, lagging, clock });
	const { record } = progress;
	const admit = createAdmission({ clock, moved, consumer, checkpoints, record, counters, tally, notice });

	function drop(topic: string): void {
		lagging.add(topic);
		if (isBook(topic)) discard(queue, topic);
		notice(degraded(topic, noticeTexts.tooSlow));
		// With an empty queue no acknowledgement follows that would request a new snapshot.
		if (sizeOf(queue) === 0) ports.acknowledged();
	}

	function offer(events: readonly TopicEvent[], arrival: Arrival): number {
		const { topic } = arrival;
		if (handOver.isClosed()) return 0;
		let count = 0;
		for (const event of events) {
			if (lagging.has(topic)) break;
			if (isOverfull(queue) || (isBook(topic) && waitingOf(queue, topic) >= BOOK_BACKLOG_MAX)) {
				drop(topic);
				continue;
			}
			const entry = admit(event, arrival, events.length);
			if (!entry) continue;
			push(queue, entry);
			count += 1;
		}
		handOver.added();
		if (checkpoints.cursor(topic).tellsOverrun()) notice(degraded(topic, noticeTexts.forgotten));
		if (isFull(queue)) ports.full();
		return count;
	}

	return {
		...checkpoints,
		...progress,
		consumer,
		counters,
		lagging,
		wants: topicFilter(consumer.filters),
		offer,
		...sizesOf(queue),
		tally,
		notice,
		changed: (state) => {
			if (state === 'waiting') counters.reconnects += 1;
			notice({ kind: 'state', state, text: stateTexts[state] });
		},
		start: () => {
			handOver.start();
			checkpoints.flush();
		},
		close: () => {
			// A subscriber that never started stores nothing: its queued events would count as delivered.
			if (handOver.close()) checkpoints.flush();
		},
	};
}

const sizesOf = (queue: Queue): Pick<Subscriber, 'waiting' | 'waitingOf' | 'isFull' | 'isCrowded'> => ({
	waiting: () => sizeOf(queue),
	waitingOf: (topic) => waitingOf(queue, topic),
	isFull: () => isFull(queue),
	isCrowded: () => isCrowded(queue),
});

/** Which topics are order books: a slow host gets a new snapshot of a book instead of its queued changes. */
function booksAmong(topics: readonly string[]): (topic: string) => boolean {
	const books = new Set(topics.filter((topic) => topicOf(topic)?.keeps === 'book'));
	return (topic) => books.has(topic);
}

const notTaken = (): StreamNotice => ({
	kind: 'degraded',
	state: 'live',
	text: noticeTexts.notAcknowledged,
});

const degraded = (topic: string, text: string): StreamNotice => ({ kind: 'degraded', state: 'live', topic, text });

const noCounters = (): Counters => ({
	received: 0,
	delivered: 0,
	waiting: 0,
	duplicates: 0,
	filtered: 0,
	reconciled: 0,
	gaps: 0,
	ignored: 0,
	reconnects: 0,
});
