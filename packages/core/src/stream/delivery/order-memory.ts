import { isDecimal } from '../../decimal';
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
import { createBoundedMap } from './bounded';
import { numberOf } from './deduplication';

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

/** The last state of each order that one consumer was offered, so that no update is delivered twice or backwards. */
export interface OrderMemory {
	/** What is known of an order. */
	find(id: string): KnownOrder | undefined;
	/** The state of an order after an update; undefined if the update is not new. */
	admit(
		update: OrderFacts,
		known: KnownOrder | undefined,
		origin: { isRead: boolean; now: number },
	): OrderFacts | undefined;
	openOrders(): string[];
	acknowledge(order: OrderFacts): void;
	/** Whether there is anything to store. */
	isUsed(): boolean;
	stored(): StoredOrder[];
	/** Whether an order was forgotten. */
	hasForgotten(): boolean;
	/** More were open than could be stored, so the whole list has to be read once. */
	isCut(): boolean;
}

/** How many amendments of one order are remembered. */
const TERMS_MAX = 10;

interface KnownOrder {
	facts: OrderFacts;
	/** Prices and quantities the order had before, which a late update may repeat. */
	termsBefore: readonly string[];
	heardAt: number;
	/** A state that backfills show and that contradicts the known one, and since when. */
	contradiction?: { state: string; since: number };
}

export function createOrderMemory(
	given: readonly StoredOrder[],
	wasCut: boolean,
	{ isNews }: Pick<StreamPolicy, 'isNews'>,
): OrderMemory {
	/** Open orders are kept apart, so that ended ones do not displace them: their end is still to be delivered. */
	const open = new Map<string, KnownOrder>();
	const ended = createBoundedMap<string, KnownOrder>(ORDERS_MAX);
	/** Acknowledged orders, sorted by their latest change. */
	const acknowledged = new Map(given.map((order) => [order[0], order]));
	/** Orders acknowledged since the last `place`: an order that changes several times moves in `acknowledged` once. */
	const changed = new Map<string, OrderFacts>();
	let [isCut, hasForgottenOpen] = [wasCut, false];
	for (const order of acknowledged.values())
		remember({ facts: factsOf(order), termsBefore: termsIn(order), heardAt: Number.NEGATIVE_INFINITY });

	const find = (id: string): KnownOrder | undefined => open.get(id) ?? ended.get(id);

	function remember(known: KnownOrder): void {
		const { id, status } = known.facts;
		if (isFinal(status)) {
			open.delete(id);
			ended.set(id, known);
			return;
		}
		open.set(id, known);
		if (open.size <= OPEN_ORDERS_MAX) return;
		open.delete(open.keys().next().value!);
		isCut = hasForgottenOpen = true;
	}

	/**
	 * Whether an update corrects the state delivered before. A later time of its last change proves it; without one,
	 * backfills have to show the same state for longer than lists lag.
	 */
	function isCorrection(update: OrderFacts, known: KnownOrder, isRead: boolean, now: number): boolean {
		if (!differs(update, known.facts)) {
			if (isRead) known.contradiction = undefined;
			return false;
		}
		if (isOlder(known.facts, update) || isAmendment(update, known)) return true;
		// A list that shows an ended order as open lags, for however long.
		if (!isRead || (isFinal(known.facts.status) && !isFinal(update.status))) return false;
		const state = [update.status, update.filled, update.terms, update.replacedBy].join(':');
		if (known.contradiction?.state !== state) known.contradiction = { state, since: now };
		return Math.min(now - known.contradiction.since, now - known.heardAt) >= CORRECTION_CONFIRMED_AFTER_MS;
	}

	function place(): void {
		for (const [id, order] of changed) {
			acknowledged.delete(id);
			acknowledged.set(id, storedOf(order));
		}
		changed.clear();
		if (acknowledged.size > STORED_OPEN_MAX + STORED_ENDED_MAX) isCut = forgetOldest(acknowledged) || isCut;
	}

	return {
		find,
		admit: (update, known, { isRead, now }) => {
			if (known && isOlder(update, known.facts)) return undefined;
			const isCorrected = known !== undefined && !isNews(update, known.facts);
			if (isCorrected && !isCorrection(update, known, isRead, now)) return undefined;
			const facts = after(update, known?.facts, isCorrected);
			const renewed = renew(known, facts, now);
			if (renewed !== known || isFinal(facts.status)) remember(renewed);
			return facts;
		},
		openOrders: () => [...open.keys()],
		acknowledge: (order) => {
			changed.set(order.id, order);
			// A host that stores nothing never calls `stored`, so the number of changes is limited here, too.
			if (changed.size > STORED_ENDED_MAX) place();
		},
		isUsed: () => acknowledged.size > 0 || changed.size > 0,
		stored: () => {
			place();
			return [...acknowledged.values()];
		},
		hasForgotten: () => hasForgottenOpen || ended.hasForgotten(),
		isCut: () => isCut,
	};
}

/** The record of an open order is changed in place, because most updates concern a known order. */
function renew(known: KnownOrder | undefined, facts: OrderFacts, heardAt: number): KnownOrder {
	const termsBefore = termsWith(facts, known);
	if (!known || isFinal(known.facts.status)) return { facts, termsBefore, heardAt, contradiction: undefined };
	known.facts = facts;
	known.termsBefore = termsBefore;
	known.heardAt = heardAt;
	known.contradiction = undefined;
	return known;
}

/** The terms an order had before, followed by its present terms. */
function termsWith({ terms = '' }: OrderFacts, known: KnownOrder | undefined): readonly string[] {
	if (!known) return [terms];
	return known.termsBefore.at(-1) === terms ? known.termsBefore : [...known.termsBefore, terms].slice(-TERMS_MAX);
}

/** Whether an update shows a price or quantity that an open order never had before. */
const isAmendment = (update: OrderFacts, { facts, termsBefore }: KnownOrder): boolean =>
	!isFinal(facts.status) &&
	update.status === facts.status &&
	update.filled === facts.filled &&
	update.terms !== undefined &&
	facts.terms !== undefined &&
	!termsBefore.includes(update.terms);

const isOlder = ({ updatedAt = Infinity }: OrderFacts, known: OrderFacts): boolean =>
	updatedAt < (known.updatedAt ?? -Infinity);

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
