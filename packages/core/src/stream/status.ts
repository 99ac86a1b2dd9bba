import type { StreamStatus, TopicStatus } from '../catalogue';
import type { Clock } from '../ports';
import type { ReadQueue } from './backfill/read-queue';
import type { Channels } from './channels';
import { summed } from './delivery/tally';
import { instant } from './failure';
import type { MissingFills } from './fills/missing-fills';
import { incompleteFills } from './fills/state';
import type { Sessions } from './sessions';

interface StatusPorts {
	clock: Pick<Clock, 'now'>;
	channels: Pick<Channels, 'all'>;
	sessions: Pick<Sessions, 'status'>;
	reads?: Pick<ReadQueue, 'size'>;
	missingFills: Pick<MissingFills, 'state'>;
	/** How many subscribers the stream has. */
	subscribers: number;
}

/** The status of an account's stream in this process, as plain data without keys and without contents of events. */
export function statusOf(ports: StatusPorts): StreamStatus {
	const topics = ports.channels.all().map((channel) => channel.status());
	const connections = ports.sessions.status();
	const incomplete = incompleteFills(ports.missingFills.state);
	return {
		at: instant(ports.clock.now()),
		totals: {
			connections: connections.length,
			topics: topics.length,
			subscribers: ports.subscribers,
			...totalOf(topics),
			reads_waiting: ports.reads?.size() ?? 0,
			incomplete_fills: incomplete.length,
			open_intents: 0,
		},
		connections,
		topics,
		incomplete_fills: incomplete,
	};
}

const totalOf = (topics: readonly TopicStatus[]) => ({
	received: topics.reduce((all, { received }) => all + received, 0),
	waiting: topics.reduce((all, { waiting }) => all + waiting, 0),
	...summed(topics),
});
