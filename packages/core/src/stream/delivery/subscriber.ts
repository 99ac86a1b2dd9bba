import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamNotice, StreamState } from '../contract';
import { judge } from '../ledger/judge';
import { tellsOverrun } from '../ledger/key-index';
import { BOOK_BACKLOG_MAX } from '../limits';
import { noticeTexts, stateTexts } from '../notice-text';
import type { StreamPolicy } from '../policy';
import { topicOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import { entryOf, rejected, repeated, type Arrival } from './admission';
import type { CursorOptions } from './cursor';
import { createCursors, type Cursors } from './cursors';
import { eventFilter, topicFilter } from './filter';
import { guardedConsumer } from './guard';
import { createHandOver } from './hand-over';
import { discard, emptyQueue, isFull, isOverfull, push, sizeOf, waitingOf, type Entry, type Queue } from './queue';

/**
 * What the stream has of one {@link Consumer}: a cursor for each topic and one queue. What was offered is what was
 * acknowledged and what waits in the queue.
 */
export interface Subscriber extends Cursors {
	readonly consumer: Consumer;
	readonly counters: Counters;
	readonly queue: Queue;
	/** Whether events of an exact topic may pass the filters. */
	wants(topic: string): boolean;
	/** Queues the new events that pass the filters; returns how many there were. */
	offer(events: readonly TopicEvent[], arrival: Arrival): number;
	notice(notice: StreamNotice): void;
	/** The connection of one of its topics changed its state. */
	changed(state: StreamState): void;
	/** Starts the delivery. */
	start(): void;
	/** Stops the delivery; the acknowledgement of a delivery in flight still moves the checkpoint. */
	close(): void;
}

export interface SubscriberPorts extends CursorOptions {
	policy: StreamPolicy;
	clock: Clock;
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
	const { clock, random, policy, isRead, keys } = ports;
	const guarded = guardedConsumer(consumer, ports.failed);
	const [counters, queue] = [noCounters(), emptyQueue()];
	const [passes, isBook] = [eventFilter(consumer.filters), booksAmong(consumer.topics)];
	const notice = (said: StreamNotice): void => guarded.onNotice?.(said);
	const warn = (text: string, topic?: string): void =>
		notice({ kind: 'degraded', state: 'live', ...(topic === undefined ? {} : { topic }), text });
	const handOver = createHandOver(queue, {
		...{ clock, random },
		deliver: guarded.deliver,
		batchMax: consumer.batchMax ?? 1,
		acknowledged: (entries) => {
			counters.delivered += entries.length;
			acknowledged(entries);
			ports.acknowledged();
		},
		rejected: (tries) => tries === 1 && warn(noticeTexts.notAcknowledged),
	});
	const { acknowledged, record, flush, close, ...cursors } = createCursors(guarded, {
		...{ policy, clock, isRead, keys, queue, handOver },
	});

	function offer(events: readonly TopicEvent[], arrival: Arrival): number {
		const { topic } = arrival;
		if (handOver.isClosed()) return 0;
		let count = 0;
		for (const event of events) {
			if (queue.lagging.has(topic)) break;
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
		if (tellsOverrun(cursors.cursor(topic).offered.keys)) warn(noticeTexts.forgotten, topic);
		if (isFull(queue)) ports.full();
		return count;
	}

	function drop(topic: string): void {
		queue.lagging.set(topic, clock.now());
		if (isBook(topic)) discard(queue, topic);
		warn(noticeTexts.tooSlow, topic);
		// With an empty queue no acknowledgement follows that would request a new snapshot.
		if (sizeOf(queue) === 0) ports.acknowledged();
	}

	/** An event that cannot be processed is dropped with a notice; the others are still delivered. */
	function admit(event: TopicEvent, arrival: Arrival, together: number): Entry | undefined {
		try {
			return judged(event, arrival, together);
		} catch {
			counters.ignored += 1;
			warn(noticeTexts.unusable, arrival.topic);
			return undefined;
		}
	}

	/** The entry of an event for the queue, if it is new and passes the filters. */
	function judged(event: TopicEvent, arrival: Arrival, together: number): Entry | undefined {
		const { topic, position, at: now = clock.now() } = arrival;
		const isRow = arrival.delivery === 'reconciled';
		const { offered, tally } = cursors.cursor(topic);
		const delta = judge(offered, event, { isRead: isRow, now, position, isNews: policy.isNews });
		if (delta && isRow && event.order) ports.moved(event);
		if (delta && passes(event)) {
			if (isRow && !event.kind) counters.reconciled += 1;
			return entryOf(event, delta, arrival, together);
		}
		if (delta || !isRow) {
			const counted = delta ? 'filtered' : 'duplicates';
			counters[counted] += 1;
			tally[counted] += 1;
		}
		const rest = delta ? rejected(delta) : isRow ? repeated(event, offered) : undefined;
		if (rest && delta) record(topic, rest);
		else if (rest) cursors.move(topic, rest);
		return undefined;
	}

	return {
		...cursors,
		...{ consumer, counters, queue, offer, notice },
		wants: topicFilter(consumer.filters),
		changed: (state) => {
			if (state === 'waiting') counters.reconnects += 1;
			// Who has not started is not waited for: a first connection that fails ends it.
			if (state === 'waiting' && !handOver.isRunning()) return;
			notice({ kind: 'state', state, text: stateTexts[state] });
		},
		start: () => {
			handOver.start();
			flush();
		},
		close: () => {
			// A subscriber that never started stores nothing: its queued events would count as delivered.
			if (handOver.close()) flush();
			close();
		},
	};
}

/** Which topics are order books: a slow host gets a new snapshot of a book instead of its queued changes. */
function booksAmong(topics: readonly string[]): (topic: string) => boolean {
	const books = new Set(topics.filter((topic) => topicOf(topic)?.keeps === 'book'));
	return (topic) => books.has(topic);
}

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
