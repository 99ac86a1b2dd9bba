import { written } from '../../whole';
import type { StreamEvent } from '../contract';
import type { Offered } from '../ledger/judge';
import type { Delta } from '../ledger/ledger';
import type { Position } from '../position';
import type { TopicEvent } from '../topics/event';
import { lengthOf, type Entry } from './queue';

/** How the events of one message arrived. An {@link StreamEvent} gets most of it unchanged. */
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

/** The entry of a new event for the queue. `together`: how many events its message brought. */
export function entryOf(event: TopicEvent, delta: Delta, arrival: Arrival, together: number): Entry {
	// Events read over REST have no message length; they are measured only here, because most of them are duplicates.
	const length = arrival.length === undefined ? lengthOf(event.data) : arrival.length / together;
	return { event: eventOf(delta.key!, event, arrival), delta, length, later: undefined };
}

/** Of an event that the filters reject: what counts as acknowledged, so that it is no news to a wider filter either. */
export function rejected(delta: Delta): Delta | undefined {
	const { key, order, state, sequence, shapes } = delta;
	if (sequence !== undefined) return { ranges: [[sequence, sequence]], shapes };
	const record = order?.id ?? state?.[0] ?? key;
	return record === undefined ? undefined : { deltas: new Map([[record, delta]]) };
}

/** Of a row whose event is known: it need not be read again. The first one of a run identifies it. */
export function repeated({ key, sequence, item }: TopicEvent, { isShared, mark }: Offered): Delta | undefined {
	if (sequence === undefined || isShared) return undefined;
	const delta: Delta = { ranges: [[sequence, sequence]] };
	if (!mark) delta.deltas = new Map([[key, { key, sequence, item, isRead: true }]]);
	return delta;
}

function eventOf(eventKey: string, { data, kind }: TopicEvent, arrival: Arrival): StreamEvent {
	const { topic, delivery, ts, position, stale } = arrival;
	const seq = position ? written(position.seq) : null;
	const epoch = position?.epoch ?? null;
	if (kind || stale)
		return { topic, seq, epoch, ts, data, delivery, ...(kind ? { kind } : {}), ...(stale ? { stale } : {}), eventKey };
	return { topic, seq, epoch, ts, data, delivery, eventKey };
}
