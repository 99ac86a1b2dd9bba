import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamEvent, StreamNotice, StreamState } from '../contract';
import { passes, topicFilter } from './filter';
import { kindOfTopic, type TopicEvent } from '../topics/event';
import { BOOK_BACKLOG_MAX, QUEUE_HARD_MAX, QUEUE_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { createQueue } from './queue';
import type { Position } from '../connection/position';
import { createCheckpointTracker, type CheckpointTracker } from './checkpoint';

/** How events reached the stream, and where they stand on it. */
export interface Arrival {
	topic: string;
	delivery: StreamEvent['delivery'];
	ts: string | null;
	position?: Position;
	stale?: boolean;
}

/** One consumer: what it knows per topic, what waits for it, what it has taken. */
export interface Subscriber extends Pick<CheckpointTracker, 'cursor' | 'hasStored' | 'begin'> {
	readonly consumer: Consumer;
	readonly counters: Counters;
	/** Topics whose events it let go because it could not keep up. */
	readonly lagging: Set<string>;
	/** Whether the filters may let something of an exact topic through. */
	wants(topic: string): boolean;
	/** Hands over what is new and passes the filters. */
	offer(events: readonly TopicEvent[], arrival: Arrival): void;
	/** Everything on the stream up to here was offered. */
	advance(topic: string, position: Position): void;
	/** Makes the history up to a watermark known without handing it over. */
	markKnown(topic: string, events: readonly TopicEvent[], watermark: number | undefined): void;
	/** A reading is done, and everything in it was offered: the history is settled up to the watermark. */
	settle(topic: string, events: readonly TopicEvent[], watermark: number | undefined): void;
	waiting(): number;
	notice(notice: StreamNotice): void;
	/** The connection of one of its topics is in another state now. */
	changed(state: StreamState): void;
	/** Begins to hand over. */
	start(): void;
	/** Nothing more is handed over from here on; what the host is busy with still moves the position. */
	close(): void;
}

export interface SubscriberPorts {
	policy: StreamPolicy;
	clock: Clock;
	random: () => number;
	/** The queue is full: the connection should wait. */
	full(): void;
	/** The host took something. */
	moved(): void;
}

export function createSubscriber(consumer: Consumer, ports: SubscriberPorts): Subscriber {
	const checkpoints = createCheckpointTracker(consumer, ports.policy, ports.clock);
	const counters = noCounters();
	const lagging = new Set<string>();
	const notice = (given: StreamNotice): void => consumer.onNotice?.(given);
	const queue = createQueue({
		...ports,
		deliver: (events) => consumer.deliver(events),
		batchMax: consumer.batchMax ?? 1,
		acknowledged: (entries) => {
			counters.delivered += entries.length;
			checkpoints.acknowledge(entries);
			ports.moved();
		},
		settled: checkpoints.settle,
		rejected: (tries) =>
			tries === 1 &&
			notice({ kind: 'degraded', state: 'live', text: 'The host did not take an event; it will be handed over again' }),
	});

	function offer(events: readonly TopicEvent[], arrival: Arrival): void {
		const { topic, delivery } = arrival;
		if (lagging.has(topic)) return;
		const cursor = checkpoints.cursor(topic);
		const isRead = delivery === 'reconciled';
		for (const event of events) {
			if (queue.size() >= QUEUE_HARD_MAX || isBookLate(topic)) return drop(topic);
			const facts = cursor.admit(event, isRead);
			if (!facts) counters.duplicates += isRead ? 0 : 1;
			else if (!passes(consumer.filters ?? {}, event)) {
				counters.filtered += 1;
				if (facts.order) queue.note(topic, { acknowledged: new Map([[facts.order.id, facts]]) });
			} else {
				if (isRead) counters.reconciled += 1;
				queue.push(eventOf(event, arrival), facts);
			}
		}
		if (queue.size() >= QUEUE_MAX) ports.full();
	}

	/** Changes to a book nobody has taken are worth less than the book as it is now. */
	const isBookLate = (topic: string): boolean =>
		kindOfTopic(topic) === 'book' && queue.waiting(topic) >= BOOK_BACKLOG_MAX;

	function drop(topic: string): void {
		lagging.add(topic);
		if (kindOfTopic(topic) === 'book') queue.discard(topic);
		notice({
			kind: 'degraded',
			state: 'live',
			topic,
			text: 'The host cannot keep up; it will catch up from what is read',
		});
	}

	function settle(topic: string, events: readonly TopicEvent[], watermark: number | undefined): void {
		if (lagging.has(topic)) return;
		checkpoints.cursor(topic).reconciled(events, watermark);
		queue.note(topic, { watermark });
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
		markKnown: (topic, events, watermark) => {
			const cursor = checkpoints.cursor(topic);
			const facts = events.flatMap((event) => cursor.admit(event, false) ?? []);
			queue.note(topic, { acknowledged: new Map(facts.map((each) => [each.order?.id ?? each.key, each])) });
			cursor.forget(watermark);
			settle(topic, events, watermark);
		},
		settle,
		waiting: queue.size,
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
	closed: 'Closed',
	failed: 'Stopped',
};
