import { logKey, positionOf } from '../engine/events';
import { timestamp } from '../engine/world';
import type { Connection } from './connection';
import type { Running } from './running';

/** Who is connected to the stream, what they follow, and how far behind they are. */
export function describeClient(running: Running, { outbox, session, watcher, openedAt }: Connection): object {
	return {
		id: session.id,
		email: session.caller?.account.email ?? null,
		console: watcher,
		connected_at: timestamp(openedAt),
		buffered_bytes: outbox.bufferedBytes(),
		topics: [...session.topics.keys()].map((topic) => ({ topic, ...standing(running, session, topic) })),
	};
}

/** A wildcard has no position of its own. */
function standing({ exchange }: Running, { told, caller }: Connection['session'], topic: string) {
	const seq = told.get(topic);
	if (seq === undefined) return { seq: null, lag: 0 };
	const now = positionOf(exchange.engine.events, logKey(topic, caller?.account.id ?? null)).seq;
	// After a new epoch the present position may be below the last one told.
	return { seq, lag: Math.max(0, now - seq) };
}
