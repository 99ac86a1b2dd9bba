import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamEvent, StreamNotice, StreamState } from '../contract';
import { passes, topicFilter } from './filter';
import { kindOfTopic, type Happening } from '../topics/event';
import { BOOK_BACKLOG_MAX, QUEUE_HARD_MAX, QUEUE_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { createQueue } from './queue';
import type { Position } from '../connection/position';
import { createStanding, type Standing } from './checkpoint';

/** How happenings reached the stream, and where they stand on it. */
export interface Arrival {
	topic: string;
	delivery: StreamEvent['delivery'];
	ts: string | null;
	position?: Position;
	stale?: boolean;
}

/** One consumer: what it knows per topic, what waits for it, what it has taken. */
export interface Receiver extends Pick<Standing, 'ledger' | 'hasStored' | 'begin'> {
	readonly consumer: Consumer;
	readonly counters: Counters;
	/** Topics whose events it let go because it could not keep up. */
	readonly behind: Set<string>;
	/** Whether the filters may let something of an exact topic through. */
	wants(topic: string): boolean;
	/** Hands over what is new and passes the filters. */
	offer(happenings: readonly Happening[], arrival: Arrival): void;
	/** Everything on the stream up to here was offered. */
	move(topic: string, position: Position): void;
	/** Makes the past up to a watermark known without handing it over. */
	skip(topic: string, happenings: readonly Happening[], watermark: number | undefined): void;
	/** A reading is done, and everything in it was offered: the past is settled up to the watermark. */
	settle(topic: string, happenings: readonly Happening[], watermark: number | undefined): void;
	waiting(): number;
	notice(notice: StreamNotice): void;
	/** The connection of one of its topics is in another state now. */
	changed(state: StreamState): void;
	/** Begins to hand over. */
	start(): void;
	/** Nothing more is handed over from here on; what the host is busy with still moves the position. */
	close(): void;
}

export interface ReceiverPorts {
	policy: StreamPolicy;
	clock: Clock;
	random: () => number;
	/** The queue is full: the connection should wait. */
	full(): void;
	/** The host took something. */
	moved(): void;
}

export function createReceiver(consumer: Consumer, ports: ReceiverPorts): Receiver {
	const standing = createStanding(consumer, ports.policy, ports.clock);
	const counters = noCounters();
	const behind = new Set<string>();
	const notice = (given: StreamNotice): void => consumer.notice?.(given);
	const queue = createQueue({
		...ports,
		take: (events) => consumer.take(events),
		batchMax: consumer.batchMax ?? 1,
		taken: (entries) => {
			counters.delivered += entries.length;
			standing.take(entries);
			ports.moved();
		},
		settled: standing.settle,
		rejected: (tries) =>
			tries === 1 &&
			notice({ kind: 'degraded', state: 'live', text: 'The host did not take an event; it will be handed over again' }),
	});

	function offer(happenings: readonly Happening[], arrival: Arrival): void {
		const { topic, delivery } = arrival;
		if (behind.has(topic)) return;
		const ledger = standing.ledger(topic);
		const isRead = delivery === 'reconciled';
		for (const happening of happenings) {
			if (queue.size() >= QUEUE_HARD_MAX || isBookLate(topic)) return letGo(topic);
			const told = ledger.admit(happening, isRead);
			if (!told) counters.duplicates += isRead ? 0 : 1;
			else if (!passes(consumer.filters ?? {}, happening)) {
				counters.filtered += 1;
				if (told.order) queue.note(topic, { told: new Map([[told.order.id, told]]) });
			} else {
				if (isRead) counters.reconciled += 1;
				queue.push(eventOf(happening, arrival), told);
			}
		}
		if (queue.size() >= QUEUE_MAX) ports.full();
	}

	/** Changes to a book nobody has taken are worth less than the book as it is now. */
	const isBookLate = (topic: string): boolean =>
		kindOfTopic(topic) === 'book' && queue.waiting(topic) >= BOOK_BACKLOG_MAX;

	function letGo(topic: string): void {
		behind.add(topic);
		if (kindOfTopic(topic) === 'book') queue.discard(topic);
		notice({
			kind: 'degraded',
			state: 'live',
			topic,
			text: 'The host cannot keep up; it will catch up from what is read',
		});
	}

	function settle(topic: string, happenings: readonly Happening[], watermark: number | undefined): void {
		if (behind.has(topic)) return;
		standing.ledger(topic).read(happenings, watermark);
		queue.note(topic, { watermark });
	}

	return {
		...standing,
		consumer,
		counters,
		behind,
		wants: topicFilter(consumer.filters),
		offer,
		move: (topic, position) => {
			if (behind.has(topic)) return;
			standing.ledger(topic).move(position);
			queue.note(topic, { position });
		},
		skip: (topic, happenings, watermark) => {
			const ledger = standing.ledger(topic);
			const told = happenings.flatMap((happening) => ledger.admit(happening, false) ?? []);
			queue.note(topic, { told: new Map(told.map((each) => [each.order?.id ?? each.key, each])) });
			ledger.forget(watermark);
			settle(topic, happenings, watermark);
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
			standing.flush();
		},
		close: () => {
			queue.close();
			standing.flush();
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

const eventOf = ({ key, data }: Happening, { topic, delivery, ts, position, stale }: Arrival): StreamEvent => ({
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
