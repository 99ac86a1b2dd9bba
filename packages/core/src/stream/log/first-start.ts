import { later, plus, sooner } from '../../whole';
import { TIMES_APART_MS } from '../limits';
import { timeOf, type OrderFacts, type TopicEvent } from '../topics/event';
import { isWanted, orderBefore } from './cursor';
import type { EventPlace } from './known';
import type { Cursor, FirstStart, Log } from './log';
import { findOrder } from './orders';

/** Whether no read has shown yet which events are old. */
export const isUnread = (first: FirstStart | undefined): first is FirstStart =>
	first !== undefined && first.read !== 'done';

/** Whether a read that would have shown it failed, so that what happened since it joined is told by its time. */
export const isLate = (first: FirstStart | undefined): first is FirstStart =>
	isUnread(first) && first.read !== 'awaited';

/** Whether a cursor gets what is new: its topic is confirmed, and a read has shown what is old. */
export const hasBegun = ({ isUnconfirmed, first }: Cursor): boolean =>
	!isUnconfirmed && (!isUnread(first) || first.read === 'refused');

/** Whether a read or a checkpoint has shown what was there when it joined: what enters from then on is news. */
export const hasGround = ({ first, catchingUp, log }: Cursor): boolean =>
	catchingUp !== undefined || (log.known.hasList && !isUnread(first));

/** A read has shown which events are old. */
export function endFirstRead({ first, log }: Cursor): void {
	if (!first) return;
	first.read = 'done';
	first.number ??= log.numbers.highest;
}

/** The read that would have shown it failed. `isRefused`: the key may not read the list. */
export function missFirstRead({ first }: Cursor, isRefused = false): void {
	if (!isUnread(first) || first.read === 'refused') return;
	first.read = isRefused ? 'refused' : 'late';
}

/** Since when events are new to a first start, as a number or by the clock of the list; undefined where nothing tells. */
export function sinceOf({ first, log, joined }: Cursor): EventPlace | undefined {
	if (!first) return undefined;
	if (log.known.isNumbered) return first.number;
	if (first.newSinceByList !== undefined) return first.newSinceByList;
	if (first.newSinceByService !== undefined && isUnread(first)) return first.newSinceByService;
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
	if (log.known.isNumbered && isUnread(first) && first.newSinceByService !== undefined)
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
