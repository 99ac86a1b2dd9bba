/** What happened, by topic, with a position each: the stream's memory. It does not outlive the process; the epoch says so. */

/** Events kept per topic for those who come back. */
export const EVENTS_KEPT_DEFAULT = 1_000;

export interface StreamEvent {
	topic: string;
	seq: number;
	epoch: string;
	ts: string;
	data: object;
	/** The whole message as sent, written once for all who receive it. */
	text?: string;
}

export interface Position {
	epoch: string;
	seq: number;
}

interface TopicLog {
	events: StreamEvent[];
	seq: number;
	listeners: Set<(event: StreamEvent) => void>;
}

export interface Events {
	epoch: string;
	kept: number;
	logs: Map<string, TopicLog>;
	/** How a payload is dressed for the wire. */
	dress?(topic: string, data: object): object;
}

export const createEvents = (epoch: string, kept: number): Events => ({ epoch, kept, logs: new Map() });

export const textOf = (events: Events, event: StreamEvent): string =>
	(event.text ??= JSON.stringify({
		type: 'data',
		topic: event.topic,
		seq: event.seq,
		epoch: event.epoch,
		ts: event.ts,
		data: events.dress ? events.dress(event.topic, event.data) : event.data,
	}));

/** Private topics exist once per account. */
export const logKey = (topic: string, accountId: string | null): string =>
	topic.startsWith('user.') ? `${accountId}|${topic}` : topic;

function logOf(events: Events, key: string): TopicLog {
	let log = events.logs.get(key);
	if (!log) events.logs.set(key, (log = { events: [], seq: 0, listeners: new Set() }));
	return log;
}

export interface News {
	topic: string;
	accountId: string | null;
	ts: string;
	/** Never changed afterwards. */
	data: object;
}

export function publish(events: Events, { topic, accountId, ts, data }: News): void {
	const key = logKey(topic, accountId);
	const log = logOf(events, key);
	const event: StreamEvent = { topic, seq: ++log.seq, epoch: events.epoch, ts, data };
	log.events.push(event);
	if (log.events.length > 2 * events.kept) log.events.splice(0, log.events.length - events.kept);
	for (const listener of log.listeners) listener(event);
	for (const listener of events.logs.get(wildcardOf(key))?.listeners ?? []) listener(event);
}

/** `trades.USD_NGN` is also heard by those who follow `trades.*`. */
export const wildcardOf = (key: string): string => key.replace(/\.[^.]*$/, '.*');

export function listen(events: Events, key: string, listener: (event: StreamEvent) => void): () => void {
	const { listeners } = logOf(events, key);
	listeners.add(listener);
	return () => listeners.delete(listener);
}

export const positionOf = (events: Events, key: string): Position => ({
	epoch: events.epoch,
	seq: events.logs.get(key)?.seq ?? 0,
});

/** What was missed since a position, or undefined where that can no longer be told. */
export function missedSince(events: Events, key: string, { epoch, seq }: Position): StreamEvent[] | undefined {
	const log = logOf(events, key);
	if (epoch !== events.epoch || !Number.isInteger(seq) || seq < 0 || seq > log.seq) return undefined;
	const missed = log.seq - seq;
	if (missed > Math.min(log.events.length, events.kept)) return undefined;
	return missed === 0 ? [] : log.events.slice(-missed);
}

/** As after a restart: positions start over and nothing before can be replayed. */
export function startEpoch(events: Events, epoch: string): void {
	events.epoch = epoch;
	for (const log of events.logs.values()) {
		log.events = [];
		log.seq = 0;
	}
}
