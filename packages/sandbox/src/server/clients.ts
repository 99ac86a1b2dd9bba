import { logKey, positionOf } from '../engine/events';
import { timestamp } from '../engine/world';
import type { Connection } from './connection';
import type { SandboxContext } from './context';

/** A connected client with its subscriptions, and how many events it is behind per topic. */
export function describeClient(context: SandboxContext, { outbox, session, isConsole, openedAt }: Connection): object {
	return {
		id: session.id,
		email: session.caller?.account.email ?? null,
		console: isConsole,
		connected_at: timestamp(openedAt),
		buffered_bytes: outbox.bufferedBytes(),
		topics: [...session.topics.keys()].map((topic) => ({ topic, ...positionOfTopic(context, session, topic) })),
	};
}

/** The position of an exact topic; a wildcard has none. */
function positionOfTopic(
	{ exchange }: SandboxContext,
	{ sentSequences, caller }: Connection['session'],
	topic: string,
) {
	const seq = sentSequences.get(topic);
	if (seq === undefined) return { seq: null, lag: 0 };
	const now = positionOf(exchange.engine.events, logKey(topic, caller?.account.id ?? null)).seq;
	// After a new epoch the current position may be below the last one sent.
	return { seq, lag: Math.max(0, now - seq) };
}
