import { later } from '../../whole';
import { TIMES_APART_MS } from '../limits';
import { timeOf, type OrderFacts, type TopicEvent } from '../topics/event';
import { differs } from '../topics/orders';
import { type EventPlace, type KnownEvents, admit, nothingKnown } from './known';
import { type Cursor, type Entry, type Log, type Tally, endOf, isUnread } from './log';
import { findOrder } from './orders';

export const noTally = (): Tally => ({ delivered: { live: 0, replayed: 0, reconciled: 0 }, filtered: 0, gaps: 0 });

/** Whether an entry is for this cursor. A cursor that came back gets what the log retained, whoever it was for. */
const isFor = (cursor: Cursor, { only, offset, arrival, facts }: Entry): boolean => {
	if (cursor.isElsewhere(arrival.topic)) return false;
	if (offset < cursor.joinedOffset) return facts.kind === undefined;
	return only === undefined || only.has(cursor);
};

/**
 * Whether a cursor gets what is new: its topic is confirmed, and for a first start a read has shown which events are
 * old.
 */
export const hasBegun = ({ isUnconfirmed, first }: Cursor): boolean =>
	!isUnconfirmed && (!isUnread(first) || first.read === 'refused');

/**
 * Whether a read or a checkpoint has shown what was there when the cursor joined, so that whatever enters the log from then
 * on is news to it.
 */
export const hasGround = ({ first, catchingUp, log }: Cursor): boolean =>
	catchingUp !== undefined || (log.known.hasList && !isUnread(first));

/** Whether an entry is handed over to the consumer. */
export const isWanted = (cursor: Cursor, entry: Entry): boolean =>
	isFor(cursor, entry) && cursor.passes(entry.facts, entry.arrival.topic);

/** How many entries wait for a cursor. */
export function waitingOf(cursor: Cursor): number {
	const { log, acknowledged, needsSnapshot } = cursor;
	if (needsSnapshot) return 0;
	const passing = log.entries.slice(Math.max(0, acknowledged - log.base));
	return passing.filter((entry) => isWanted(cursor, entry)).length;
}

/** Since when events are new to a first start, as a number or by the clock of the list; undefined where nothing tells. */
export function sinceOf({ first, log, joinedAt }: Cursor): EventPlace | undefined {
	if (!first) return undefined;
	if (log.known.isNumbered) return first.number;
	if (first.storedSince !== undefined && isUnread(first)) return first.storedSince;
	return Number.isFinite(log.aheadMs) ? joinedAt + log.aheadMs - TIMES_APART_MS : undefined;
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
	if (log.known.isNumbered && isUnread(first) && first.storedSince !== undefined)
		return item !== undefined && (timeOf(item) ?? 0) > first.storedSince;
	const at = log.known.isNumbered ? sequence : later(order?.updatedAt, time);
	const since = sinceOf(cursor);
	if (at === undefined || since === undefined) return first.read === 'done';
	return at > since;
}

/** Whether an order was delivered to a cursor, by an entry of the log or in an earlier process. */
function wasTold(cursor: Cursor, order: OrderFacts): boolean {
	const told = findOrder(cursor.log.known.orders, order.id)?.told;
	const isEntry = told !== undefined && told.offset >= cursor.joinedOffset && told.only?.has(cursor) !== false;
	return isEntry || orderBefore(cursor, order) !== undefined;
}

/** Whether a row moves an order further than the checkpoint of a cursor that catches up has it. */
export function mayMove(cursor: Cursor, { order }: TopicEvent): boolean {
	const before = order && orderBefore(cursor, order);
	return !before || differs(order, before);
}

const orderBefore = ({ catchingUp }: Cursor, { id }: OrderFacts): OrderFacts | undefined =>
	catchingUp && findOrder(catchingUp.known.orders, id)?.facts;

/** Lets a cursor catch up by reads, because it fell out of the log, or needs what the log no longer has. */
export function fallBehind(cursor: Cursor, known: KnownEvents, now: number): void {
	const { log } = cursor;
	cursor.offset = cursor.acknowledged = endOf(log);
	cursor.catchingUp = { known, offered: new Set(), since: now };
	log.behind.add(cursor);
}

export function endCatchingUp(cursor: Cursor): void {
	cursor.catchingUp = undefined;
	cursor.log.behind.delete(cursor);
}

export const emptyKnown = ({ known: { isNumbered, hasList } }: Log): KnownEvents =>
	nothingKnown({ isNumbered, hasList });

/** An entry that the host is busy with. */
export interface Handed {
	cursor: Cursor;
	entry: Entry;
	/** The key of the event, which may differ from that of the log for a cursor that catches up. */
	eventKey: string;
}

/**
 * Takes the next entries for a host: from the logs of its topics in the order of arrival, those that pass its filters. A
 * consumer that catches up admits what its checkpoint did not know.
 */
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

/** The cursor whose next entry arrived first. */
function nextOf(cursors: readonly Cursor[]): Cursor | undefined {
	let [next, arrived]: [Cursor | undefined, number] = [undefined, Infinity];
	for (const cursor of cursors) {
		const { log } = cursor;
		if (cursor.needsSnapshot) cursor.offset = cursor.acknowledged = endOf(log);
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
	{ catchingUp, joinedOffset }: Cursor,
	{ arrival, key, facts, offset }: Entry,
	now: number,
): string | undefined {
	if (!catchingUp) return key;
	const isRead = arrival.isRead || offset < joinedOffset;
	return admit(catchingUp.known, facts, { now, isRead })?.key;
}
