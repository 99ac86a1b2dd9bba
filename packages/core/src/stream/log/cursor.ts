import type { TopicStatus } from '../../catalogue';
import { later, plus, sooner } from '../../whole';
import { TIMES_APART_MS } from '../limits';
import { sameEpoch } from '../position';
import { timeOf, type OrderFacts, type TopicEvent } from '../topics/event';
import { differs } from '../topics/orders';
import { admit, type EventPlace, type KnownEvents } from './known';
import { skipAll, type Arrival, type Cursor, type Entry, type FirstStart, type Log } from './log';
import { findOrder } from './orders';

/** An entry that the host is busy with. */
export interface Handed {
	cursor: Cursor;
	entry: Entry;
	/** The key of the event, which may differ from that of the log for a cursor that catches up. */
	eventKey: string;
}

/** Takes the next entries for a host that pass its filters, of all its topics in the order of arrival. */
export function take(cursors: readonly Cursor[], max: number, now: number): Handed[] {
	const batch: Handed[] = [];
	while (batch.length < max) {
		const cursor = nextOf(cursors);
		if (!cursor) break;
		const entry = cursor.log.entries[cursor.offset - cursor.log.base]!;
		cursor.offset += 1;
		const eventKey = isFor(cursor, entry) ? admitFor(cursor, entry, now) : undefined;
		if (eventKey === undefined) continue;
		if (cursor.passes(entry.facts, entry.arrival.topic)) batch.push({ cursor, entry, eventKey });
		else cursor.tally.filtered += 1;
	}
	return batch;
}

/** Whether an entry is for this cursor. A cursor that came back gets what the log retained, whoever it was for. */
const isFor = (cursor: Cursor, { only, offset, arrival, facts }: Entry): boolean => {
	if (cursor.isElsewhere(arrival.topic)) return false;
	if (offset < cursor.joined.offset) return facts.kind === undefined;
	return only === undefined || only.has(cursor);
};

/** Whether an entry is handed over to the consumer. */
export const isWanted = (cursor: Cursor, entry: Entry): boolean =>
	isFor(cursor, entry) && cursor.passes(entry.facts, entry.arrival.topic);

/** How many entries wait for a cursor. */
function waitingOf(cursor: Cursor): number {
	const { log, acknowledged, needsSnapshot } = cursor;
	if (needsSnapshot) return 0;
	const passing = log.entries.slice(Math.max(0, acknowledged - log.base));
	return passing.filter((entry) => isWanted(cursor, entry)).length;
}

type Counts = Pick<TopicStatus, 'received' | 'waiting' | 'delivered' | 'filtered' | 'duplicates' | 'gaps'>;

/** What a cursor has counted since it joined. */
export const countsOf = (cursor: Cursor): Counts => ({
	...cursor.tally,
	received: cursor.log.received - cursor.joined.received,
	waiting: waitingOf(cursor),
	duplicates: cursor.log.duplicates - cursor.joined.duplicates,
});

export function addedUp(all: readonly Counts[]): Counts {
	const sum = (count: (one: Counts) => number): number => all.reduce((total, one) => total + count(one), 0);
	return {
		received: sum(({ received }) => received),
		waiting: sum(({ waiting }) => waiting),
		delivered: {
			live: sum(({ delivered }) => delivered.live),
			replayed: sum(({ delivered }) => delivered.replayed),
			reconciled: sum(({ delivered }) => delivered.reconciled),
		},
		filtered: sum(({ filtered }) => filtered),
		duplicates: sum(({ duplicates }) => duplicates),
		gaps: sum(({ gaps }) => gaps),
	};
}

/** Whether a row moves an order further than the checkpoint of a cursor that catches up has it. */
export function mayMove(cursor: Cursor, { order }: TopicEvent): boolean {
	const before = order && orderBefore(cursor, order);
	return !before || differs(order, before);
}

/** The state of an order in the checkpoint of a cursor that catches up. */
const orderBefore = ({ catchingUp }: Cursor, { id }: OrderFacts): OrderFacts | undefined =>
	catchingUp && findOrder(catchingUp.known.orders, id)?.facts;

/** Lets a cursor catch up by reads, because it fell out of the log, or needs what the log no longer has. */
export function catchUp(cursor: Cursor, known: KnownEvents, now: number): void {
	cursor.catchingUp = { known, reads: { offered: new Set() }, servedFrom: now };
	cursor.log.behind.add(cursor);
}

export function endCatchingUp(cursor: Cursor): void {
	cursor.catchingUp = undefined;
	cursor.log.behind.delete(cursor);
}

/** The cursor whose next entry arrived first. */
function nextOf(cursors: readonly Cursor[]): Cursor | undefined {
	let [next, arrived]: [Cursor | undefined, number] = [undefined, Infinity];
	for (const cursor of cursors) {
		const { log } = cursor;
		if (cursor.needsSnapshot) skipAll(cursor);
		const entry = log.entries[cursor.offset - log.base];
		if (!entry || entry.arrived >= arrived) continue;
		[next, arrived] = [cursor, entry.arrived];
	}
	return next;
}

/**
 * The key under which an entry is new to a cursor, undefined where it is not. A cursor that catches up admits
 * what it did not know, and knows the entry from then on. What the log had before the cursor came counts as a row of a list.
 */
