import { orderRank } from '../../catalogue';
import { compare } from '../../decimal';
import { boundedGet, boundedMap, boundedSet, forgetOldest, type BoundedMap } from '../../bounded';
import {
	ENDED_ORDERS_MAX,
	LISTED_AFTER_MS,
	OPEN_ORDERS_MAX,
	STORED_ENDED_MAX,
	STORED_ENDED_MIN,
	TERMS_MAX,
	TIMES_APART_MS,
} from '../limits';
import { isFinal, type OrderFacts } from '../topics/event';
import { after, differs, isNews, namesOf } from '../topics/orders';

/** The last state of each order, so that no update is delivered twice or backwards. */
export interface OrderIndex {
	/** Open orders are kept apart, so that ended ones do not displace them: their end still has to be delivered. */
	open: Map<string, KnownOrder>;
	ended: BoundedMap<string, KnownOrder>;
}

export interface KnownOrder {
	facts: OrderFacts;
	/** Prices and quantities the order had before, which a late update may repeat. */
	termsBefore: readonly string[];
	heardAt: number;
	/** The latest entry with this order in this process, and whom that was for; everybody without `only`. */
	told?: { offset: number; only?: ReadonlySet<unknown> };
	/** A state that lists show and that contradicts the known one, and since when. */
	contradiction?: { state: string; since: number };
}

/** An order as a checkpoint holds it. The optional fields detect amendments and are stored for open orders alone. */
export type StoredOrder = [
	id: string,
	status: string,
	filled: string | null,
	replacedBy: string | null,
	terms?: string,
	updatedAt?: number | null,
	corrections?: number,
];

export const noOrders = (): OrderIndex => ({ open: new Map(), ended: boundedMap(ENDED_ORDERS_MAX) });

export const findOrder = ({ open, ended }: OrderIndex, id: string): KnownOrder | undefined =>
	open.get(id) ?? boundedGet(ended, id);

export interface OrderOrigin {
	isRead: boolean;
	now: number;
}

/** The state of an order after an update; undefined if the update is not new. The index is changed in place. */
export function admitOrder(index: OrderIndex, update: OrderFacts, origin: OrderOrigin): OrderFacts | undefined {
	const stored = findOrder(index, update.id);
	if (stored && isOlder(update, stored.facts) && !isFurther(update, stored.facts)) return undefined;
	const isCorrected = stored !== undefined && !isNews(update, stored.facts);
	if (isCorrected && !admitCorrection(update, stored, origin)) return undefined;
	const facts = after(update, stored?.facts, isCorrected);
	const renewed: KnownOrder = { facts, termsBefore: termsWith(facts, stored), heardAt: origin.now, told: stored?.told };
	rememberOrder(index, renewed);
	return facts;
}

function rememberOrder(index: OrderIndex, order: KnownOrder): void {
	const { id, status } = order.facts;
	const { open, ended } = index;
	if (isFinal(status)) {
		open.delete(id);
		boundedSet(ended, id, order);
		return;
	}
	open.set(id, order);
	forgetOldest(open, OPEN_ORDERS_MAX);
}

/**
 * A state further along needs no later time, because the machines of a service stamp differently. Time decides only
 * between contradictions, and so after a correction.
 */
const isFurther = (update: OrderFacts, stored: OrderFacts): boolean =>
	!stored.corrections &&
	!isFinal(stored.status) &&
	(isFinal(update.status) ||
		(orderRank(update.status) ?? 0) > (orderRank(stored.status) ?? Infinity) ||
		(update.filled !== undefined && stored.filled !== undefined && compare(update.filled, stored.filled) > 0));

/**
 * Whether an update corrects the state that was delivered before. A later time of its last change proves it; where a
 * list shows the order as open, and may only be late, by more than stream and list may date one change apart. Without one,
 * lists have to show the same state for longer than they lag, so the first time is noted.
 */
