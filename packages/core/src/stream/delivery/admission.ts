import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamEvent, StreamNotice } from '../contract';
import type { Position } from '../position';
import type { Delta } from '../ledger/ledger';
import type { TopicEvent } from '../topics/event';
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

/** How events arrive that were read over REST, and notices. */
export const readOverRest = (topic: string): Arrival => ({ topic, delivery: 'reconciled', ts: null });

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

	/** An event that the filters reject counts as acknowledged, if a backfill would otherwise read it again. */
	function pass(topic: string, delta: Delta): void {
		const { order, state, sequence, shapes } = delta;
		if (order) queue.note(topic, { known: new Map([[order.id, delta]]) });
		if (state) queue.note(topic, { known: new Map([[state[0], delta]]) });
		if (sequence !== undefined) queue.note(topic, { ranges: [[sequence, sequence]], shapes });
	}

	/** A row whose event is known need not be read again. The first one of a run identifies it. */
	function known({ key, sequence, item }: TopicEvent, topic: string, cursor: Cursor): false {
		if (sequence === undefined || cursor.isShared()) return false;
		const delta: Delta = { ranges: [[sequence, sequence]] };
		if (!cursor.mark()) delta.known = new Map([[key, { key, sequence, item, isRead: true }]]);
		cursor.offer(delta);
		queue.note(topic, delta);
		return false;
	}

	function admit(event: TopicEvent, arrival: Arrival, together: number): boolean {
		const { topic, position } = arrival;
		const isRead = arrival.delivery === 'reconciled';
		const cursor = checkpoints.cursor(topic);
		const delta = cursor.judge(event, { isRead, now: arrival.at ?? clock.now(), position });
		if (!delta) {
			if (isRead) return known(event, topic, cursor);
			counters.duplicates += 1;
			tally(topic).duplicates += 1;
			return false;
		}
		if (isRead && event.order) moved(event);
		if (passes(event)) {
			// Events read over REST have no message length; they are measured only here, because most of them are duplicates.
			const length = arrival.length === undefined ? lengthOf(event.data) : arrival.length / together;
			queue.push(eventOf(delta.key!, event, arrival), delta, length);
			counters.reconciled += isRead && !event.kind ? 1 : 0;
			return true;
		}
		counters.filtered += 1;
		tally(topic).filtered += 1;
		pass(topic, delta);
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
