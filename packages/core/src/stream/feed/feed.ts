import type { GapNotice } from '../../catalogue';
import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { instant } from '../../wire/payload';
import type { StreamConnections } from '../connection/connections';
import type { CarriedTopic } from '../connection/link';
import type { StreamNotice } from '../contract';
import { failureOf } from '../failure';
import { knownTo } from '../log/checkpoint';
import { catchUp, isFirstReadLate, missFirstRead, oweWaiting } from '../log/cursor';
import { appendNotice, isTooFar, skipAll, type Arrival, type Cursor } from '../log/log';
import { noticeTexts } from '../notice-text';
import type { StreamPolicy } from '../policy';
import type { ReadQueue, TopicHistory } from '../sources/read-queue';
import type { Reading } from '../sources/source';
import type { Subscriber } from '../subscriber';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { type Gap, gapEvent, gapText } from './gaps';
import type { TopicState } from './topic-state';

/** What all topics of a stream are given. */
export interface FeedPorts {
	clock: Clock;
	random: () => number;
	policy: StreamPolicy;
	/** Absent without a key, because every read needs one. */
	reads?: ReadQueue;
	connections(): Pick<StreamConnections, 'attach' | 'subscribe' | 'detach' | 'stateOf'>;
	/** Events arrived, by stream or by REST: fills are added up, and limits are told of orders. */
	observed(events: readonly TopicEvent[]): void;
	/** Order updates arrived, perhaps repeated: their fills are expected. */
	moved(events: readonly TopicEvent[]): void;
	/** The clock of the service, by the dates of its replies. */
	serviceTime(): number | undefined;
	/** Ends a subscriber with an error. */
	fail(subscriber: Subscriber, error: ExchangeError): void;
}

/** One topic, or a wildcard, with all that is needed to run it: what the functions of the feed work on. */
export interface Feed extends CarriedTopic {
	readonly name: string;
	/** Undefined for a wildcard, whose messages carry other topics. */
	readonly topic: Topic | undefined;
	/** Its events have numbers, and are read by them. */
	readonly isNumbered: boolean;
	/** What reads its list. Absent where what was missed cannot be read. */
	readonly history?: TopicHistory;
	readonly canRead: boolean;
	readonly state: TopicState;
	readonly ports: FeedPorts;
	/** By cursor, the consumer whose it is, in the order in which they joined. */
	readonly subscribers: Map<Cursor, Subscriber>;
	readonly signal: AbortSignal;
	/** The walk under way through its list. */
	reading?: Reading;
	/** Looks when the next read is due. */
	arm(): void;
	/** Nobody needs it any more. */
	stop(): void;
}

/** How events arrive that were read over REST, and notices. */
export const readOverRest = ({ name, ports: { clock } }: Feed): Arrival => ({
	topic: name,
	delivery: 'reconciled',
	ts: null,
	isRead: true,
	now: clock.now(),
});

/** Hands on what was added to the log. A consumer whose host is too slow falls behind, and holds up nobody. */
export function handOut(feed: Feed): void {
	const { log } = feed.state;
	for (const [cursor, subscriber] of feed.subscribers) {
		if (isTooFar(log, cursor)) drop(feed, cursor);
		subscriber.added();
	}
}

/** Lets each subscriber that is not ready yet look again, because what it waits for may have happened. */
export function lookAll({ subscribers }: Feed): void {
	for (const subscriber of subscribers.values()) subscriber.look();
}

function drop(feed: Feed, cursor: Cursor): void {
	const { ports, isBook, topic } = feed;
	if (!topic) return skip(feed, cursor);
	const isAgain = cursor.needsSnapshot || cursor.isTooSlow;
	cursor.isTooSlow = true;
	if (isBook) {
		cursor.needsSnapshot = true;
		skipAll(cursor);
	} else {
		// What happened since it joined is read as for a first start whose reads failed.
		missFirstRead(cursor);
		oweWaiting(cursor);
		const now = ports.clock.now();
		const known = cursor.catchingUp?.known ?? knownTo(cursor, now, (at) => timeOfService(feed, at));
		skipAll(cursor);
		catchUp(cursor, known, now);
	}
	if (!isAgain) warn(feed, [cursor], noticeTexts.tooSlow);
}

