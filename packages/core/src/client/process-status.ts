import type { ProcessStatus, StreamStatus } from '../catalogue';
import type { Intents } from '../orders/intents';
import type { Clock } from '../ports';

/** What this process knows of an account: its stream, if one runs here, and the order writes of unknown outcome. */
export function processStatus(
	stream: StreamStatus | undefined,
	intents: Pick<Intents, 'open'>,
	clock: Pick<Clock, 'now'>,
): ProcessStatus {
	const open_intents = intents.open();
	const status = stream ?? nothing(clock.now());
	return {
		running: status.topics.length > 0,
		text: statusText(status),
		...status,
		totals: { ...status.totals, open_intents: open_intents.length },
		open_intents,
	};
}

function statusText({ topics, connections, totals, incomplete_fills }: StreamStatus): string {
	if (topics.length === 0)
		return 'This process runs no stream of this account. Streams run where triggers are active: in queue mode in the main process, never in a worker';
	const down = connections.filter(({ state }) => state !== 'live');
	const missing = totals.gaps + incomplete_fills.filter(({ told }) => told).length;
	const doubts = missing === 0 ? 'nothing is known to be missing' : `${missing} times something may be missing`;
	if (down.length === 0) return `Every connection is live, and ${doubts}`;
	return `${down.length} of ${connections.length} connections not live (${down.map(({ state }) => state).join(', ')}), and ${doubts}`;
}

const nothing = (now: number): StreamStatus => ({
	at: new Date(now).toISOString(),
	totals: {
		connections: 0,
		topics: 0,
		subscribers: 0,
		received: 0,
		waiting: 0,
		filtered: 0,
		duplicates: 0,
		delivered: { live: 0, replayed: 0, reconciled: 0 },
		gaps: 0,
		reads_waiting: 0,
		incomplete_fills: 0,
		open_intents: 0,
	},
	connections: [],
	topics: [],
	incomplete_fills: [],
});
