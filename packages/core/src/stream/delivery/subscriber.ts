import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamEvent, StreamNotice, StreamState } from '../contract';
import { passes, topicFilter } from './filter';
import { topicOf } from '../topics';
import type { EventFacts, TopicEvent } from '../topics/event';
import { BOOK_BACKLOG_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { guardedConsumer } from './guard';
import { createQueue, lengthOf } from './queue';
import type { Position } from '../position';
import { createCheckpointTracker, type CheckpointTracker } from './checkpoint';

/** How events reached the stream, and where they stand on it. */
interface Arrival {
	topic: string;
	delivery: StreamEvent['delivery'];
	ts: string | null;
	position?: Position;
	stale?: boolean;
	/** Characters of the message, which tell how much memory its events take. */
	length?: number;
}

/** One consumer: what it knows per topic, what waits for it, what it acknowledged. */
export interface Subscriber extends Pick<CheckpointTracker, 'cursor' | 'hasStored' | 'begin'> {
	readonly consumer: Consumer;
	readonly counters: Counters;
	/** Topics whose events were dropped because it could not keep up. */
	readonly lagging: Set<string>;
	/** Whether the filters may let something of an exact topic through. */
	wants(topic: string): boolean;
	/** Queues what is new and passes the filters; answers how much that was. */
	offer(events: readonly TopicEvent[], arrival: Arrival): number;
	/** Everything on the stream up to here was offered. */
	advance(topic: string, position: Position): void;
	/** Makes history up to a watermark known without delivering it. */
	markKnown(topic: string, events: readonly TopicEvent[], watermark: number | undefined): void;
	/** Everything after one sequence up to another was offered or does not exist. */
	cover(topic: string, after: number, upTo: number): void;
	/** The service numbers a topic anew. */
	restart(topic: string): void;
	/** A reading is done, and everything in it was offered: history is settled up to the watermark. */
	settle(topic: string, watermark: number | undefined): void;
	waiting(): number;
	/** Whether it should not be given more for now. */
	isFull(): boolean;
	/** Whether so much waits that its connection should not go on yet. */
	isCrowded(): boolean;
	notice(notice: StreamNotice): void;
	/** The connection of one of its topics is in another state now. */
	changed(state: StreamState): void;
	/** Begins to deliver. */
	start(): void;
	/** Nothing more is delivered from here on; what the host is busy with still moves the checkpoint. */
	close(): void;
}

export interface SubscriberPorts {
	policy: StreamPolicy;
	clock: Clock;
	random: () => number;
	/** The queue is full: the connection should wait. */
	full(): void;
	/** The host acknowledged something. */
	acknowledged(): void;
	/** The consumer itself failed, and gets nothing more. */
	failed(error: ExchangeError): void;
}

export function createSubscriber(consumer: Consumer, ports: SubscriberPorts): Subscriber {
	const { clock } = ports;
	const guarded = guardedConsumer(consumer, ports.failed);
	const checkpoints = createCheckpointTracker(guarded, ports.policy, clock);
	const counters = noCounters();
	const lagging = new Set<string>();
	const notice = (given: StreamNotice): void => guarded.onNotice?.(given);
	const queue = createQueue({
		...ports,
		deliver: guarded.deliver,
		batchMax: consumer.batchMax ?? 1,
		acknowledged: (entries) => {
			counters.delivered += entries.length;
			checkpoints.acknowledge(entries);
			ports.acknowledged();
		},
		settled: checkpoints.settle,
		rejected: (tries) =>
			tries === 1 &&
			notice({ kind: 'degraded', state: 'live', text: 'The host did not take an event; it will be handed over again' }),
	});

	function offer(events: readonly TopicEvent[], arrival: Arrival): number {
		const { topic } = arrival;
		let count = 0;
		for (const event of events) {
			if (lagging.has(topic)) break;
			if (queue.isOverfull() || isBookLate(topic)) drop(topic);
			else if (offerOne(event, { ...arrival, length: (arrival.length ?? lengthOf(event.data)) / events.length }))
				count += 1;
		}
		if (queue.isFull()) ports.full();
		return count;
	}

	/** An event that cannot be used is refused alone, and said; the others flow. */
	function offerOne(event: TopicEvent, arrival: Arrival): boolean {
		const { topic, delivery } = arrival;
		const isRead = delivery === 'reconciled';
		try {
			const facts = checkpoints.cursor(topic).admit(event, { isRead, now: clock.now() });
			if (!facts) {
				counters.duplicates += isRead ? 0 : 1;
				return false;
			}
			if (passes(consumer.filters ?? {}, event)) {
				queue.push(eventOf({ ...event, key: facts.key }, arrival), facts, arrival.length ?? 0);
				counters.reconciled += isRead ? 1 : 0;
				return true;
			}
			counters.filtered += 1;
			pass(topic, facts);
		} catch {
			counters.ignored += 1;
			notice({ kind: 'degraded', state: 'live', topic, text: 'One event could not be used and was refused' });
		}
		return false;
	}

	/** What no filter lets through counts as acknowledged where it would otherwise be read again. */
	function pass(topic: string, facts: EventFacts): void {
		const { order, sequence } = facts;
		if (order) queue.note(topic, { acknowledged: new Map([[order.id, facts]]) });
		if (sequence !== undefined) queue.note(topic, { covered: [{ after: sequence - 1, upTo: sequence }] });
	}

	/** Changes to a book nobody has taken are worth less than the book as it is now. */
	const isBookLate = (topic: string): boolean =>
		topicOf(topic)?.order === 'snapshot' && queue.waiting(topic) >= BOOK_BACKLOG_MAX;

	function drop(topic: string): void {
		lagging.add(topic);
		if (topicOf(topic)?.order === 'snapshot') queue.discard(topic);
		notice({
			kind: 'degraded',
			state: 'live',
			topic,
			text: 'The host cannot keep up; it will catch up from what is read',
		});
	}

	function settle(topic: string, watermark: number | undefined): void {
		if (lagging.has(topic)) return;
		checkpoints.cursor(topic).reconciled(watermark);
		queue.note(topic, { watermark });
	}

	function cover(topic: string, after: number, upTo: number): void {
		if (lagging.has(topic)) return;
		checkpoints.cursor(topic).cover(after, upTo);
		queue.note(topic, { covered: [{ after, upTo }] });
	}

	function markKnown(topic: string, events: readonly TopicEvent[], watermark: number | undefined): void {
		const cursor = checkpoints.cursor(topic);
		const facts = events.flatMap((event) => cursor.admit(event, { isRead: false, now: clock.now() }) ?? []);
		queue.note(topic, { acknowledged: new Map(facts.map((each) => [each.order?.id ?? each.key, each])) });
		cursor.forget(watermark);
		settle(topic, watermark);
	}

	return {
		...checkpoints,
		consumer,
		counters,
		lagging,
		wants: topicFilter(consumer.filters),
		offer,
		advance: (topic, position) => {
			if (lagging.has(topic)) return;
			checkpoints.cursor(topic).advance(position);
			queue.note(topic, { position });
		},
		markKnown,
		cover,
		restart: (topic) => {
			checkpoints.cursor(topic).restart();
			queue.note(topic, { isRestart: true });
		},
		settle,
		waiting: queue.size,
		isFull: queue.isFull,
		isCrowded: queue.isCrowded,
		notice,
		changed: (state) => {
			if (state === 'waiting') counters.reconnects += 1;
			notice({ kind: 'state', state, text: words[state] });
		},
		start: () => {
			queue.start();
			checkpoints.flush();
		},
		close: () => {
			queue.close();
			checkpoints.flush();
		},
	};
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

const eventOf = ({ key, data }: TopicEvent, { topic, delivery, ts, position, stale }: Arrival): StreamEvent => ({
	topic,
	seq: position?.seq ?? null,
	epoch: position?.epoch ?? null,
	ts,
	data,
	delivery,
	...(stale ? { stale } : {}),
	eventKey: key,
});

const words: Record<StreamState, string> = {
	connecting: 'Connecting',
	catching_up: 'Connected, catching up',
	live: 'Connected',
	waiting: 'Disconnected, waiting to connect again',
	refused: 'The key is refused; it is tried again from time to time',
	closed: 'Closed',
	failed: 'Stopped',
};
