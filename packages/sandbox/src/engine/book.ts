import type { Order, Side } from './order';
import type { DeepReadonly } from './read-only';

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
	/** Each at the index of its price. */
	levels: Level[];
	/** Prices whose level changed since the last publication; one may be named more than once. */
	changed: number[];
}

export interface Level {
	price: bigint;
	quantity: bigint;
	/** By place, the earliest first. */
	queue: Order[];
}

export type BookView = DeepReadonly<Book>;
export type LevelView = DeepReadonly<Level>;

const emptySide = (): BookSide => ({ prices: [], levels: [], changed: [] });
export const emptyBook = (): Book => ({ buy: emptySide(), sell: emptySide(), sequence: 0 });

export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
export const openQuantity = (order: Pick<Order, 'quantity' | 'filled'>): bigint => order.quantity - order.filled;

/** Whether a price of one side meets a price of the other. */
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
	noteChange(side, price);
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
	noteChange(side, price);
	if (level.queue.length > 0) return;
	side.prices.splice(index, 1);
	side.levels.splice(index, 1);
}

/** Puts a smaller order at the very place of the one it replaces. */
export function swap(book: Book, former: Order, order: Order): void {
	const side = book[order.side];
	const price = Number(former.price);
	const level = side.levels[positionOf(side.prices, price, order.side)] as Level;
	order.place = former.place;
	level.queue[placeOf(level, former)] = order;
	level.quantity += openQuantity(order) - openQuantity(former);
	noteChange(side, price);
}

/** Takes traded quantity off the best level, with its first order and the level itself where nothing is left of them. */
export function reduceBest(book: Book, side: Side, quantity: bigint): void {
	const { prices, levels } = book[side];
	const level = levels[levels.length - 1] as Level;
	level.quantity -= quantity;
	noteChange(book[side], prices[prices.length - 1] as number);
	if (openQuantity(level.queue[0] as Order) > 0n) return;
	level.queue.shift();
	if (level.queue.length > 0) return;
	prices.pop();
	levels.pop();
}

/** Where an order stands in the queue of its level, or -1. */
function placeOf({ queue }: Level, order: Order): number {
	let [low, high] = [0, queue.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((queue[middle] as Order).place < order.place) low = middle + 1;
		else high = middle;
	}
	return queue[low] === order ? low : -1;
}

/** A list, because clearing a set costs as much as matching an order. Those who trade one after the other share a price. */
function noteChange({ changed }: BookSide, price: number): void {
	if (changed[changed.length - 1] !== price) changed.push(price);
}

/** Takes the prices whose levels changed, each once and in the order in which they first did. */
export function takeChanges(side: BookSide): number[] {
	if (side.changed.length < 2) return side.changed.splice(0);
	const prices = [...new Set(side.changed)];
	side.changed.length = 0;
	return prices;
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

/** What stands at a price that may be gone. */
export function quantityAt({ prices, levels }: BookSide, price: number, side: Side): bigint {
	const index = positionOf(prices, price, side);
	return prices[index] === price ? (levels[index] as Level).quantity : 0n;
}

/** The best levels of a side, best first. */
export function* levelsOf(book: BookView, side: Side): Generator<LevelView> {
	const { levels } = book[side];
	for (let index = levels.length - 1; index >= 0; index--) yield levels[index] as LevelView;
}
