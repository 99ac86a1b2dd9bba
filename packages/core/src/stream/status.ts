import type { StreamStatus, TopicStatus } from '../catalogue';
import type { Clock } from '../ports';
import { written } from '../whole';
import { instant } from '../wire/payload';
import type { StreamConnections } from './connection/connections';
import { lastError } from './failure';
import type { Feed } from './feed/feed';
import { nextReadAt } from './feed/schedule';
import { addedUp, countsOf } from './log/cursor';
import { type MissingFills, incompleteFills } from './missing-fills';
import type { ReadQueue } from './sources/read-queue';

interface StatusPorts {
	clock: Pick<Clock, 'now'>;
	feeds: readonly Feed[];
	connections: Pick<StreamConnections, 'status'>;
	reads?: Pick<ReadQueue, 'size'>;
	missingFills: Pick<MissingFills, 'state'>;
	/** How many subscribers the stream has. */
	subscribers: number;
}

/** The status of an account's stream in this process, as plain data without keys and without contents of events. */
export function streamStatus(ports: StatusPorts): StreamStatus {
	const topics = ports.feeds.map(topicStatus);
	const connections = ports.connections.status();
	const incomplete = incompleteFills(ports.missingFills.state);
	return {
		at: instant(ports.clock.now()),
		totals: {
			connections: connections.length,
			topics: topics.length,
			subscribers: ports.subscribers,
			...addedUp(topics),
			reads_waiting: ports.reads?.size() ?? 0,
			incomplete_fills: incomplete.length,
			open_intents: 0,
		},
		connections,
		topics,
		incomplete_fills: incomplete,
	};
}

/** What operators see of one topic, or of one wildcard. */
function topicStatus({ name, state, ports, history, subscribers }: Feed): TopicStatus {
	const { position } = state.sequence;
	const cursors = [...subscribers.keys()];
	const { done, refused, failed, lastAt } = state.readings;
	return {
		topic: name,
		state: state.isConfirmed ? 'subscribed' : ports.connections().stateOf(name),
		subscribers: cursors.length,
		epoch: position ? String(position.epoch) : null,
		seq: position ? Number(written(position.seq)) : null,
		last_message_at: state.times.latest,
		lag_ms: state.times.lagMs,
		...addedUp(cursors.map(countsOf)),
		// Also those before its subscribers joined.
		received: state.log.received,
		readings: {
			done,
			refused,
			failed,
			last_at: dated(lastAt),
			next_at: dated(nextReadAt(state.schedule)),
			place: history?.turn() ?? null,
		},
		...lastError(state.failure),
	};
}

const dated = (at = Infinity): string | null => (at === Infinity ? null : instant(at));