export function admitFor(
	{ catchingUp, joined }: Cursor,
	{ arrival, key, facts, offset }: Entry,
	now: number,
): string | undefined {
	if (!catchingUp) return key;
	const { known } = catchingUp;
	const isRead = arrival.isRead || offset < joined.offset || isNumberedReplay(known, arrival);
	return admit(known, facts, { now, isRead })?.key;
}

/**
 * A replay begins at the message before the first event that the host had not taken, and what was read meanwhile has been
 * taken since. Numbers of one epoch tell that of trades, as they do of rows.
 */
const isNumberedReplay = ({ isNumbered, position }: KnownEvents, { delivery, position: at }: Arrival): boolean =>
	isNumbered &&
	delivery === 'replayed' &&
	position !== undefined &&
	at !== undefined &&
	sameEpoch(at.epoch, position.epoch);

// What a first start has to know

/** Whether no read has shown yet which events are old. */
export const isFirstReadDue = (first: FirstStart | undefined): first is FirstStart =>
	first !== undefined && first.read !== 'done';

/** Whether a read that would have shown it failed, so that what happened since it joined is told by its time. */
export const isFirstReadLate = (first: FirstStart | undefined): first is FirstStart =>
	isFirstReadDue(first) && first.read !== 'awaited';

/** Whether a cursor gets what is new: its topic is confirmed, and a read has shown what is old. */
export const getsNews = ({ isUnconfirmed, first }: Cursor): boolean =>
	!isUnconfirmed && (!isFirstReadDue(first) || first.read === 'refused');

/** Whether a read or a checkpoint has shown what was there when it joined: what enters from then on is news. */
export const knowsItsStart = ({ first, catchingUp, log }: Cursor): boolean =>
	catchingUp !== undefined || (log.known.hasList && !isFirstReadDue(first));

/** A read has shown which events are old. */
export function endFirstRead({ first, log }: Cursor): void {
	if (!first) return;
	first.read = 'done';
	first.number ??= log.numbers.highest;
}

/** The read that would have shown it failed. `isRefused`: the key may not read the list. */
export function missFirstRead({ first }: Cursor, isRefused = false): void {
	if (!isFirstReadDue(first) || first.read === 'refused') return;
	first.read = isRefused ? 'refused' : 'late';
}

/** Since when events are new to a first start, as a number or by the clock of the list; undefined where nothing tells. */
export function sinceOf({ first, log, joined }: Cursor): EventPlace | undefined {
	if (!first) return undefined;
	if (log.known.isNumbered) return first.number;
	if (first.newSinceByList !== undefined) return first.newSinceByList;
	if (first.newSinceByService !== undefined && isFirstReadDue(first)) return first.newSinceByService;
	return Number.isFinite(log.aheadMs) ? joined.at + log.aheadMs - TIMES_APART_MS : undefined;
}

/** Whether a row that the log had not may concern a cursor: what happened before a first start is old. */
export function isNewTo(
	cursor: Cursor,
	{ order, kind, sequence, time, item }: TopicEvent,
	before: OrderFacts | undefined,
): boolean {
	const { first, log } = cursor;
	if (!first || kind) return true;
	// Any change of an order that was delivered to the cursor concerns it. So does any change since a read showed the order,
	// or where rows do not say when they changed: stream and list may be dated by other clocks.
	if (order && (wasTold(cursor, order) || (before && (first.read === 'done' || order.updatedAt === undefined))))
		return true;
	if (first.read === 'awaited') return false;
	// If the first reads failed, the last old number is known only once a read is complete.
	if (log.known.isNumbered && isFirstReadDue(first) && first.newSinceByService !== undefined)
		return item !== undefined && (timeOf(item) ?? 0) > first.newSinceByService;
	const at = newsPlaceOf(log, { order, sequence, time });
	const since = sinceOf(cursor);
	if (at === undefined || since === undefined) return first.read === 'done';
	return at > since;
}

/** The place by which an event is old or new to a first start: its number, or when it happened. */
const newsPlaceOf = (
	{ known }: Log,
	{ order, sequence, time }: Pick<TopicEvent, 'order' | 'sequence' | 'time'>,
): EventPlace | undefined => (known.isNumbered ? sequence : later(order?.updatedAt, time));

/** What waits for a cursor that falls behind is owed to it, also where an earlier process waited for it. */
export function oweWaiting(cursor: Cursor): void {
	const { first, log, acknowledged } = cursor;
	const since = sinceOf(cursor);
	if (first?.read !== 'done' || since === undefined) return;
	const waiting = log.entries.slice(acknowledged - log.base).filter((entry) => isWanted(cursor, entry));
	const places = waiting.flatMap(({ facts }) => newsPlaceOf(log, facts) ?? []);
	const owed = places.reduce<EventPlace>((least, place) => sooner(least, plus(place, -1)), since);
	if (log.known.isNumbered) first.number = owed;
	else first.newSinceByList = owed;
}

/** Whether an order was delivered to a cursor, by an entry of the log or in an earlier process. */
function wasTold(cursor: Cursor, order: OrderFacts): boolean {
	const told = findOrder(cursor.log.known.orders, order.id)?.told;
	const isEntry = told !== undefined && told.offset >= cursor.joined.offset && told.only?.has(cursor) !== false;
	return isEntry || orderBefore(cursor, order) !== undefined;
}
