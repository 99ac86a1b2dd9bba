/** Events as messages of a flow. Pure. */
import type { StreamEvent } from '@partner-exchange/core';
import type { WatchEvent } from '@partner-exchange/core/adapters';
import type { NodeMessage } from 'node-red';
import { recordCopy } from '../host/record';

/**
 * One event as a message, or several as one message with arrays. Payloads are copies, because the flow may change them
 * and the same event may have to be sent again.
 */
export function messageOf(events: readonly StreamEvent[], batch: number): NodeMessage {
	if (batch === 1) {
		const event = events[0]!;
		return { topic: event.topic, payload: recordCopy(event.data), event: factsOf(event) };
	}
	const [first, ...others] = new Set(events.map(({ topic }) => topic));
	return {
		topic: others.length === 0 ? first : undefined,
		payload: events.map(({ data }) => recordCopy(data)),
		event: events.map(factsOf),
	};
}

/** All fields but `data`, listed one by one because that is faster than copying all and deleting one. */
function factsOf({ topic, seq, epoch, ts, delivery, kind, stale, eventKey }: StreamEvent): Omit<StreamEvent, 'data'> {
	const facts: Omit<StreamEvent, 'data'> = { topic, seq, epoch, ts, delivery, eventKey };
	if (kind !== undefined) facts.kind = kind;
	if (stale !== undefined) facts.stale = stale;
	return facts;
}

/** Keys of the events in a message, also after a Join node has combined several messages. */
export const keysOf = (message: { event?: unknown }): string[] =>
	[message.event].flat(2).flatMap((event) => {
		const key = (event as { eventKey?: unknown } | null | undefined)?.eventKey;
		return typeof key === 'string' ? [key] : [];
	});

/** The record, with the fields that say what happened to it. */
export const alertMessageOf = ({ eventKey, topic, record, facts }: WatchEvent): NodeMessage => ({
	topic,
	payload: recordCopy({ ...record, ...facts }),
	event: { eventKey },
});
