import type { Clock } from '../../ports';
import type { Consumer, Counters, StreamEvent, StreamNotice } from '../contract';
import type { Position } from '../position';
import type { Delta } from '../ledger/ledger';
import type { TopicEvent } from '../topics/event';
import type { CheckpointTracker } from './checkpoint';
import type { Cursor } from './cursor';
import { eventFilter } from './filter';
import { lengthOf } from './payload-length';
import type { Entry } from './queue';
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
	/** Has a delta without an event apply once everything of its topic before it is acknowledged. */
	record(topic: string, delta: Delta): void;
	counters: Counters;
	tally: Tallies;
	notice(notice: StreamNotice): void;
	/** A backfill found a new state of an order. */
	moved(event: TopicEvent): void;
	clock: Clock;
}

/** The entry of an event for the queue, if it is new and passes the filters. `together`: events of its message. */
type Admission = (event: TopicEvent, arrival: Arrival, together: number) => Entry | undefined;

export function createAdmission({
	consumer,
	checkpoints,
	record,
	counters,
	tally,
	notice,
	moved,
	clock,
}: AdmissionPorts): Admission {
	const passes = eventFilter(consumer.filters);

	/** An event that the filters reject counts as acknowledged, if a backfill would otherwise read it again. */
	function skip(topic: string, delta: Delta): void {
		const { order, state, sequence, shapes } = delta;
		if (order) record(topic, { deltas: new Map([[order.id, delta]]) });
		if (state) record(topic, { deltas: new Map([[state[0], delta]]) });
		if (sequence !== undefined) record(topic, { ranges: [[sequence, sequence]], shapes });
	}

	/** A row whose event is known need not be read again. The first one of a run identifies it. */
	function coverRow({ key, sequence, item }: TopicEvent, topic: string, cursor: Cursor): void {
		if (sequence === undefined || cursor.isShared()) return;
		const delta: Delta = { ranges: [[sequence, sequence]] };
		if (!cursor.mark()) delta.deltas = new Map([[key, { key, sequence, item, isRead: true }]]);
		cursor.offer(delta);
		record(topic, delta);
	}

	function admit(event: TopicEvent, arrival: Arrival, together: number): Entry | undefined {
		const { topic, position } = arrival;
		const isRead = arrival.delivery === 'reconciled';
		const cursor = checkpoints.cursor(topic);
		const delta = cursor.judge(event, { isRead, now: arrival.at ?? clock.now(), position });
		if (!delta) {
			if (isRead) coverRow(event, topic, cursor);
			else {
				counters.duplicates += 1;
				tally(topic).duplicates += 1;
			}
			return undefined;
		}
		if (isRead && event.order) moved(event);
		if (passes(event)) {
			// Events read over REST have no message length; they are measured only here, because most of them are duplicates.
			const length = arrival.length === undefined ? lengthOf(event.data) : arrival.length / together;
			counters.reconciled += isRead && !event.kind ? 1 : 0;
			return { event: eventOf(delta.key!, event, arrival), delta, length, later: undefined };
		}
		counters.filtered += 1;
		tally(topic).filtered += 1;
		skip(topic, delta);
		return undefined;
	}

	/** An event that cannot be processed is dropped with a notice; the others are still delivered. */
	return (event, arrival, together) => {
		try {
			return admit(event, arrival, together);
		} catch {
			counters.ignored += 1;
			const { topic } = arrival;
			notice({ kind: 'degraded', state: 'live', topic, text: noticeTexts.unusable });
			return undefined;
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
