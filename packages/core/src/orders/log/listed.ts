import { finality, operationOf } from '../../catalogue';
import type { ListShape } from '../../wire/list-shape';
import { createListWalk } from '../../wire/list-walk';
import { PAGE_LENGTHS } from '../../wire/page-length';
import { filledText, identityOf, instantOf, isItem, itemsIn, textOf, type Item } from '../../wire/payload';
import { recordNames } from '../../wire/records';
import type { ReadOrders } from './page';

/** So many settled orders in a row end a list whose order is known. */
const SETTLED_IN_A_ROW = 50;

const list = operationOf('order.list');

/** What an answer says of the list beside its rows, by whatever name: how many orders there are, and whether more follow. */
function toldBy(data: unknown): { count: number; hasMore: boolean } {
	const parts = isItem(data) ? [data, ...Object.values(data).filter(isItem)] : [];
	const told = (names: readonly string[]): unknown[] => parts.flatMap((part) => names.map((name) => part[name]));
	const { total, more } = recordNames.list;
	return {
		count: told(total)
			.map((value) => Number(filledText(value)))
			.filter(Number.isSafeInteger)
			.reduce((most, count) => Math.max(most, count), 0),
		hasMore: told(more).some(Boolean),
	};
}

interface Wanted {
	filter: Readonly<{ status?: string; pair_id?: string }>;
	shape: ListShape;
	page: ReadOrders;
	isSettled(order: Item): boolean;
	/** Reads the whole list, whatever is settled. */
	isToTheEnd: boolean;
}

/** One list, the plain one or that under a filter, as far as it was read. */
export interface Listed {
	/** The orders of the next page; undefined once every one was read that is not settled. */
	next(): Promise<Item[] | undefined>;
	/** Begins at the front again, up to a page that reaches an order that was read before. */
	again(): void;
	/** Whether its order by time is known. */
	isSorted(): boolean;
	/** Whether the whole list was read. */
	isWhole(): boolean;
	/** How many orders it showed. */
	rows(): number;
	/** How many there are by its count: on the latest reading of its first page, and on the latest page. */
	count(): number;
	/** Whether a later page began as the first one, so that the service may ignore the offset. */
	repeats: boolean;
	/** Whether its last page says that more follow. */
	hasMore: boolean;
	/** Whether it showed an order that is not settled. */
	showsDue: boolean;
	/** Whether its last page, by its own count, shows one: then it is in another order than it began in. */
	endsInDue(): Promise<boolean>;
	/** Whether it showed an order of final status. */
	showsFinal: boolean;
	/** Whether it showed an order of another status than the one asked for. */
	isUnfiltered: boolean;
	/** Whether it was read to its end, and nothing is missing. */
	isEnded: boolean;
}

export function openList({ filter, shape, page, isSettled, isToTheEnd }: Wanted): Listed {
	const ids = new Set<string>();
	let [atTop, last]: { id?: string; count: number }[] = [{ count: 0 }, { count: 0 }];
	let end = 0;
	/** Read since the list was begun at its front again. */
	let front: Set<string> | undefined;
	let joins = false;
	const idOf = (order: Item): string => identityOf(order, list);
	const read = async (offset: number): Promise<Item[]> => {
		const data = await page({ ...filter, offset, limit: PAGE_LENGTHS[0] });
		const orders = itemsIn(data, list.list!.at);
		const { count, hasMore } = toldBy(data);
		const head = { id: orders[0] && idOf(orders[0]), count };
		// Where a look is continued, as many orders may have come in front as were read before.
		listed.repeats ||= offset > 0 && head.id !== undefined && head.id === atTop!.id && head.count === atTop!.count;
		if (offset === 0) atTop = head;
		if (orders.length > 0) last = head;
		if (orders.length > 0 && offset >= end) [end, listed.hasMore] = [offset, hasMore];
		return orders;
	};
	const open = (isWhole: boolean) =>
		createListWalk({
			shape,
			read,
			isSettled,
			identityOf: idOf,
			isToTheEnd: isWhole,
			settledInARow: SETTLED_IN_A_ROW,
			timeOf: ({ created_at }: Item) => instantOf(created_at),
		});
	const first = open(isToTheEnd);
	let walk = first;
	const see = (order: Item): void => {
		const status = textOf(order, 'status');
		const id = idOf(order);
		joins ||= front !== undefined && ids.has(id) && !front.has(id);
		ids.add(id);
		listed.showsDue ||= !isSettled(order);
		front?.add(id);
		listed.showsFinal ||= status !== undefined && finality(status) === 'final';
		listed.isUnfiltered ||= filter.status !== undefined && status !== undefined && status !== filter.status;
	};
	const listed: Listed = {
		repeats: false,
		hasMore: false,
		showsDue: false,
		endsInDue: async () =>
			atTop!.count > ids.size && !(await read(atTop!.count - PAGE_LENGTHS[0])).every((order) => isSettled(order)),
		showsFinal: false,
		isUnfiltered: false,
		isEnded: false,
		next: async () => {
			if (joins) return undefined;
			const orders = await walk.next();
			orders?.forEach(see);
			return orders;
		},
		again: () => void ([walk, front, joins] = [open(true), new Set(), false]),
		isSorted: () => shape.order !== 'unknown',
		isWhole: first.isWhole,
		rows: () => ids.size,
		count: () => Math.max(atTop!.count, last!.count),
	};
	return listed;
}
