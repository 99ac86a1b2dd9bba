import { finality, operationOf, orderStatuses } from '../../catalogue';
import { unknownShape } from '../../wire/list-shape';
import { createListWalk } from '../../wire/list-walk';
import { PAGE_LENGTHS } from '../../wire/page-length';
import { identityOf, instantOf, itemsIn, statusOf, type Item } from '../../wire/payload';
import { summaryIn } from '../../wire/records';
import { gapIn, isOlder } from './evidence';
import { knows, LOG_ROWS_MAX, type OrderLog, type Scope, type Search } from './order-log';
import { isRefused, type ReadOrders } from './page';

/** Orders of a list in no order by time that are read at most, because each search reads all of them. */
export const UNSORTED_ROWS_MAX = 20_000;
/** Settled orders in a row that end a list whose order is known. */
const SETTLED_IN_A_ROW = 50;

const listOperation = operationOf('order.list');
const HIDING = 'the list shows no order that is over and does not filter by status, so it may hide them';

/**
 * Begins a search. A list without a single final order may hide them, so the list of each status is read after it. An
 * order that goes on to another status meanwhile goes to one that is read later.
 */
export function beginSearch(log: OrderLog, scope: Scope & { page: ReadOrders }): Search {
	const lists = new Map<string, Search['next']>();
	const search: Search = {
		...scope,
		count: 0,
		next: async () => {
			for (const status of ['', ...Object.keys(orderStatuses)]) {
				if (status !== '' && log.showsFinal) break;
				const reading = lists.get(status) ?? openList(status, search, log);
				lists.set(status, reading);
				const next = await reading();
				if (Array.isArray(next) || next.gap !== undefined || next.isContradicted) return next;
			}
			return {};
		},
	};
	return search;
}

/**
 * Opens one list, the plain one or that of one status. Each call answers with the orders of the next page, or with what
 * became of the list once every one was read that is not settled.
 */
function openList(status: string, search: Search, log: OrderLog): Search['next'] {
	const shape = log.shapes.get(status) ?? unknownShape();
	log.shapes.set(status, shape);
	const ids = new Set<string>();
	/** The first row and the count of its first page, or of the first page that was read. */
	let top: { id?: string; count: number } | undefined;
	let end = 0;
	let repeats = false;
	let hasMore = false;
	let isUnfiltered = false;
	let isEnded = false;
	const idOf = (order: Item): string => identityOf(order, listOperation);

	async function read(offset: number): Promise<Item[]> {
		const query = status === '' ? {} : { status };
		const data = await search.page({ ...query, offset, limit: PAGE_LENGTHS[0] });
		const orders = itemsIn(data, listOperation.list!.at);
		const summary = summaryIn(data);
		search.count = Math.max(search.count, summary.count);
		const head = { id: orders[0] && idOf(orders[0]), count: summary.count };
		// Where a look is continued, as many orders may have come in front as were read before.
		repeats ||= offset > 0 && head.id !== undefined && head.id === top?.id && head.count === top.count;
		if (offset === 0 || !top) top = head;
		if (orders.length > 0 && offset >= end) [end, hasMore] = [offset, summary.hasMore];
		return orders;
	}
	const walk = createListWalk({
		shape,
		read,
		identityOf: idOf,
		isToTheEnd: search.settledBefore === -Infinity,
		isSettled: (order) => isOlder(order, search.settledBefore) && (!search.isWhole || knows(log, order)),
		settledInARow: SETTLED_IN_A_ROW,
		timeOf: ({ created_at }: Item) => instantOf(created_at),
	});
	const see = (order: Item): void => {
		ids.add(idOf(order));
		const shown = statusOf(order) ?? status;
		if (status === '') log.showsFinal ||= finality(shown) === 'final';
		// Orders of another status in this answer show that the service ignores the filter.
		else isUnfiltered ||= shown !== status;
	};

	return async () => {
		if (isEnded) return {};
		if (search.isWhole && log.rows >= LOG_ROWS_MAX)
			return { gap: `the order list is longer than ${LOG_ROWS_MAX} rows`, isOpen: true };
		if (ids.size >= UNSORTED_ROWS_MAX && shape.order === 'unknown')
			return { gap: `the order list is longer than ${UNSORTED_ROWS_MAX} rows and not sorted by time` };
		if (isUnfiltered) return { gap: HIDING };
		try {
			const orders = await walk.next();
			orders?.forEach(see);
			if (orders) return orders;
		} catch (error) {
			// A refused filter proves nothing about the orders it would have shown.
			if (status === '' || !isRefused(error)) throw error;
			return { gap: HIDING };
		}
		const isWhole = walk.isWhole();
		const gap = gapIn({
			isWhole,
			isKnown: search.isWhole && status === '',
			count: top?.count ?? 0,
			// What was not read whole is compared with all that is known, unless it shows one status alone.
			rows: isWhole ? ids.size : log.rows,
			repeats,
			hasMore,
		});
		isEnded = gap === undefined;
		return gap === 'contradicted' ? { isContradicted: true } : { gap };
	};
}
