import type { StreamStatus, TopicStatus } from '../catalogue';
import type { Clock } from '../ports';
import type { ReadQueue } from './backfill/read-queue';
import type { Channels } from './channels';
import type { SessionPool } from './connection/pool';
import { summed } from './delivery/tally';
import { instant } from './failure-log';
import type { MissingFills } from './fills/missing-fills';

interface StatusPorts {
	clock: Pick<Clock, 'now'>;
	channels: Pick<Channels, 'all'>;
	sessions: Pick<SessionPool, 'status'>;
	reads?: Pick<ReadQueue, 'size'>;
	missingFills: Pick<MissingFills, 'incomplete'>;
	/** The number of subscribers. */
	subscribers: number;
}

/** The status of an account's stream in this process, as plain data without keys and without contents of events. */
export function statusOf({ clock, channels, sessions, reads, missingFills, subscribers }: StatusPorts): StreamStatus {
	const topics = channels.all().map((channel) => channel.status());
	const connections = sessions.status();
	const incomplete = missingFills.incomplete();
	return {
		at: instant(clock.now()),
		totals: {
			...{ connections: connections.length, topics: topics.length, subscribers },
			...totalOf(topics),
			...{ reads_waiting: reads?.size() ?? 0, incomplete_fills: incomplete.length, open_intents: 0 },
		},
		connections,
		topics,
		incomplete_fills: incomplete.map(({ since, isReported, ...facts }) => ({
			...facts,
			since: instant(since),
			told: isReported,
		})),
	};
}

const totalOf = (topics: readonly TopicStatus[]) => ({
	received: topics.reduce((all, { received }) => all + received, 0),
	waiting: topics.reduce((all, { waiting }) => all + waiting, 0),
	...summed(topics),
});