/** Skips what a slow host did not get of a wildcard, because no list has it. */
function skip(feed: Feed, cursor: Cursor): void {
	const { log } = feed.state;
	const lost = log.entries[cursor.offset - log.base];
	skipAll(cursor);
	warn(feed, [cursor], noticeTexts.wildcardTooSlow);
	if (lost) tellGapSince(feed, new Set([cursor]), lost.arrival.now);
}

/** Tells the consumer of a cursor what an operator should know. */
export const notify = (
	{ name, subscribers, ports }: Feed,
	to: Cursor,
	kind: StreamNotice['kind'],
	text: string,
): void => subscribers.get(to)?.notice({ kind, topic: name, state: ports.connections().stateOf(name), text });

/** Subscribes the topic again, from the oldest position of its consumers. */
export const resubscribe = ({ name, ports }: Feed): void => ports.connections().subscribe(name);

/** Something works less well than it should. */
export function warn(feed: Feed, to: Iterable<Cursor>, text: string): void {
	for (const cursor of to) notify(feed, cursor, 'degraded', text);
}

/** Offers everybody an event that no message brought. */
export function tellAll(feed: Feed, event: TopicEvent): void {
	appendNotice(feed.state.log, event, readOverRest(feed));
	handOut(feed);
}

/** Adds what could not be read back as an entry for the consumers that miss it. */
export function tellGap(feed: Feed, to: ReadonlySet<Cursor>, gap: Gap, done: GapNotice['done']): void {
	if (to.size === 0) return;
	const { log, sequence } = feed.state;
	const event = gapEvent(feed.name, gap, done, 'after_sequence' in gap ? sequence.position?.epoch : undefined);
	const entry = appendNotice(log, event, readOverRest(feed), to);
	for (const cursor of entry?.only ?? []) {
		if (!feed.subscribers.has(cursor)) continue;
		cursor.tally.gaps += 1;
		notify(feed, cursor, 'gap', gapText(event));
	}
	handOut(feed);
}

/** Reports that what was missed since a moment cannot be read, by numbers where the topic has them, else by times. */
export function tellGapSince(feed: Feed, to: ReadonlySet<Cursor>, since: number): void {
	const { log } = feed.state;
	const { highest } = log.numbers;
	const [from, until] = [since, feed.ports.clock.now()].map((at) => instant(timeOfService(feed, at)));
	const times = { after_created_at: from!, before_created_at: until! };
	const range = highest > 0 ? { after_sequence: highest, before_sequence: null } : times;
	tellGap(feed, to, range, 'not_readable');
}

/** The time on the clock of the service when ours showed `at`, as estimated by now. */
export function timeOfService({ ports, state }: Feed, at: number): number {
	const now = ports.serviceTime();
	return at + (now === undefined ? (state.times.aheadMs ?? 0) : now - ports.clock.now());
}

/** Dates the first starts whose first reads failed, as late as may be: the clock of the service is known better. */
export function dateFirsts(feed: Feed): void {
	for (const { first, joined } of feed.subscribers.keys())
		if (isFirstReadLate(first)) first.newSinceByService ??= timeOfService(feed, joined.at);
}

/** Since when events are new to a first start whose first reads failed; never, where they did not. */
export const lateStartOf = (feed: Feed, { first, joined }: Cursor): number =>
	isFirstReadLate(first) ? (first.newSinceByService ?? timeOfService(feed, joined.at)) : Infinity;

/** Keeps the failure for the status. */
export function noteFailure({ state, ports }: Feed, error: unknown): void {
	state.failure = failureOf(error, ports.clock.now());
}
