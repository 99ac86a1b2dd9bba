import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamEvent, StreamNotice } from '../contract';
import type { Position } from '../position';
import type { EventFacts, TopicEvent } from '../topics/event';
import type { CheckpointTracker } from './checkpoint';
import type { Cursor } from './cursor';
import { eventFilter } from './filter';
import { lengthOf, type Queue } from './queue';
import type { Tallies } from './tally';
import { noticeTexts } from '../notice-text';

/** How events arrived, and their position on the stream. */
export interface Arrival {
	topic: string;
	delivery: StreamEvent['delivery'];
	ts: string | null;
	position?: Position;
	stale?: boolean;
	/** Characters of the message, which tell how much memory its events take. */
	length?: number;
	/** When the message arrived; defaults to now. */
	at?: number;
}

interface AdmissionPorts {
	consumer: Consumer;
	checkpoints: Pick<CheckpointTracker, 'cursor'>;
	queue: Pick<Queue, 'push' | 'note'>;
	counters: Counters;
	tally: Tallies;
	notice(notice: StreamNotice): void;
	/** A backfill found a new state of an order. */
	moved(event: TopicEvent): void;
	clock: Clock;
}

/** Queues an event if it is new and passes the filters; returns whether it did. `together`: events of its message. */
type Admission = (event: TopicEvent, arrival: Arrival, together: number) => boolean;

export function createAdmission({
	consumer,
	checkpoints,
	queue,
	counters,
	tally,
	notice,
	moved,
	clock,
}: AdmissionPorts): Admission {
	const passes = eventFilter(consumer.filters);

	const cover = (topic: string, sequence: number): void =>
		queue.note(topic, { covered: [{ after: sequence - 1, upTo: sequence }] });

	/** An event that the filters reject counts as acknowledged, if a backfill would otherwise read it again. */
	function pass(topic: string, facts: EventFacts): void {
		const { order, sequence } = facts;
		if (order) queue.note(topic, { acknowledged: new Map([[order.id, facts]]) });
		if (sequence !== undefined) cover(topic, sequence);
	}

	/** An event that was delivered before the sequence numbers restarted is stored under its new number. */
	function known({ sequence }: TopicEvent, topic: string, { isCovered }: Cursor): false {
		if (sequence !== undefined && isCovered(sequence)) cover(topic, sequence);
		return false;
	}

	function admit(event: TopicEvent, arrival: Arrival, together: number): boolean {
		const { topic } = arrival;
		const isRead = arrival.delivery === 'reconciled';
		const cursor = checkpoints.cursor(topic);
		const facts = cursor.admit(event, isRead, arrival.at ?? clock.now(), arrival.position?.epoch);
		if (!facts) {
			if (isRead) return known(event, topic, cursor);
			counters.duplicates += 1;
			tally(topic).duplicates += 1;
			return false;
		}
		if (isRead && event.order) moved(event);
		if (passes(event)) {
			// Events read over REST have no message length; they are measured only here, because most of them are duplicates.
			const length = arrival.length === undefined ? lengthOf(event.data) : arrival.length / together;
			queue.push(eventOf(facts.key, event, arrival), facts, length);
			counters.reconciled += isRead && !event.kind ? 1 : 0;
			return true;
		}
		counters.filtered += 1;
		tally(topic).filtered += 1;
		pass(topic, facts);
		return false;
	}

	/** An event that cannot be processed is dropped with a notice; the others are still delivered. */
	return (event, arrival, together) => {
		try {
			return admit(event, arrival, together);
		} catch {
			counters.ignored += 1;
			const { topic } = arrival;
			notice({ kind: 'degraded', state: 'live', topic, text: noticeTexts.unusable });
			return false;
		}
	};
}

function eventOf(eventKey: string, { data, kind }: TopicEvent, arrival: Arrival): StreamEvent {
	const { topic, delivery, ts, position, stale } = arrival;
	const seq = position?.seq ?? null;
	const epoch = position?.epoch ?? null;
	if (kind || stale)
		return { topic, seq, epoch, ts, data, delivery, ...(kind ? { kind } : {}), ...(stale ? { stale } : {}), eventKey };
	return { topic, seq, epoch, ts, data, delivery, eventKey };
}
