import type { Sealed } from '../../sealed';
import { later, written } from '../../whole';
import { boundedGet, boundedSet, type BoundedMap } from '../../bounded';
import type { StreamEvent } from '../contract';
import {
	BOOK_BACKLOG_MAX,
	ROW_LENGTH,
	LAG_LENGTH_MAX,
	LAG_MAX,
	WAITING_LENGTH_MAX,
	WAITING_MAX,
	RETAINED_MAX,
	TRIMMED_EVERY,
} from '../limits';
import type { Position } from '../position';
import type { OrderFacts, TopicEvent } from '../topics/event';
import { admit, keepRow, knows, nothingKnown, placeOf, type KnownEvents, type Origin, type EventPlace } from './known';
import { noNumbers, takeNumber, type Numbers } from './numbers';
import { findOrder } from './orders';

/**
 * One topic: a log of distinct events. Whatever brings an event (a message, a replay, a row of a list), it enters the log
 * once, here. A consumer is an offset into the log. A plain value, which these functions change in place.
 */
export interface Log {
	readonly topic: string;
	readonly isBook: boolean;
	/** Its events are changes of records that were made before, perhaps before a consumer began. */
	readonly isFollowed: boolean;
	entries: Entry[];
	/** The offset of the first entry. The entries before it were dropped. */
	base: number;
	/** Characters of all entries there ever were. */
	length: number;
	known: KnownEvents;
	cursors: Set<Cursor>;
	/** The cursors that may need events the log has already. */
	behind: Set<Cursor>;
	/** Every event after this place, and none of those before, is among the entries. Undefined until a list was read. */
	reachesTo?: EventPlace;
	/** The latest place of an event that is not among them: its entry was dropped, or another consumer's checkpoint knew it. */
	droppedTo?: EventPlace;
	/** How far the clock of the list is ahead of ours, at least, as its rows show. The stream may be dated by another. */
	aheadMs: number;
	/** What the numbers of its events show, where it has any. */
	numbers: Numbers;
	/** Messages of the topic, and copies of events that were known. */
	received: number;
	duplicates: number;
	/** Counts what a checkpoint depends on beside the offset, and the latest one of somebody who has everything. */
	changes: number;
	stored?: { changes: number; sealed: Sealed };
	/** How many entries all logs of the stream ever had. */
	readonly arrivals: { count: number };
}

/**
 * An offset into a log, and what its consumer has to know beside it: a plain value, except for the log. It is an offset alone
 * unless `first` or `catchingUp` say what it lacks, or one of the three flags what it waits for.
 */
export interface Cursor {
	readonly log: Log;
	/** The next entry to hand over, and the first that the host has not acknowledged. */
	offset: number;
	acknowledged: number;
	/** A first start: it gets what enters the log from then on, and of rows what happened since. */
	first?: FirstStart;
	/** It came back, or fell out of the log, and may lack events that the log has already. */
	catchingUp?: CatchingUp;
	/** It waits for a confirmation since it joined. */
	isUnconfirmed: boolean;
	/** Its host was too slow, and has not caught up with what it was given since. */
	isTooSlow: boolean;
	/** In a book: it gets nothing before the next snapshot. */
	needsSnapshot: boolean;
	readonly joined: Joined;
	/** It asks for no read, and gets what others ask for. */
	readonly hearsOnly: boolean;
	/** The keys of the notices it was told. */
	readonly told: BoundedMap<string, true>;
	tally: Tally;
	/** Whether an event of a topic passes the filters of its consumer. */
	passes(event: TopicEvent, topic: string): boolean;
	/** Whether the consumer subscribed this topic by itself, so that a wildcard leaves it out. */
	isElsewhere(topic: string): boolean;
}

/** How it was when a cursor joined its log. */
interface Joined {
	readonly at: number;
	/** The end of the log, and what that had counted. */
	readonly offset: number;
	readonly received: number;
	readonly duplicates: number;
	/** What its checkpoint had seen. */
	settled?: EventPlace;
	/** Without a checkpoint, the position of the stream once it was confirmed. What is replayed from before it is not for this cursor. */
	position?: Position;
}

/** It is dropped once a complete read has shown what the consumer missed, and everything up to then is acknowledged. */
export interface CatchingUp {
	/** What its checkpoint knew, and what the cursor took since. */
	known: KnownEvents;
	/** What reads gave it. Without it the entries that the log retained are all it needs, and no read is for it. */
	reads?: GivenByReads;
	/** Since when it is to be served by reads, and when the first complete one of a numbered list began. */
	servedFrom: number;
	firstReadAt?: number;
	/** It ends at this offset. */
	until?: number;
}

export interface GivenByReads {
	/** The keys that the log holds for it. */
	offered: Set<string>;
	/** Up to where reads have offered it what it lacked. */
	to?: EventPlace;
	/** Its open orders that no read has shown yet, since lists have caught up. Undefined before a read looked. */
	unseen?: Set<string>;
}

