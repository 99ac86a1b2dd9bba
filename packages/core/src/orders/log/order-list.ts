import type { Read } from '../../context';
import { isExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { unknownShape } from '../../wire/list-shape';
import { filledText, type Item } from '../../wire/payload';
import type { ServiceClock } from '../../wire/remote-clock';
import { mayBeNamed } from '../identity';
import { readOrder } from '../lookup/single-order';
import { APPEARS_AFTER_MS, completed, knownBefore } from './denial';
import { openList } from './listed';
import { createLogs, enter, forget, hidesNames, idsOf, type Follower, type OrderLog, type Search } from './order-log';
import { createPagePace, isRefused, pagesOf, type PagePace } from './page';
import { LOOK_MS_MAX, searchOn, UNSORTED_ROWS_MAX } from './search';
import { createSharing, type Answer, type Asked, type Gaps, type Party, type Sharing } from './sharing';

/** Rows read to find a recent order, when the list is sorted newest first. */
const NEWEST_ROWS = 1_000;
/** Orders under one name that are read one by one at most. */
const ALIKE_MAX = 10;
/** A search may find that what is known is not true, or was begun by an earlier look: then another one follows. */
const SEARCHES_MAX = 4;

interface OrderQuery extends Asked {
	/** Finding nothing decides what is sent or told next; otherwise the newest rows are read, where nothing is known. */
	isThorough?: boolean;
	/** Narrows a look that is not thorough, where the service supports the filter. */
	pair?: string;
}

/** The account's orders, by one log for whoever asks. */
export interface OrderList {
	/**
	 * Reads until an order is found or every one was shown that may be meant. Throws if a page cannot be read: a failed read
	 * is not "not found".
	 */
	look(query: OrderQuery, signal?: AbortSignal): Promise<Answer>;
	/** Is shown whatever anybody reads from now on. The function ends it. */
	follow(follower: Follower): () => void;
}

/** What all clients of an account share: the logs of its lists, the readings in progress, and their pace. */
export interface OrderLogs {
	of(name: string): OrderLog;
	share: Sharing;
	pace: PagePace;
}

export const createOrderLogs = (): OrderLogs => ({
	of: createLogs(),
	share: createSharing(),
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
	look: ({ isThorough = false, pair, ...asked }, signal) => {
		const { name, since } = asked;
		const { wholeUntil, showsFinal } = source.logs.of(source.name);
		// Where the list is known, reading what is new costs less than reading its newest orders.
		const readsNew = isThorough || (name !== undefined && wholeUntil !== undefined && showsFinal);
		// Who needs the latest orders alone waits for nobody who reads the whole list first.
		const isShort = wholeUntil === undefined && name === undefined && since !== undefined;
		const key = JSON.stringify([source.name, readsNew, readsNew ? isShort : pair]);
		const reading = (party: Party): Promise<Gaps> =>
			readsNew ? readThoroughly(party, source, isShort) : readNewest(party, source, pair);
		return source.logs.share(key, asked, reading, signal);
	},
	follow: (follower) => {
		const { followers } = source.logs.of(source.name);
		followers.add(follower);
		return () => void followers.delete(follower);
	},
});

const pageReader = ({ read, clock, logs: { pace } }: Source, { signal, waiting }: Party) =>
	pagesOf({ read, clock, pace, signal, isPatient: waiting().some(({ isPatient }) => isPatient) });

async function readNewest(party: Party, source: Source, pair?: string): Promise<Gaps> {
	const log = source.logs.of(source.name);
	const shape = unknownShape();
	const listed = openList({
		filter: pair === undefined ? {} : { pair_id: pair },
		shape,
		isToTheEnd: true,
		isSettled: () => false,
		page: pageReader(source, party),
	});
	try {
		for (let orders = await listed.next(); orders; orders = await listed.next()) {
			enter(log, orders);
			party.see(orders);
			const isEnough = listed.rows() >= NEWEST_ROWS && shape.order === 'newest_first';
			if (isEnough || party.isOver() || listed.rows() >= UNSORTED_ROWS_MAX) break;
		}
	} catch (error) {
		// The interface does not name this filter, so a service that refuses it is asked without it.
		if (pair === undefined || listed.rows() > 0 || !isRefused(error)) throw error;
		return readNewest(party, source);
	}
	return { gap: 'only its newest orders were read' };
}

/**
 * Reads what is not known yet, and all of the list where nothing is. What an earlier look left unread is read first, and
 * then what came since, because a search proves nothing about what was placed after it began.
 */
async function readThoroughly(party: Party, source: Source, isShort: boolean): Promise<Gaps> {
	const { clock, service } = source;
	const log = source.logs.of(source.name);
	const page = pageReader(source, party);
	const askedAt = clock.elapsed();
	for (let searches = 1; searches <= SEARCHES_MAX; searches += 1) {
		const needed: Search = { ...scopeOf(log, party, isShort), beganAt: clock.elapsed(), lists: new Map(), page };
		const search = needed.isWhole ? (log.begun ?? needed) : needed;
		const isFirst = search.isWhole && log.wholeUntil === undefined;
		if (isFirst) log.begun = search;
		search.page = page;
		const end = await searchOn(search, { log, party, clock, until: askedAt + LOOK_MS_MAX });
		const isLeft = party.isOver();
		if (search.isWhole) log.begun = end.isOpen || (isFirst && isLeft) ? search : undefined;
		const isRead = end.gap === undefined && !end.isContradicted && !isLeft;
		if (isRead && search.isWhole) completed(log, clock.elapsed() - search.beganAt, service.at(clock.elapsed()));
		const isTrue = !end.isContradicted && (party.isOver() || (await showKnown(party, log, source)));
		if (search.isWhole && (!isTrue || (end.gap !== undefined && !end.isOpen))) forget(log);
		if (isRead && isTrue)
			for (const follower of search.followers) follower.covered(search.settledBefore, clock.elapsed() - search.beganAt);
		if (party.isOver()) return {};
		if (end.gap !== undefined) return { gap: end.gap };
		if (isTrue && search.beganAt >= askedAt) return hidesNames(log) ? { hidesNames: true } : {};
	}
	return { gap: 'the list is another one each time it is read' };
}

/**
 * How far back a search goes for those who wait. A short one only enters what it reads: another one may be on its way
 * through the whole list, and one at a time says what is known and what is forgotten.
 */
function scopeOf(
	log: OrderLog,
	party: Party,
	isShort: boolean,
): Pick<Search, 'settledBefore' | 'isWhole' | 'followers'> {
	const before = isShort ? undefined : knownBefore(log);
	// A name needs every older order to be known. Whoever looks for anything else sees every order that may be meant.
	const since = party
		.waiting()
		.map(({ name, since = -Infinity }) => (name === undefined ? since : before === undefined ? -Infinity : Infinity))
		.reduce((a, b) => Math.min(a, b), Infinity);
	return {
		settledBefore: Math.min(before ?? Infinity, since - APPEARS_AFTER_MS),
		isWhole: !isShort && (before !== undefined || since === -Infinity),
		followers: new Set(log.followers),
	};
}

/**
 * Shows who waits the orders under their names that were read before, as they are now. Answers false where an order is
 * not there any more, or not under its name: then the list is another one.
 */
async function showKnown(party: Party, log: OrderLog, { read }: Source): Promise<boolean> {
	for (const { name, see } of party.waiting()) {
		if (name === undefined) continue;
		const orders = [...log.unnamed.values()];
		for (const id of idsOf(log, name).slice(0, ALIKE_MAX)) {
			const order = await readKnown(id, read, party);
			if (!order || !mayBeNamed(name)(order) || !filledText(order.client_order_id) || !('quantity' in order))
				return false;
			orders.push({ ...order, id });
		}
		see(orders);
	}
	return true;
}

async function readKnown(id: string, read: Read, { signal }: Party): Promise<Item | undefined> {
	try {
		return await readOrder(read, id, { signal });
	} catch (error) {
		if (isRefused(error) || isExchangeError(error, 'malformed_response')) return undefined;
		throw error;
	}
}
