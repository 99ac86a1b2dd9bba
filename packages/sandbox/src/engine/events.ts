/**
 * Replay buffer of the stream: recent events per topic with their sequence number. Not persisted, so each start begins
 * a new epoch.
 */

/** Events kept per topic for clients that resume. */
export const EVENTS_KEPT_DEFAULT = 1_000;

export interface Published {
	topic: string;
	seq: number;
	epoch: string;
	ts: string;
	data: object;
	/** The encoded message, cached for all subscribers. */
	text?: string;
}

export interface Position {
	epoch: string;
	seq: number;
}

interface TopicLog {
	events: Published[];
	seq: number;
	listeners: Set<(event: Published) => void>;
}

export interface Events {
	epoch: string;
	kept: number;
	logs: Map<string, TopicLog>;
	/** Formats a payload in the chosen dialect. */
	formatPayload?(topic: string, data: object): object;
}

export const createEvents = (epoch: string, kept: number): Events => ({ epoch, kept, logs: new Map() });

export const textOf = (events: Events, event: Published): string =>
	(event.text ??= JSON.stringify({
		type: 'data',
		topic: event.topic,
		seq: event.seq,
		epoch: event.epoch,
		ts: event.ts,
		data: events.formatPayload ? events.formatPayload(event.topic, event.data) : event.data,
	}));

/** Private topics have one log per account. */
export const logKey = (topic: string, accountId: string | null): string =>
	topic.startsWith('user.') ? `${accountId}|${topic}` : topic;

function logOf(events: Events, key: string): TopicLog {
	let log = events.logs.get(key);
	if (!log) events.logs.set(key, (log = { events: [], seq: 0, listeners: new Set() }));
	return log;
}

export interface NewEvent {
	topic: string;
	accountId: string | null;
	ts: string;
	/** Never changed after publication. */
	data: object;
}

export function publish(events: Events, { topic, accountId, ts, data }: NewEvent): void {
	const key = logKey(topic, accountId);
	const log = logOf(events, key);
	const event: Published = { topic, seq: ++log.seq, epoch: events.epoch, ts, data };
	log.events.push(event);
	if (log.events.length > 2 * events.kept) log.events.splice(0, log.events.length - events.kept);
	for (const listener of log.listeners) listener(event);
	for (const listener of events.logs.get(wildcardOf(key))?.listeners ?? []) listener(event);
}

/** Subscribers of `trades.*` also receive `trades.USD_NGN`. */
const wildcardOf = (key: string): string => key.replace(/\.[^.]*$/, '.*');

export function listen(events: Events, key: string, listener: (event: Published) => void): () => void {
	const { listeners } = logOf(events, key);
	listeners.add(listener);
	return () => listeners.delete(listener);
}

export const positionOf = (events: Events, key: string): Position => ({
	epoch: events.epoch,
	seq: events.logs.get(key)?.seq ?? 0,
});

/** Events after a position, or undefined when the buffer no longer covers it. */
export function missedSince(events: Events, key: string, { epoch, seq }: Position): Published[] | undefined {
	const log = logOf(events, key);
	if (epoch !== events.epoch || !Number.isInteger(seq) || seq < 0 || seq > log.seq) return undefined;
	const missed = log.seq - seq;
	if (missed > Math.min(log.events.length, events.kept)) return undefined;
	return missed === 0 ? [] : log.events.slice(-missed);
}

/** Starts a new epoch, as after a restart: sequence numbers start over, and clients cannot resume. */
export function startEpoch(events: Events, epoch: string): void {
	events.epoch = epoch;
	for (const log of events.logs.values()) {
		log.events = [];
		log.seq = 0;
	}
}