export interface FirstStart {
	/**
	 * The read that shows which events are old. It is `late` after one has failed, when what it shows may be new, and
	 * `refused` where the key may not read the list, so that nothing will ever show it.
	 */
	read: 'awaited' | 'late' | 'refused' | 'done';
	/** Since when events are new, by the clock of the service, as an earlier run estimated it. */
	newSinceByService?: number;
	/** Since when events are new, by the clock of the list, as an earlier run estimated it once a read had shown the old ones. */
	newSinceByList?: EventPlace;
	/** The last number that was old. */
	number?: EventPlace;
}

/** Counts of the events of one topic for one consumer, since it began. Stream Status shows them. */
interface Tally {
	delivered: Record<StreamEvent['delivery'], number>;
	filtered: number;
	gaps: number;
}

/** One event, and what a checkpoint that does not include it has to know. */
export interface Entry {
	readonly offset: number;
	/** Its place among the entries of all logs of the stream. */
	readonly arrived: number;
	readonly arrival: Arrival;
	readonly key: string;
	readonly facts: TopicEvent;
	readonly place: EventPlace | undefined;
	/** The state of its order before it. */
	readonly before?: OrderFacts;
	/** The position of the stream before it. */
	readonly upTo?: Position;
	/** Characters of the log before it. */
	readonly length: number;
	/** Whom it is for; everybody without it. */
	readonly only?: ReadonlySet<Cursor>;
}

/** How events arrived. A {@link StreamEvent} gets most of it unchanged. */
export interface Arrival extends Origin {
	topic: string;
	delivery: StreamEvent['delivery'];
	ts: string | null;
	stale?: boolean;
	/** Characters of each event, where it came by a message. */
	length?: number;
}

interface LogRules
	extends Pick<KnownEvents, 'isNumbered' | 'hasList'>, Pick<Log, 'isBook' | 'isFollowed' | 'arrivals'> {}

export const newLog = (topic: string, { isBook, isFollowed, arrivals, ...rules }: LogRules): Log => ({
	topic,
	isBook,
	isFollowed,
	arrivals,
	entries: [],
	base: 0,
	length: 0,
	known: nothingKnown(rules),
	cursors: new Set(),
	behind: new Set(),
	aheadMs: Number.NEGATIVE_INFINITY,
	numbers: noNumbers(),
	received: 0,
	duplicates: 0,
	changes: 0,
});

/** The cursors for which lists are read. */
export const readersOf = ({ cursors }: Log): Cursor[] => [...cursors].filter(({ hearsOnly }) => !hearsOnly);

export const endOf = ({ base, entries }: Log): number => base + entries.length;

/** Lets a cursor skip what waits for it. */
export function skipAll(cursor: Cursor): void {
	cursor.offset = cursor.acknowledged = endOf(cursor.log);
}

/**
 * The only way of an event into the log; a notice enters by {@link appendNotice}. Returns the entry of an event that the
 * log did not have, or that a cursor that catches up may lack. `concerns` says whom a new row concerns; everybody without it.
 */
export function append(log: Log, event: TopicEvent, arrival: Arrival, concerns?: Concerns): Entry | undefined {
	const place = placeOf(log.known, event);
	const verdict = admit(log.known, event, arrival, endOf(log));
	if (!verdict) {
		if (!arrival.isRead) log.duplicates += 1;
		else if (keepRow(log.known, event, place)) withoutEntry(log, place);
		const only = log.behind.size > 0 ? lacking(log, event, arrival, concerns) : undefined;
		return only && push(log, event, { arrival, place, key: event.key, only });
	}
	const { before } = verdict;
	const only = concerns && these(log.cursors, (cursor) => concerns(cursor, event, before, arrival));
	const entry = push(log, event, { arrival, place, key: verdict.key, before, only });
	if (event.order) findOrder(log.known.orders, event.order.id)!.told = { offset: entry.offset, only };
	if (log.known.isNumbered && place !== undefined) takeNumber(log.numbers, log.known, place);
	return entry;
}

/** Whether what arrived concerns a cursor. */
export type Concerns = (cursor: Cursor, event: TopicEvent, before: OrderFacts | undefined, arrival: Arrival) => boolean;

/** The cursors that catch up and lack an event which the log has. Undefined if no cursor does. */
function lacking({ behind }: Log, event: TopicEvent, arrival: Arrival, concerns?: Concerns): Set<Cursor> | undefined {
	const all = new Set<Cursor>();
	for (const cursor of behind) {
		if (!lacks(cursor, event)) continue;
		if (concerns?.(cursor, event, undefined, arrival) !== false) all.add(cursor);
		// What the first read has shown to be old stays so, by whatever later reads date it.
		else cursor.catchingUp?.reads?.offered.add(event.key);
	}
	return all.size > 0 ? all : undefined;
}

/** The cursors that pass. Undefined where all do. */
function these(cursors: ReadonlySet<Cursor>, passes: (cursor: Cursor) => boolean): Set<Cursor> | undefined {
	const all = [...cursors].filter(passes);
	return all.length < cursors.size ? new Set(all) : undefined;
}

