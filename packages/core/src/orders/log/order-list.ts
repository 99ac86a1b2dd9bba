import type { Read } from '../../context';
import { isExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { filledText, type Item } from '../../wire/payload';
import type { ServiceClock } from '../../wire/remote-clock';
import { readOrder } from '../lookup';
import { APPEARS_AFTER_MS, completed, knownBefore, mayBeUnder } from './evidence';
import { createLogs, enter, forget, hidesNames, idsOf } from './order-log';
import type { Follower, OrderLog, Search, SearchEnd } from './order-log';
import { createPagePace, isRefused, pagesOf, type PagePace } from './page';
import { beginSearch } from './search';
import {
	createSharedReads,
	type QueryResult,
	type OrderQuery,
	type Gaps,
	type Waiters,
	type SharedReads,
} from './shared-reads';

/** The longest time that one look reads pages; the next one continues there. */
export const LOOK_MS_MAX = 90_000;
/** Orders under one name that are read one by one at most. */
const ALIKE_MAX = 10;
/** A search may find that what is known is not true, or was begun by an earlier look: then another one follows. */
const SEARCHES_MAX = 4;

/** The account's orders, by one log for whoever asks. */
export interface OrderList {
	/**
	 * Reads until an order is found or every one was shown that may be meant. Throws if a page cannot be read: a failed read
	 * is not "not found".
	 */
	find(asked: OrderQuery, signal?: AbortSignal): Promise<QueryResult>;
	/** Gets every order that anybody reads from now on, until the returned function is called. */
	follow(follower: Follower): () => void;
}

/** What all clients of an account share: the logs of its lists, the readings in progress, and their pace. */
export interface OrderLogs {
	of(name: string): OrderLog;
	share: SharedReads;
	pace: PagePace;
}

export const createOrderLogs = (): OrderLogs => ({
	of: createLogs(),
	share: createSharedReads(),
	pace: createPagePace(),
});

interface Source {
	read: Read;
	clock: Clock;
	service: ServiceClock;
	/** Whose list it is, so that only equal lists share a reading. */
	name: string;
	logs: OrderLogs;
}

export const createOrderList = (source: Source): OrderList => ({
	find: (asked, signal) => {
		const { name, since, isThorough = false } = asked;
		const { wholeUntil } = source.logs.of(source.name);
		// A caller that needs the latest orders alone does not wait for a reading of the whole list.
		const isShort = wholeUntil === undefined && since !== undefined && !(name !== undefined && isThorough);
		const key = JSON.stringify([source.name, isShort]);
		return source.logs.share(key, asked, (party) => readTogether(party, source, isShort), signal);
	},
	follow: (follower) => {
		const { followers } = source.logs.of(source.name);
		if (!followers.has(follower)) followers.set(follower, source.clock.elapsed());
		return () => void followers.delete(follower);
	},
});

/**
 * Reads what is not known yet, and all of the list where nothing is. What an earlier look left unread is read first, and
 * then what came since, because a search proves nothing about what was placed after it began.
 */
async function readTogether(party: Waiters, source: Source, isShort: boolean): Promise<Gaps> {
	const { clock, service, logs } = source;
	const log = logs.of(source.name);
	const isPatient = party.waiting().some((asked) => asked.isPatient);
	const page = pagesOf({ ...source, ...logs, signal: party.signal, isPatient });
	const askedAt = clock.elapsed();
	for (let searches = 1; searches <= SEARCHES_MAX && !party.isOver(); searches += 1) {
		const needed = { ...reachOf(log, party, isShort), beganAt: clock.elapsed(), page };
		const { isWhole } = needed;
		const search = Object.assign((isWhole && log.begun) || beginSearch(log, needed), { page });
		const isFirst = isWhole && log.wholeUntil === undefined;
		if (isFirst) log.begun = search;
		let end: SearchEnd | undefined;
		while (!end && !party.isOver()) {
			const next = clock.elapsed() < askedAt + LOOK_MS_MAX ? await search.next() : unfinished(log, search);
			if (Array.isArray(next)) party.see(enter(log, next));
			else end = next;
		}
		if (isWhole) log.begun = end?.isOpen || (isFirst && !end) ? search : undefined;
		if (!end) return {};
		const isRead = end.gap === undefined && !end.isContradicted;
		const tookMs = clock.elapsed() - search.beganAt;
		if (isRead && isWhole) completed(log, tookMs, service.at(clock.elapsed()));
		const isTrue = !end.isContradicted && (await showKnown(party, log, source));
		if (isWhole && !(isTrue && (isRead || end.isOpen))) forget(log);
		for (const [{ covered }, since] of log.followers)
			if (isRead && isTrue && since <= search.beganAt) covered(search.settledBefore, tookMs);
		if (end.gap !== undefined) return { gap: end.gap };
		// To read all of a list takes a while, so what came meanwhile is read as well.
		const isLate = isFirst && searches === 1 && search.count > log.rows;
		if (isTrue && !isLate && search.beganAt >= askedAt) return hidesNames(log) ? { hidesNames: true } : {};
	}
	return { gap: 'the list is another one each time it is read' };
}

const unfinished = ({ rows }: OrderLog, { count }: Search): SearchEnd => ({
	gap: `${rows}${count > rows ? ` of ${count}` : ''} orders of the list were read in ${LOOK_MS_MAX / 1_000} seconds, and the next try reads on from there`,
	isOpen: true,
});

/**
 * How far back a search goes for those who wait. A short one only enters what it reads: another one may be on its way
 * through the whole list, and one at a time says what is known and what is forgotten.
 */
function reachOf(log: OrderLog, party: Waiters, isShort: boolean): Pick<Search, 'settledBefore' | 'isWhole'> {
	const before = isShort ? undefined : knownBefore(log);
	// A name needs every older order to be known. A caller without a name gets every order that may be meant.
	const since = party
		.waiting()
		.map(({ name, since = -Infinity }) =>
			isShort || name === undefined ? since : before === undefined ? -Infinity : Infinity,
		)
		.reduce((a, b) => Math.min(a, b), Infinity);
	return {
		settledBefore: Math.min(before ?? Infinity, since - APPEARS_AFTER_MS),
		isWhole: !isShort && (before !== undefined || since === -Infinity),
	};
}

/**
 * Shows those who wait the orders under their names that were read before, as they are now. Answers false where an
 * order is not there any more, or not under its name: then the list is another one.
 */
async function showKnown(party: Waiters, log: OrderLog, { read }: Source): Promise<boolean> {
	for (const { name, see } of party.waiting()) {
		if (name === undefined) continue;
		const orders = [...log.unnamed.values()];
		for (const id of idsOf(log, name).slice(0, ALIKE_MAX)) {
			const order = await readKnown(id, read, party);
			if (!order || !mayBeUnder(name)(order) || !filledText(order.client_order_id) || !('quantity' in order))
				return false;
			orders.push({ ...order, id });
		}
		see(orders);
	}
	return true;
}

async function readKnown(id: string, read: Read, { signal }: Waiters): Promise<Item | undefined> {
	try {
		return await readOrder(read, id, { signal });
	} catch (error) {
		if (isRefused(error) || isExchangeError(error, 'malformed_response')) return undefined;
		throw error;
	}
}
