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

export type StoredOrder = [id: string, status: string, filled: string | null, replacedBy: string | null];

/** What one consumer was offered of each order, so that nothing about it is told twice or backwards. */
export interface OrderMemory {
	/** What an update adds to what is known; nothing if it is no news. */
	admit(update: OrderFacts, origin: { isRead: boolean; now: number }): OrderFacts | undefined;
	isKnown(id: string): boolean;
	/** Whether an update would tell nothing new. */
	isSettled(update: OrderFacts): boolean;
	openOrders(): string[];
	acknowledge(order: OrderFacts): void;
	/** Whether there is anything to store. */
	isUsed(): boolean;
	stored(): StoredOrder[];
	/** More were open than could be stored, so the whole list has to be read once. */
	isCut(): boolean;
}

/** Amendments of one order that are remembered. */
const TERMS_MAX = 10;

interface Known {
	facts: OrderFacts;
	/** Prices and quantities it had before, which an update that comes late may show again. */
	termsBefore: readonly string[];
	heardAt: number;
	/** Another state that readings show, and since when. */
	contradiction?: { state: string; since: number };
}

export function createOrderMemory(
	given: readonly StoredOrder[],
	wasCut: boolean,
	{ isNews }: Pick<StreamPolicy, 'isNews'>,
): OrderMemory {
	/** Open orders are never forgotten like ended ones: the end of a resting order is still to be told. */
	const open = new Map<string, Known>();
	const ended = createBoundedMap<string, Known>(ORDERS_MAX);
	const acknowledged = new Map(given.map((order) => [order[0], order]));
	let isCut = wasCut;
	for (const order of acknowledged.values())
		remember({ facts: factsOf(order), termsBefore: [], heardAt: Number.NEGATIVE_INFINITY });

	const find = (id: string): Known | undefined => open.get(id) ?? ended.get(id);

	function remember(known: Known): void {
		const { id, status } = known.facts;
		if (isFinal(status)) {
			open.delete(id);
			ended.set(id, known);
			return;
		}
		open.set(id, known);
		if (open.size <= OPEN_ORDERS_MAX) return;
		open.delete(open.keys().next().value!);
		isCut = true;
	}

	/**
	 * Whether an update takes back what was told. The time of its last change proves it; without one, a reading has to
	 * show the same for longer than a list lags behind.
	 */
	function isCorrection(update: OrderFacts, known: Known, isRead: boolean, now: number): boolean {
		if (!differs(update, known.facts)) {
			if (isRead) known.contradiction = undefined;
			return false;
		}
		const [time, before] = [update.updatedAt, known.facts.updatedAt];
		if (time !== undefined && before !== undefined && time !== before) return time > before;
		if (isAmendment(update, known)) return true;
		// An ended order that seems open again is a list that lags, however long it does.
		if (!isRead || (isFinal(known.facts.status) && !isFinal(update.status))) return false;
		const state = [update.status, update.filled, update.terms, update.replacedBy].join(':');
		if (known.contradiction?.state !== state) known.contradiction = { state, since: now };
		return Math.min(now - known.contradiction.since, now - known.heardAt) >= CORRECTION_CONFIRMED_AFTER_MS;
	}

	return {
		admit: (update, { isRead, now }) => {
			const known = find(update.id);
			if (known && isOlder(update, known.facts)) return undefined;
			const isCorrected = known !== undefined && !isNews(update, known.facts);
			if (isCorrected && !isCorrection(update, known, isRead, now)) return undefined;
			const corrections = (known?.facts.corrections ?? 0) + (isCorrected ? 1 : 0);
			const facts = { ...after(update, known?.facts), corrections };
			const termsBefore = [...(known?.termsBefore ?? []), facts.terms ?? ''].slice(-TERMS_MAX);
			remember({ facts, termsBefore, heardAt: now });
			return facts;
		},
		isKnown: (id) => find(id) !== undefined,
		isSettled: (update) => {
			const known = find(update.id);
			return known !== undefined && !isNews(update, known.facts) && !differs(update, known.facts);
		},
		openOrders: () => [...open.keys()],
		acknowledge: (order) => {
			acknowledged.delete(order.id);
			acknowledged.set(order.id, storedOf(order));
			if (acknowledged.size > STORED_OPEN_MAX + STORED_ENDED_MAX) isCut = forgetOldest(acknowledged) || isCut;
		},
		isUsed: () => acknowledged.size > 0,
		stored: () => [...acknowledged.values()],
		isCut: () => isCut,
	};
}

/** Another price or quantity of an open order, which it never had before. */
const isAmendment = (update: OrderFacts, { facts, termsBefore }: Known): boolean =>
	!isFinal(facts.status) &&
	update.status === facts.status &&
	update.filled === facts.filled &&
	update.terms !== undefined &&
	facts.terms !== undefined &&
	!termsBefore.includes(update.terms);

const isOlder = ({ updatedAt }: OrderFacts, known: OrderFacts): boolean =>
	updatedAt !== undefined && known.updatedAt !== undefined && updatedAt < known.updatedAt;

const factsOf = ([id, status, filled, replacedBy]: StoredOrder): OrderFacts => ({
	id,
	status,
	filled: isDecimal(filled) ? filled : undefined,
	replacedBy: typeof replacedBy === 'string' ? replacedBy : undefined,
});

const storedOf = ({ id, status, filled, replacedBy }: OrderFacts): StoredOrder => [
	id,
	status,
	filled ?? null,
	replacedBy ?? null,
];

/** The oldest go first, of those that ended and of those that are open; tells whether any of these went. */
function forgetOldest(acknowledged: Map<string, StoredOrder>): boolean {
	const all = [...acknowledged.values()];
	const open = all.filter(([, status]) => !isFinal(status));
	const ended = all.filter(([, status]) => isFinal(status));
	const gone = [...open.slice(0, -STORED_OPEN_MAX), ...ended.slice(0, -STORED_ENDED_MAX)];
	for (const [id] of gone) acknowledged.delete(id);
	return open.length > STORED_OPEN_MAX;
}