/** Adds a notice, which is an entry, too. Each cursor gets it once, whoever was told it before. */
export function appendNotice(
	log: Log,
	event: TopicEvent,
	arrival: Arrival,
	only?: ReadonlySet<Cursor>,
): Entry | undefined {
	// Its key is stored like those of events.
	admit(log.known, event, arrival);
	const all = [...(only ?? log.cursors)].filter(({ told }) => boundedGet(told, event.key) === undefined);
	if (all.length === 0) return undefined;
	for (const { told } of all) boundedSet(told, event.key, true);
	const isForAll = only === undefined && all.length === log.cursors.size;
	return push(log, event, { arrival, place: undefined, key: event.key, only: isForAll ? undefined : new Set(all) });
}

interface Pushed {
	arrival: Arrival;
	place: EventPlace | undefined;
	key: string;
	before?: OrderFacts;
	only?: ReadonlySet<Cursor>;
}

function push(log: Log, facts: TopicEvent, { arrival, place, key, before, only }: Pushed): Entry {
	const { length } = log;
	const entry: Entry = {
		offset: endOf(log),
		arrived: (log.arrivals.count += 1),
		arrival,
		key,
		facts,
		place,
		before,
		length,
		only,
		upTo: log.known.position,
	};
	log.entries.push(entry);
	log.length += arrival.length ?? ROW_LENGTH;
	log.changes += 1;
	if (endOf(log) % TRIMMED_EVERY === 0) trim(log);
	for (const cursor of log.behind) cursor.catchingUp?.reads?.offered.add(facts.key);
	if (only) for (const cursor of log.cursors) if (!only.has(cursor)) passBy(cursor, entry);
	return entry;
}

/** Moves a cursor past an entry that is not for it, if nothing else waits for it. */
function passBy(cursor: Cursor, { offset }: Entry): void {
	if (cursor.acknowledged === offset) cursor.offset = cursor.acknowledged = offset + 1;
}

/** Once a complete read has shown all that a cursor missed, it lacks nothing, though its host has not taken all of it. */
function lacks({ catchingUp }: Cursor, event: TopicEvent): boolean {
	if (catchingUp?.reads === undefined || catchingUp.until !== undefined) return false;
	return !catchingUp.reads.offered.has(event.key) && !knows(catchingUp.known, event);
}

/** Everything up to a place was seen: no read will show anything new there. */
export function settle(log: Log, place: EventPlace | undefined): void {
	log.changes += 1;
	log.known.settled = later(log.known.settled, place);
}

/** Whether so much waits for a cursor that no read adds to it. */
export const isFull = (log: Log, { acknowledged }: Cursor): boolean =>
	exceeds(log, acknowledged, WAITING_MAX, WAITING_LENGTH_MAX);
/** Whether so much waits that the cursor falls behind, and reads what it missed once it has room. */
export const isTooFar = (log: Log, { acknowledged }: Cursor): boolean =>
	exceeds(log, acknowledged, log.isBook ? BOOK_BACKLOG_MAX : LAG_MAX, LAG_LENGTH_MAX);

function exceeds(log: Log, offset: number, max: number, lengthMax: number): boolean {
	const lag = endOf(log) - offset;
	if (lag <= 0) return false;
	return lag >= max || log.length - log.entries[offset - log.base]!.length >= lengthMax;
}

/** Drops entries that every consumer has acknowledged, except the latest, which serve consumers that come back. */
function trim(log: Log): void {
	let keepFrom = endOf(log);
	for (const { acknowledged } of log.cursors) keepFrom = Math.min(keepFrom, acknowledged);
	const most = log.isBook ? 0 : RETAINED_MAX;
	let count = Math.min(keepFrom - log.base, log.entries.length - most);
	const excess = log.entries.findIndex(({ length }) => log.length - length <= WAITING_LENGTH_MAX);
	count = Math.min(keepFrom - log.base, Math.max(count, excess < 0 ? log.entries.length : excess));
	// Many entries are dropped at once, because each time all others are moved.
	if (count < RETAINED_MAX / 2) return;
	for (const { place, facts } of log.entries.splice(0, count)) if (!facts.kind) withoutEntry(log, place);
	log.base += count;
}

/** An event is not among the entries, so whoever comes back and may lack it has to read. */
function withoutEntry(log: Log, place: EventPlace | undefined): void {
	log.droppedTo = later(log.droppedTo, place ?? Infinity);
	if (log.reachesTo !== undefined) log.reachesTo = later(log.reachesTo, log.droppedTo);
}

/** What a host gets of an entry: an object of its own, because a host may change what it is given. */
export function eventOf({ facts, arrival }: Entry, eventKey: string): StreamEvent {
	const { data, kind } = facts;
	const { topic, delivery, ts, position, stale } = arrival;
	const [seq, epoch] = position ? [written(position.seq), position.epoch] : [null, null];
	if (kind || stale)
		return { topic, seq, epoch, ts, data, delivery, ...(kind ? { kind } : {}), ...(stale ? { stale } : {}), eventKey };
	return { topic, seq, epoch, ts, data, delivery, eventKey };
}
