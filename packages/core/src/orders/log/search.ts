import { orderStatuses } from '../../catalogue';
import type { Clock } from '../../ports';
import { contradict, unknownShape } from '../../wire/list-shape';
import { gapIn, isMissing, isOlder, type ListFacts } from './denial';
import { openList, type Listed } from './listed';
import { enter, knows, LOG_ROWS_MAX, type OrderLog, type Search } from './order-log';
import { isRefused } from './page';
import type { Gaps, Party } from './sharing';

/** Orders of a list in no order by time that are read at most, because each search reads all of them. */
export const UNSORTED_ROWS_MAX = 20_000;
/** The longest time that one look reads pages; the next one continues there. */
export const LOOK_MS_MAX = 90_000;
/** How often the start of the list is read again when new orders arrive during the read. */
const ROUNDS_MAX = 5;

/** `isOpen`: the next look continues this search. `isContradicted`: the list is another one than was known. */
export interface SearchEnd extends Pick<Gaps, 'gap'> {
	isOpen?: boolean;
	isContradicted?: boolean;
}

export interface Searching {
	log: OrderLog;
	party: Party;
	clock: Clock;
	/** When this look ends. */
	until: number;
}

/** Reads on until every order was shown that is not settled, or nobody waits any longer. */
export async function searchOn(search: Search, searching: Searching): Promise<SearchEnd> {
	const { log, party } = searching;
	const end = await readList('', search, searching);
	log.showsFinal ||= listOf(search, '', log).showsFinal;
	if (isOver(end, party) || log.showsFinal) return end;
	// A list without a single final order may hide them, so each status is asked for by name. An order that goes on to
	// another status meanwhile goes to one that is read later.
	for (const status of Object.keys(orderStatuses)) {
		const ended = await readList(status, search, searching).catch(refusedFilter);
		// Orders of another status in this answer show that the service ignores the filter.
		if (!ended || listOf(search, status, log).isUnfiltered)
			return { gap: 'the list shows no order that is over and does not filter by status, so it may hide them' };
		if (isOver(ended, party)) return ended;
	}
	return {};
}

const isOver = ({ gap, isContradicted }: SearchEnd, party: Party): boolean =>
	gap !== undefined || isContradicted === true || party.isOver();

/** A refused filter proves nothing about the orders it would have shown. */
function refusedFilter(error: unknown): undefined {
	if (!isRefused(error)) throw error;
}

function listOf(search: Search, status: string, log: OrderLog): Listed {
	const shape = log.shapes.get(status) ?? unknownShape();
	log.shapes.set(status, shape);
	const { settledBefore, isWhole, lists } = search;
	const listed =
		lists.get(status) ??
		openList({
			filter: status === '' ? {} : { status },
			shape,
			page: (query) => search.page(query),
			isSettled: (order) => isOlder(order, settledBefore) && (!isWhole || knows(log, order)),
			isToTheEnd: settledBefore === -Infinity,
		});
	lists.set(status, listed);
	return listed;
}

async function readList(status: string, search: Search, searching: Searching): Promise<SearchEnd> {
	const { log, party } = searching;
	const listed = listOf(search, status, log);
	if (listed.isEnded) return {};
	const facts = (): ListFacts => ({
		isWhole: listed.isWhole(),
		isKnown: search.isWhole && status === '',
		count: listed.count(),
		// What was not read whole is compared with all that is known, unless it shows one status alone.
		rows: listed.isWhole() ? listed.rows() : log.rows,
		repeats: listed.repeats,
		hasMore: listed.hasMore,
	});
	let end = await readOn(listed, search, searching);
	if (end.gap || party.isOver()) return end;
	const shape = log.shapes.get(status)!;
	// A list whose first orders are older than what was asked for may be sorted by something else, with later ones behind.
	if (!search.isWhole && !listed.isWhole() && !listed.showsDue && !shape.isProved) {
		shape.isProved = !(await listed.endsInDue());
		if (!shape.isProved) {
			contradict(shape);
			search.lists.delete(status);
			return readList(status, search, searching);
		}
	}
	for (let round = 1; round <= ROUNDS_MAX && isMissing(facts()) && !end.gap && !party.isOver(); round += 1) {
		// Orders that arrived at the front during the read are read as well, until a page overlaps the known ones.
		listed.again();
		end = await readOn(listed, search, searching);
	}
	if (end.gap || party.isOver()) return end;
	const gap = gapIn(facts());
	listed.isEnded = gap === undefined;
	return gap === 'contradicted' ? { isContradicted: true } : { gap };
}

async function readOn(
	listed: Listed,
	{ isWhole }: Search,
	{ log, party, clock, until }: Searching,
): Promise<SearchEnd> {
	for (;;) {
		if (isWhole && log.rows >= LOG_ROWS_MAX)
			return { gap: `the order list is longer than ${LOG_ROWS_MAX} rows`, isOpen: true };
		if (listed.rows() >= UNSORTED_ROWS_MAX && !listed.isSorted())
			return { gap: `the order list is longer than ${UNSORTED_ROWS_MAX} rows and not sorted by time` };
		if (clock.elapsed() >= until) return { gap: unfinished(log, listed), isOpen: true };
		const orders = await listed.next();
		if (!orders) return {};
		enter(log, orders);
		party.see(orders);
		if (party.isOver()) return {};
	}
}

const unfinished = ({ rows }: OrderLog, listed: Listed): string =>
	`${rows}${listed.count() > rows ? ` of ${listed.count()}` : ''} orders of the list were read in ${LOOK_MS_MAX / 1_000} seconds, and the next try reads on from there`;
