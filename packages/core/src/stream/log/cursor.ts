import { sameEpoch } from '../position';
import type { OrderFacts, TopicEvent } from '../topics/event';
import { differs } from '../topics/orders';
import { type KnownEvents, admit } from './known';
import { type Arrival, type Cursor, type Entry, skipAll } from './log';
import { findOrder } from './orders';

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

/** What some cursors have counted since they joined, added up. */
export function countsOf(cursors: readonly Cursor[]) {
	const sum = (count: (cursor: Cursor) => number): number => cursors.reduce((all, cursor) => all + count(cursor), 0);
	return {
		received: sum(({ log, joined }) => log.received - joined.received),
		waiting: sum(waitingOf),
		delivered: {
			live: sum(({ tally }) => tally.delivered.live),
			replayed: sum(({ tally }) => tally.delivered.replayed),
			reconciled: sum(({ tally }) => tally.delivered.reconciled),
		},
		filtered: sum(({ tally }) => tally.filtered),
		duplicates: sum(({ log, joined }) => log.duplicates - joined.duplicates),
		gaps: sum(({ tally }) => tally.gaps),
	};
}

/** Whether a row moves an order further than the checkpoint of a cursor that catches up has it. */
export function mayMove(cursor: Cursor, { order }: TopicEvent): boolean {
	const before = order && orderBefore(cursor, order);
	return !before || differs(order, before);
}

/** The state of an order in the checkpoint of a cursor that catches up. */
export const orderBefore = ({ catchingUp }: Cursor, { id }: OrderFacts): OrderFacts | undefined =>
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
