import type { DeepReadonly, Order, Side } from './state';

/** The open orders of one pair. Each side keeps its prices sorted with the best one last, where taking it is cheapest. */
export interface Book {
	buy: BookSide;
	sell: BookSide;
	/** Counts the published changes. */
	sequence: number;
}

export interface BookSide {
	/** Prices as numbers, far below where those stop being exact: they are found and compared faster than big integers. */
	prices: number[];
	levels: Map<number, Level>;
	/** Prices whose level changed since the last publication. */
	changed: Set<number>;
}

export interface Level {
	price: bigint;
	quantity: bigint;
	/** By place in the queue; a Map keeps the order in which the places were taken. */
	queue: Map<number, Order>;
}

export type BookView = DeepReadonly<Book>;
export type LevelView = DeepReadonly<Level>;

const emptySide = (): BookSide => ({ prices: [], levels: new Map(), changed: new Set() });
export const emptyBook = (): Book => ({ buy: emptySide(), sell: emptySide(), sequence: 0 });

export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
export const openQuantity = (order: Pick<Order, 'quantity' | 'filled'>): bigint => order.quantity - order.filled;

/** Whether a price of one side meets a price of the other. */
export const crosses = (side: Side, limit: bigint | null, price: bigint): boolean =>
	limit === null || (side === 'buy' ? price <= limit : price >= limit);

export function bestLevel(book: Book, side: Side): Level | undefined;
export function bestLevel(book: BookView, side: Side): LevelView | undefined;
export function bestLevel(book: BookView, side: Side): LevelView | undefined {
	const { prices, levels } = book[side];
	const best = prices[prices.length - 1];
	return best === undefined ? undefined : levels.get(best);
}

export const bestPrice = (book: BookView, side: Side): bigint | undefined => bestLevel(book, side)?.price;

export function rest(book: Book, order: Order): void {
	const side = book[order.side];
	const price = Number(order.price);
	let level = side.levels.get(price);
	if (!level) {
		level = { price: order.price as bigint, quantity: 0n, queue: new Map() };
		side.levels.set(price, level);
		side.prices.splice(positionOf(side.prices, price, order.side), 0, price);
	}
	level.queue.set(order.place, order);
	level.quantity += openQuantity(order);
	side.changed.add(price);
}

export function remove(book: Book, order: Order): void {
	const side = book[order.side];
	const level = side.levels.get(Number(order.price));
	if (!level || level.queue.get(order.place) !== order) return;
	level.queue.delete(order.place);
	reduce(book, order.side, level, openQuantity(order));
}

/** Puts a smaller order at the very place of the one it replaces. */
export function swap(book: Book, former: Order, order: Order): void {
	const level = book[order.side].levels.get(Number(order.price)) as Level;
	order.place = former.place;
	level.queue.set(order.place, order);
	level.quantity += openQuantity(order) - openQuantity(former);
	book[order.side].changed.add(Number(level.price));
}

/** Takes quantity off a level, and the level off the book when nothing is left of it. */
export function reduce(book: Book, side: Side, level: Level, quantity: bigint): void {
	level.quantity -= quantity;
	const half = book[side];
	const price = Number(level.price);
	half.changed.add(price);
	if (level.queue.size > 0) return;
	half.levels.delete(price);
	if (half.prices[half.prices.length - 1] === price) half.prices.pop();
	else half.prices.splice(positionOf(half.prices, price, side), 1);
}

/** Where a price stands or would stand: buys rise towards the end, sells fall. */
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

/** The best levels of a side, best first. */
export function* levelsOf(book: BookView, side: Side): Generator<LevelView> {
	const { prices, levels } = book[side];
	for (let index = prices.length - 1; index >= 0; index--) yield levels.get(prices[index] as number) as LevelView;
}