function admitCorrection(update: OrderFacts, stored: KnownOrder, { isRead, now }: OrderOrigin): boolean {
	if (!differs(update, stored.facts)) {
		if (isRead) stored.contradiction = undefined;
		return false;
	}
	const mayBeLate = isRead && !isFinal(update.status);
	if (isOlder(stored.facts, update, mayBeLate ? TIMES_APART_MS - 1 : 0) || isAmendment(update, stored)) return true;
	// A list that shows an ended order as open lags, for however long.
	if (!isRead || (isFinal(stored.facts.status) && !isFinal(update.status))) return false;
	const state = [update.status, update.filled, update.terms, update.replacedBy].join(':');
	if (stored.contradiction?.state !== state) stored.contradiction = { state, since: now };
	return Math.min(now - stored.contradiction.since, now - stored.heardAt) >= LISTED_AFTER_MS;
}

/** The terms an order had before, followed by its present terms. */
function termsWith({ terms = '' }: OrderFacts, stored: KnownOrder | undefined): readonly string[] {
	if (!stored) return [terms];
	return stored.termsBefore.at(-1) === terms ? stored.termsBefore : [...stored.termsBefore, terms].slice(-TERMS_MAX);
}

/** Whether an update shows a price or quantity that an open order never had before. */
const isAmendment = (update: OrderFacts, { facts, termsBefore }: KnownOrder): boolean =>
	!isFinal(facts.status) &&
	update.status === facts.status &&
	update.filled === facts.filled &&
	update.terms !== undefined &&
	facts.terms !== undefined &&
	!termsBefore.includes(update.terms);

const isOlder = ({ updatedAt = Infinity }: OrderFacts, stored: OrderFacts, apartMs = 0): boolean =>
	updatedAt + apartMs < (stored.updatedAt ?? -Infinity);

/**
 * The orders of a checkpoint: every open one, the latest of those that ended, and those that a late list may still show as
 * open. `before`: orders whose latest changes are
 * not acknowledged, and their states before those; undefined for one that was not known.
 */
export function storedOrders(
	{ open, ended }: OrderIndex,
	before: ReadonlyMap<string, OrderFacts | undefined>,
): StoredOrder[] {
	const undone = [...before.values()].filter((facts) => facts !== undefined);
	const isDone = ({ facts }: KnownOrder): boolean => !before.has(facts.id);
	const latest = [...ended.earlier.values(), ...ended.latest.values()].slice(-STORED_ENDED_MAX - before.size);
	const ends = latest.filter(isDone).slice(-STORED_ENDED_MAX);
	const lateFrom = (ends.at(-1)?.heardAt ?? 0) - LISTED_AFTER_MS;
	const isStored = ({ heardAt }: KnownOrder, index: number): boolean =>
		index >= ends.length - STORED_ENDED_MIN || heardAt >= lateFrom;
	const done = [...ends.filter(isStored), ...[...open.values()].filter(isDone)];
	return [...done.map(({ facts }) => facts), ...undone].map(storedOf);
}

function storedOf({
	id,
	written = id,
	status,
	filled,
	replacedBy,
	terms,
	updatedAt,
	corrections,
}: OrderFacts): StoredOrder {
	if (isFinal(status) || terms === undefined) return [written, status, filled ?? null, replacedBy ?? null];
	return [written, status, filled ?? null, replacedBy ?? null, terms, updatedAt ?? null, corrections ?? 0];
}

/** `heardAt`: when this was read, which is no earlier than the orders were heard of. */
export function ordersOf(stored: readonly StoredOrder[], heardAt: number): OrderIndex {
	const index = noOrders();
	for (const [written, status, filled, replacedBy, terms, updatedAt, corrections] of stored) {
		const facts = {
			...namesOf(written),
			status,
			filled: filled ?? undefined,
			replacedBy: replacedBy ?? undefined,
			terms,
			updatedAt: updatedAt ?? undefined,
			corrections,
		};
		rememberOrder(index, { facts, termsBefore: terms === undefined ? [] : [terms], heardAt });
	}
	return index;
}
