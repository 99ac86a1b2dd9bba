import { compare, isDecimal } from '../../decimal';
import {
	CORRECTION_CONFIRMED_AFTER_MS,
	OPEN_ORDERS_MAX,
	ORDERS_MAX,
	STORED_ENDED_MAX,
	STORED_OPEN_MAX,
} from '../limits';
import type { StreamPolicy } from '../policy';
import { isFinal, type OrderFacts } from '../topics/event';
import { after, differs } from '../topics/orders';
import { boundedGet, boundedMap, boundedSet, type BoundedMap } from '../bounded';
import { numberOf } from './numbers';

/** The optional fields detect amendments and are stored for open orders alone; earlier versions stored none of them. */
export type StoredOrder = [
	id: string,
	status: string,
	filled: string | null,
	replacedBy: string | null,
	terms?: string,
	updatedAt?: number | null,
	corrections?: number,
];

/** The last state of each order that one subscriber was offered, so that no update is delivered twice or backwards. */
export interface OrderIndex {
	/** Open orders are kept apart, so that ended ones do not displace them: their end is still to be delivered. */
	open: Map<string, KnownOrder>;
	ended: BoundedMap<string, KnownOrder>;
	/** More were open than could be stored or followed, so the whole list has to be read once. */
	isCut: boolean;
}

/** How many amendments of one order are remembered. */
const TERMS_MAX = 10;

export interface KnownOrder {
	facts: OrderFacts;
	/** Prices and quantities the order had before, which a late update may repeat. */
	termsBefore: readonly string[];
	heardAt: number;
	/** A state that backfills show and that contradicts the known one, and since when. */
	contradiction?: { state: string; since: number };
}

export function orderIndexOf(orders: Iterable<StoredOrder>, isCut: boolean): OrderIndex {
	const index: OrderIndex = {
		open: new Map(),
		ended: boundedMap(ORDERS_MAX),
		isCut,
	};
	for (const order of orders)
		remember(index, { facts: factsOf(order), termsBefore: termsIn(order), heardAt: Number.NEGATIVE_INFINITY });
	return index;
}

export const findOrder = ({ open, ended }: OrderIndex, id: string): KnownOrder | undefined =>
	open.get(id) ?? boundedGet(ended, id);

interface OrderOrigin extends Pick<StreamPolicy, 'isNews'> {
	isRead: boolean;
	now: number;
}

/** The state of an order after an update; undefined if the update is not new. The index is changed in place. */
export function judgeOrder(index: OrderIndex, update: OrderFacts, origin: OrderOrigin): OrderFacts | undefined {
	const stored = findOrder(index, update.id);
	if (stored && isOlder(update, stored.facts) && !isFurther(update, stored.facts)) return undefined;
	const isCorrected = stored !== undefined && !origin.isNews(update, stored.facts);
	if (isCorrected && !isCorrection(update, stored, origin)) return undefined;
	const facts = after(update, stored?.facts, isCorrected);
	const renewed = renew(stored, facts, origin.now);
	if (renewed !== stored || isFinal(facts.status)) remember(index, renewed);
	return facts;
}

function remember(index: OrderIndex, stored: KnownOrder): void {
	const { id, status } = stored.facts;
	const { open, ended } = index;
	if (isFinal(status)) {
		open.delete(id);
		boundedSet(ended, id, stored);
		return;
	}
	open.set(id, stored);
	if (open.size <= OPEN_ORDERS_MAX) return;
	open.delete(open.keys().next().value!);
	index.isCut = true;
}

/**
 * A state further along needs no later time, because the machines of a service stamp differently. Time decides between
 * contradictions alone, and so once the service has corrected the order.
 */
const isFurther = (update: OrderFacts, stored: OrderFacts): boolean =>
	!stored.corrections &&
	!isFinal(stored.status) &&
	(isFinal(update.status) ||
		(update.filled !== undefined && stored.filled !== undefined && compare(update.filled, stored.filled) > 0));

/**
 * Whether an update corrects the state delivered before. A later time of its last change proves it; without one,
 * backfills have to show the same state for longer than lists lag.
 */
function isCorrection(update: OrderFacts, stored: KnownOrder, { isRead, now }: OrderOrigin): boolean {
	if (!differs(update, stored.facts)) {
		if (isRead) stored.contradiction = undefined;
		return false;
	}
	if (isOlder(stored.facts, update) || isAmendment(update, stored)) return true;
	// A list that shows an ended order as open lags, for however long.
	if (!isRead || (isFinal(stored.facts.status) && !isFinal(update.status))) return false;
	const state = [update.status, update.filled, update.terms, update.replacedBy].join(':');
	if (stored.contradiction?.state !== state) stored.contradiction = { state, since: now };
	return Math.min(now - stored.contradiction.since, now - stored.heardAt) >= CORRECTION_CONFIRMED_AFTER_MS;
}

/** Returns whether more orders are open than are stored. The orders, by id, the latest change last, are changed in place. */
export function acknowledgeOrder(orders: Map<string, StoredOrder>, facts: OrderFacts): boolean {
	orders.delete(facts.id);
	orders.set(facts.id, storedOf(facts));
	return orders.size > STORED_OPEN_MAX + STORED_ENDED_MAX && forgetOldest(orders);
}

/** The record of an open order is changed in place, because most updates concern a known order. */
function renew(stored: KnownOrder | undefined, facts: OrderFacts, heardAt: number): KnownOrder {
	const termsBefore = termsWith(facts, stored);
	if (!stored || isFinal(stored.facts.status)) return { facts, termsBefore, heardAt, contradiction: undefined };
	stored.facts = facts;
	stored.termsBefore = termsBefore;
	stored.heardAt = heardAt;
	stored.contradiction = undefined;
	return stored;
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

const isOlder = ({ updatedAt = Infinity }: OrderFacts, stored: OrderFacts): boolean =>
	updatedAt < (stored.updatedAt ?? -Infinity);

const termsIn = ({ 4: terms }: StoredOrder): string[] => (typeof terms === 'string' ? [terms] : []);

export const factsOf = ([id, status, filled, replacedBy, terms, updatedAt, corrections]: StoredOrder): OrderFacts => ({
	id,
	status,
	filled: isDecimal(filled) ? filled : undefined,
	replacedBy: typeof replacedBy === 'string' ? replacedBy : undefined,
	terms: typeof terms === 'string' ? terms : undefined,
	updatedAt: numberOf(updatedAt),
	corrections: numberOf(corrections),
});

function storedOf({ id, status, filled, replacedBy, terms, updatedAt, corrections }: OrderFacts): StoredOrder {
	const state: [string, string, string | null, string | null] = [id, status, filled ?? null, replacedBy ?? null];
	return isFinal(status) || terms === undefined ? state : [...state, terms, updatedAt ?? null, corrections ?? 0];
}

/** Drops the oldest ended and the oldest open orders beyond their limits; returns whether open ones were too many. */
function forgetOldest(acknowledged: Map<string, StoredOrder>): boolean {
	const all = [...acknowledged.values()];
	const open = all.filter(([, status]) => !isFinal(status));
	const ended = all.filter(([, status]) => isFinal(status));
	const gone = [...open.slice(0, -STORED_OPEN_MAX), ...ended.slice(0, -STORED_ENDED_MAX)];
	for (const [id] of gone) acknowledged.delete(id);
	return open.length > STORED_OPEN_MAX;
}
