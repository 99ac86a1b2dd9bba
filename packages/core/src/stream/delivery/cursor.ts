import { isItem } from '../../wire/payload';
import { isDecimal } from '../../decimal';
import { isFinal, placeOf, type TopicEvent, type OrderFacts } from '../topics/event';
import { ORDERS_MAX, REMEMBERED_MAX, STORED_ENDED_MAX, STORED_OPEN_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { after } from '../topics/order-progress';
import { createBoundedMap, createBoundedSet } from './bounded';
import { positionOf, sameEpoch, type Position } from '../connection/position';
import { createDeduplicationWindow, latest, numberOf, readStoredKeys, type StoredKeys } from './deduplication';

/** What of an event is stored once it was acknowledged. */
export type EventFacts = Pick<TopicEvent, 'key' | 'order' | 'sequence' | 'time'>;

/** What becomes stored once the host has acknowledged everything before it. */
export interface CursorUpdate {
	position?: Position;
	/** Everything up to here was read: milliseconds of creation, or the sequence of public trades. */
	watermark?: number;
	/** What was told, or need not be, by its key; of an order only the latest. */
	acknowledged?: ReadonlyMap<string, EventFacts>;
}

type StoredOrder = [id: string, status: string, filled: string | null, replacedBy: string | null];

/** One topic of one consumer as it is kept between runs. Plain JSON. */
export interface StoredTopic extends StoredKeys {
	epoch?: string | number;
	seq?: number;
	watermark?: number;
	/** Orders that are open, and those that ended lately, so that nothing about them is told twice or backwards. */
	orders?: StoredOrder[];
	/** More orders were open than are stored: the whole list has to be read. */
	deep?: boolean;
}

/** What one consumer was offered of one topic, and what of it the host has acknowledged. */
export interface Cursor {
	/** What it tells that is new to the consumer, if anything. Asking makes it known. `isRead` says that a reading brought it. */
	admit(event: TopicEvent, isRead: boolean): EventFacts | undefined;
	openOrders(): string[];
	/** The host took this. */
	acknowledge(told: EventFacts): void;
	/** And everything before that. */
	commit(update: CursorUpdate): void;
	stored(): StoredTopic;
	/** Where it stands on the stream, acknowledged by the host or not: what came after has to be replayed if the stream breaks. */
	offered(): Position | undefined;
	advance(position: Position): void;
	/** Up to where the history was read, acknowledged by the host or not: what lists show before it is not read again. */
	watermark(): number | undefined;
	/** Everything up to here is old, known or not. */
	forget(place: number | undefined): void;
	/** A reading is done, and everything in it was offered. */
	reconciled(events: readonly TopicEvent[], watermark: number | undefined): void;
	/** Whether a reading had it, for what has no time to compare. */
	wasRead(key: string): boolean;
	/** The list has to be read to its end, because not all that was open is known. */
	isDeep(): boolean;
}

export function createCursor(
	given: unknown,
	{ isNews, storedKeysMax }: Pick<StreamPolicy, 'isNews' | 'storedKeysMax'>,
): Cursor {
	const restored = readStored(given);
	const seen = createBoundedSet(REMEMBERED_MAX);
	const timeless = createBoundedSet(REMEMBERED_MAX);
	const orders = createBoundedMap<string, OrderFacts>(ORDERS_MAX);
	const keys = createDeduplicationWindow(restored, storedKeysMax);
	const acknowledged = new Map(restored.orders?.map((order) => [order[0], order]));
	let position = positionOf(restored);
	let offered = position;
	let watermark = restored.watermark;
	let reached = watermark;
	let isCut = restored.deep ?? false;
	let isDeep = isCut;
	for (const order of acknowledged.values()) orders.set(order[0], factsOf(order));

	/** Delivered once and forgotten since: what a reading shows from before the watermark was read before. */
	function isForgotten(event: TopicEvent): boolean {
		const { order } = event;
		// An order that is open may be at its beginning, and one that ended may have been open when it was last heard of.
		if (order && (isDeep || !isFinal(order.status))) return false;
		const [place, forgotten] = [placeOf(event), keys.forgotten()];
		if (place === undefined || reached === undefined || forgotten === undefined) return false;
		return place <= Math.min(reached, forgotten);
	}

	function isKnown(event: TopicEvent, isRead: boolean): boolean {
		const { key, order } = event;
		const known = order && orders.get(order.id);
		const isRepeated = !seen.add(key);
		if (order && known) return !isNews(order, known);
		return isRepeated || keys.had(key) || (isRead && isForgotten(event));
	}

	function acknowledge({ key, order, ...facts }: EventFacts): void {
		// An open order is stored itself.
		if (!order || isFinal(order.status)) keys.add(key, placeOf(facts));
		if (!order) return;
		acknowledged.delete(order.id);
		acknowledged.set(order.id, storedOf(order));
		if (acknowledged.size > STORED_OPEN_MAX + STORED_ENDED_MAX) isCut = forgetOldest(acknowledged) || isCut;
	}

	return {
		admit: (event, isRead) => {
			if (isKnown(event, isRead)) return undefined;
			const { key, time } = event;
			if (!event.order) return event;
			const order = after(event.order, orders.get(event.order.id));
			orders.set(order.id, order);
			return { key, order, time };
		},
		openOrders: () => orders.values().flatMap(({ id, status }) => (isFinal(status) ? [] : [id])),
		acknowledge,
		commit: (update) => {
			if (update.position && !isBehind(update.position, position)) position = update.position;
			watermark = latest(watermark, update.watermark);
			update.acknowledged?.forEach(acknowledge);
		},
		stored: () => ({
			...position,
			...(watermark === undefined ? {} : { watermark }),
			...keys.stored(watermark),
			...(acknowledged.size === 0 ? {} : { orders: [...acknowledged.values()] }),
			...(isCut ? { deep: true } : {}),
		}),
		offered: () => offered,
		advance: (next) => {
			if (!isBehind(next, offered)) offered = next;
		},
		watermark: () => reached,
		forget: keys.forget,
		reconciled: (events, mark) => {
			reached = latest(reached, mark);
			isDeep = false;
			for (const { key, time } of events) if (time === undefined) timeless.add(key);
		},
		wasRead: (key) => timeless.has(key),
		isDeep: () => isDeep,
	};
}

/** A replay repeats what is settled, which moves nothing back. */
const isBehind = (next: Position, present: Position | undefined): boolean =>
	present !== undefined && sameEpoch(next.epoch, present.epoch) && next.seq < present.seq;

/** Later decisions of a topic over earlier ones, for those that wait together. */
export function merged(earlier: CursorUpdate | undefined, later: CursorUpdate): CursorUpdate {
	if (!earlier) return later;
	return {
		position: later.position ?? earlier.position,
		watermark: later.watermark ?? earlier.watermark,
		acknowledged:
			later.acknowledged && earlier.acknowledged
				? new Map([...earlier.acknowledged, ...later.acknowledged])
				: (later.acknowledged ?? earlier.acknowledged),
	};
}

/** What was stored may have been edited, cut or written by another version: only what has the right form is used. */
function readStored(given: unknown): StoredTopic {
	if (!isItem(given)) return {};
	const isOrder = (order: unknown): order is StoredOrder =>
		Array.isArray(order) && typeof order[0] === 'string' && typeof order[1] === 'string';
	return {
		...positionOf(given),
		...readStoredKeys(given),
		watermark: numberOf(given.watermark),
		orders: Array.isArray(given.orders) ? given.orders.filter(isOrder) : [],
		deep: given.deep === true,
	};
}
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

/** The oldest go first, of those that ended and of those that are open; answers whether any of these went. */
function forgetOldest(acknowledged: Map<string, StoredOrder>): boolean {
	const all = [...acknowledged.values()];
	const open = all.filter(([, status]) => !isFinal(status));
	const ended = all.filter(([, status]) => isFinal(status));
	for (const [id] of [...open.slice(0, -STORED_OPEN_MAX), ...ended.slice(0, -STORED_ENDED_MAX)])
		acknowledged.delete(id);
	return open.length > STORED_OPEN_MAX;
}
