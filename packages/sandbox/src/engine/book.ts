import type { Order, Side } from './order';
import type { DeepReadonly } from './read-only';

/**
 * The open orders of one pair. Each side keeps its prices sorted with the best one last, because removing the last
 * element of an array is cheapest.
 */
export interface Book {
	buy: BookSide;
	sell: BookSide;
	/** Number of published changes. */
	sequence: number;
}

export interface BookSide {
	/**
	 * Prices as JavaScript numbers, since searching them is faster than searching big integers; all are far below 2^53.
	 */
	prices: number[];
	/** Price levels, at the index of their price in `prices`. */
	levels: Level[];
	/** Prices whose level changed since the last publication; may contain duplicates. */
	changed: number[];
}

export interface Level {
	price: bigint;
	quantity: bigint;
	/** The orders of the level by queue position, earliest first. */
	queue: Order[];
}

export type BookView = DeepReadonly<Book>;
export type LevelView = DeepReadonly<Level>;

const emptySide = (): BookSide => ({ prices: [], levels: [], changed: [] });
export const emptyBook = (sequence = 0): Book => ({ buy: emptySide(), sell: emptySide(), sequence });

/** The book of these resting orders. */
export const bookOf = (orders: readonly Order[], sequence: number): Book => ({
	buy: sideOf(orders, 'buy'),
	sell: sideOf(orders, 'sell'),
	sequence,
});

function sideOf(orders: readonly Order[], side: Side): BookSide {
	const queues = new Map<number, Order[]>();
	for (const order of orders) {
		if (order.side !== side) continue;
		const queue = queues.get(Number(order.price));
		if (queue) queue.push(order);
		else queues.set(Number(order.price), [order]);
	}
	const prices = [...queues.keys()].sort((a, b) => (side === 'buy' ? a - b : b - a));
	const levels = prices.map((price) => {
		const queue = queues.get(price)!.sort((a, b) => a.place - b.place);
		return { price: BigInt(price), quantity: queue.reduce((sum, order) => sum + openQuantity(order), 0n), queue };
	});
	return { prices, levels, changed: [] };
}

export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
export const openQuantity = (order: Pick<Order, 'quantity' | 'filled'>): bigint => order.quantity - order.filled;

/** Whether an order with this limit trades at a price of the opposite side. */
export const crosses = (side: Side, limit: bigint | null, price: bigint): boolean =>
	limit === null || (side === 'buy' ? price <= limit : price >= limit);

export function bestLevel(book: Book, side: Side): Level | undefined;
export function bestLevel(book: BookView, side: Side): LevelView | undefined;
export function bestLevel(book: BookView, side: Side): LevelView | undefined {
	const { levels } = book[side];
	return levels[levels.length - 1];
}

export const bestPrice = (book: BookView, side: Side): bigint | undefined => bestLevel(book, side)?.price;

export function rest(book: Book, order: Order): void {
	const side = book[order.side];
	const price = Number(order.price);
	const index = positionOf(side.prices, price, order.side);
	if (side.prices[index] === price) {
		const level = side.levels[index] as Level;
		level.queue.push(order);
		level.quantity += openQuantity(order);
	} else {
		const level = { price: order.price as bigint, quantity: openQuantity(order), queue: [order] };
		side.prices.splice(index, 0, price);
		side.levels.splice(index, 0, level);
	}
	markChanged(side, price);
}

export function remove(book: Book, order: Order): void {
	const side = book[order.side];
	const price = Number(order.price);
	const index = positionOf(side.prices, price, order.side);
	const level = side.levels[index];
	const place = level ? placeOf(level, order) : -1;
	if (!level || place < 0) return;
	level.queue.splice(place, 1);
	level.quantity -= openQuantity(order);
	markChanged(side, price);
	if (level.queue.length > 0) return;
	side.prices.splice(index, 1);
	side.levels.splice(index, 1);
}

/** Replaces an order by a smaller one at the same queue position. */
export function swap(book: Book, former: Order, order: Order): void {
	const side = book[order.side];
	const price = Number(former.price);
	const level = side.levels[positionOf(side.prices, price, order.side)] as Level;
	order.place = former.place;
	level.queue[placeOf(level, former)] = order;
	level.quantity += openQuantity(order) - openQuantity(former);
	markChanged(side, price);
}

/**
 * Subtracts a traded quantity from the best level, and removes its first order and the level itself if they are empty.
 */
export function reduceBest(book: Book, side: Side, quantity: bigint): void {
	const { prices, levels } = book[side];
	const level = levels[levels.length - 1] as Level;
	level.quantity -= quantity;
	markChanged(book[side], prices[prices.length - 1] as number);
	if (openQuantity(level.queue[0] as Order) > 0n) return;
	level.queue.shift();
	if (level.queue.length > 0) return;
	prices.pop();
	levels.pop();
}

/** The index of an order in the queue of its level, or -1. */
function placeOf({ queue }: Level, order: Order): number {
	let low = 0;
	let high = queue.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((queue[middle] as Order).place < order.place) low = middle + 1;
		else high = middle;
	}
	return queue[low] === order ? low : -1;
}

/**
 * An array, because clearing a set costs as much as matching an order. Consecutive trades mostly have the same price,
 * which is added once.
 */
function markChanged({ changed }: BookSide, price: number): void {
	if (changed[changed.length - 1] !== price) changed.push(price);
}

/** Returns and clears the changed prices, without duplicates and in the order of their first change. */
export function takeChanges(side: BookSide): number[] {
	if (side.changed.length < 2) return side.changed.splice(0);
	const prices = [...new Set(side.changed)];
	side.changed.length = 0;
	return prices;
}

/** The index of a price, or where to insert it: buy prices ascend, sell prices descend. */
function positionOf(prices: number[], price: number, side: Side): number {
	let low = 0;
	let high = prices.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const other = prices[middle] as number;
		if (side === 'buy' ? other < price : other > price) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The open quantity at a price; zero if the level no longer exists. */
export function quantityAt({ prices, levels }: BookSide, price: number, side: Side): bigint {
	const index = positionOf(prices, price, side);
	return prices[index] === price ? (levels[index] as Level).quantity : 0n;
}

/** The best levels of a side, best first. */
export function* levelsOf(book: BookView, side: Side): Generator<LevelView> {
	const { levels } = book[side];
	for (let index = levels.length - 1; index >= 0; index--) yield levels[index] as LevelView;
}
