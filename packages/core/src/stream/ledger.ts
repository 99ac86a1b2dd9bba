import { isItem } from '../client/reading';
import { isDecimal } from '../decimal';
import { digest, isFinal, type Happening, type OrderFacts } from './happening';
import { ORDERS_MAX, REMEMBERED_MAX, STORED_ENDED_MAX, STORED_KEYS_MAX, STORED_OPEN_MAX } from './limits';
import type { StreamPolicy } from './policy';
import { after } from './progress';
import { createRecent } from './recent';
import { positionOf, sameEpoch, type Position } from './resume';

/** What becomes stored once the host has taken everything before it. */
export interface Decision {
	position?: Position;
	/** Everything up to here was read: milliseconds of creation, or the sequence of public trades. */
	watermark?: number;
	keys?: string[];
	orders?: Map<string, OrderFacts>;
}

type StoredOrder = [id: string, status: string, filled: string | null, replacedBy: string | null];

/** One topic of one consumer as it is kept between runs. Plain JSON. */
export interface StoredTopic {
	epoch?: string | number;
	seq?: number;
	watermark?: number;
	/** Digests of the latest event keys, so that a replayed tail is recognised. */
	keys?: string[];
	/** Orders that are open, and those that ended lately, so that nothing about them is told twice or backwards. */
	orders?: StoredOrder[];
	/** More orders were open than are stored: the whole list has to be read. */
	deep?: boolean;
}

/** What one consumer was offered of one topic, and what of it the host has taken. */
export interface Ledger {
	/** Whether it is new to the consumer. Asking makes it known. */
	admit(happening: Happening): boolean;
	/** All that is known of an order. */
	order(id: string): OrderFacts | undefined;
	openOrders(): string[];
	commit(decision: Decision): void;
	stored(): StoredTopic;
	position(): Position | undefined;
	/** Where it stands on the stream, taken by the host or not: what came after has to be replayed if the stream breaks. */
	offered(): Position | undefined;
	move(position: Position): void;
	/** Up to where the past was read, taken by the host or not. */
	watermark(): number | undefined;
	/** A reading is done, and everything in it was offered. */
	read(happenings: readonly Happening[], watermark: number | undefined): void;
	/** Whether a reading had it, for what has no time to compare. */
	wasRead(key: string): boolean;
	/** The list has to be read to its end, because not all that was open is known. */
	isDeep(): boolean;
}

export function createLedger(
	given: unknown,
	{ isNews, storedKeysMax }: Pick<StreamPolicy, 'isNews' | 'storedKeysMax'>,
): Ledger {
	const restored = readStored(given);
	const seen = createRecent<string>(REMEMBERED_MAX);
	const timeless = createRecent<string>(REMEMBERED_MAX);
	const orders = createRecent<string, OrderFacts>(ORDERS_MAX);
	/** Digests of what was taken, oldest first. */
	let keys = restored.keys ?? [];
	let fresh: string[] = [];
	const taken = new Map(restored.orders?.map((order) => [order[0], order]));
	let position = positionOf(restored);
	let offered = position;
	let watermark = restored.watermark;
	let reached = watermark;
	let isCut = restored.deep ?? false;
	let isDeep = isCut;
	for (const order of taken.values()) orders.set(order[0], factsOf(order));
	const isRestored = new Set(restored.keys);
	function knows({ key, order }: Happening): boolean {
		const known = order && orders.get(order.id);
		if (order && known) return !isNews(order, known);
		return seen.has(key) || (isRestored.size > 0 && isRestored.has(digest(key)));
	}

	/** Digests are made when they are asked for, and only of what is still to be stored then. */
	function storedKeys(): string[] {
		keys = storedKeysMax > 0 ? [...keys, ...fresh.slice(-storedKeysMax).map(digest)].slice(-storedKeysMax) : [];
		fresh = [];
		return keys;
	}

	return {
		admit: (happening) => {
			const isNew = !knows(happening);
			if (isNew) seen.set(happening.key, true);
			const { order } = happening;
			if (order && isNew) orders.set(order.id, after(order, orders.get(order.id)));
			return isNew;
		},
		order: (id) => orders.get(id),
		openOrders: () => orders.values().flatMap(({ id, status }) => (isFinal(status) ? [] : [id])),
		commit: (decision) => {
			if (decision.position && !isBehind(decision.position, position)) position = decision.position;
			watermark = decision.watermark ?? watermark;
			fresh = [...fresh, ...(decision.keys ?? [])].slice(-STORED_KEYS_MAX);
			for (const order of decision.orders?.values() ?? []) {
				taken.delete(order.id);
				taken.set(order.id, storedOf(order));
			}
			if (taken.size > STORED_OPEN_MAX + STORED_ENDED_MAX) isCut = forgetOldest(taken) || isCut;
		},
		stored: () => ({
			...position,
			...(watermark === undefined ? {} : { watermark }),
			keys: storedKeys(),
			...(taken.size === 0 ? {} : { orders: [...taken.values()] }),
			...(isCut ? { deep: true } : {}),
		}),
		position: () => position,
		offered: () => offered,
		move: (next) => {
			if (!isBehind(next, offered)) offered = next;
		},
		watermark: () => reached,
		read: (happenings, mark) => {
			reached = mark ?? reached;
			isDeep = false;
			for (const { key, time } of happenings) if (time === undefined) timeless.set(key, true);
		},
		wasRead: (key) => timeless.has(key),
		isDeep: () => isDeep,
	};
}

/** A replay repeats what is settled, which moves nothing back. */
const isBehind = (next: Position, present: Position | undefined): boolean =>
	present !== undefined && sameEpoch(next.epoch, present.epoch) && next.seq < present.seq;

/** Later decisions of a topic over earlier ones, for entries that wait together. */
export function merged(earlier: Decision | undefined, later: Decision): Decision {
	if (!earlier) return later;
	const orders = later.orders?.size ? new Map([...(earlier.orders ?? []), ...later.orders]) : earlier.orders;
	return {
		position: later.position ?? earlier.position,
		watermark: later.watermark ?? earlier.watermark,
		keys: later.keys?.length ? [...(earlier.keys ?? []), ...later.keys].slice(-STORED_KEYS_MAX) : earlier.keys,
		orders,
	};
}

/** What was stored may have been edited, cut or written by another version: only what has the right form is used. */
function readStored(given: unknown): StoredTopic {
	if (!isItem(given)) return {};
	const keys = Array.isArray(given.keys)
		? given.keys.filter((key) => typeof key === 'string').slice(-STORED_KEYS_MAX)
		: [];
	const isOrder = (order: unknown): order is StoredOrder =>
		Array.isArray(order) && typeof order[0] === 'string' && typeof order[1] === 'string';
	return {
		...positionOf(given),
		watermark: typeof given.watermark === 'number' && Number.isFinite(given.watermark) ? given.watermark : undefined,
		keys,
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
function forgetOldest(taken: Map<string, StoredOrder>): boolean {
	const all = [...taken.values()];
	const open = all.filter(([, status]) => !isFinal(status));
	const ended = all.filter(([, status]) => isFinal(status));
	for (const [id] of [...open.slice(0, -STORED_OPEN_MAX), ...ended.slice(0, -STORED_ENDED_MAX)]) taken.delete(id);
	return open.length > STORED_OPEN_MAX;
}
