import { isItem } from '../../wire/payload';
import { isFinal, placeOf, type EventFacts, type TopicEvent } from '../topics/event';
import { REMEMBERED_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { createBoundedSet } from './bounded';
import { createCoverage, NOTHING_KNOWN, readCoverage, type StoredCoverage } from './coverage';
import { positionOf, sameEpoch, type Position } from '../position';
import { createDeduplicationWindow, latest, numberOf, readStoredKeys, type StoredKeys } from './deduplication';
import { createOrderMemory, type StoredOrder } from './order-memory';

/** What becomes stored once the host has acknowledged everything before it. */
export interface CursorUpdate {
	position?: Position;
	/** Everything created up to here was read. */
	watermark?: number;
	/** Sequences that are known without each being told. A restart forgets those of the run before. */
	covered?: readonly { after: number; upTo: number }[];
	isRestart?: boolean;
	/** What was told, or need not be, by its key; of an order only the latest. */
	acknowledged?: ReadonlyMap<string, EventFacts>;
}

/** One topic of one consumer as it is kept between runs. Plain JSON. */
interface StoredTopic extends StoredKeys {
	epoch?: string | number;
	seq?: number;
	watermark?: number;
	/** Sequences that were delivered. */
	coverage?: StoredCoverage;
	/** Orders that are open, and those that ended lately. */
	orders?: StoredOrder[];
	/** More orders were open than are stored: the whole list has to be read. */
	deep?: boolean;
}

/** What one consumer was offered of one topic, and what of it the host has acknowledged. */
export interface Cursor {
	/** The facts of an event that is new to the consumer. Asking makes it known. */
	admit(event: TopicEvent, origin: { isRead: boolean; now: number }): EventFacts | undefined;
	/** Whether a row of a list tells nothing new and lies before what earlier readings settled. */
	isSettled(event: TopicEvent): boolean;
	openOrders(): string[];
	/** The host took this. */
	acknowledge(facts: EventFacts): void;
	/** And everything before that. */
	commit(update: CursorUpdate): void;
	stored(): StoredTopic;
	/** Where it stands on the stream, acknowledged or not: what came after has to be replayed if the stream breaks. */
	offered(): Position | undefined;
	advance(position: Position): void;
	/** Everything created up to here was read, acknowledged or not. */
	watermark(): number | undefined;
	/** Every number up to here is known; nothing if the topic has shown no number yet. */
	floor(): number | undefined;
	isCovered(sequence: number): boolean;
	/** The last number of the known stretch that holds this one. */
	endOfKnown(sequence: number): number;
	cover(after: number, upTo: number): void;
	/** The service counts anew: what it numbers now is something else. */
	restart(): void;
	/** The stream tells another epoch, so known numbers may come again for something else. */
	mayRestart(): void;
	/** It goes on counting as before. */
	confirmRun(): void;
	/** Everything up to here is old, known or not. */
	forget(place: number | undefined): void;
	/** A reading is done, and everything in it was offered. */
	reconciled(watermark: number | undefined): void;
}

/** `isNumbered` says that its events follow one sequence, so that numbers tell what is known. */
export function createCursor(
	given: unknown,
	policy: Pick<StreamPolicy, 'isNews' | 'storedKeysMax'>,
	isNumbered = false,
): Cursor {
	const restored = readStored(given);
	const seen = createBoundedSet(REMEMBERED_MAX);
	const orders = createOrderMemory(restored.orders ?? [], restored.deep ?? false, policy);
	const keys = createDeduplicationWindow(restored, policy.storedKeysMax);
	const offered = createCoverage(structuredClone(restored.coverage));
	const acknowledged = createCoverage(restored.coverage);
	let hasSequences = restored.coverage !== undefined;
	let isDoubtful = false;
	let position = positionOf(restored);
	let offeredPosition = position;
	let watermark = restored.watermark;
	let reached = watermark;
	let isDeep = orders.isCut();

	/** Delivered once and forgotten since: what a reading shows from before the watermark was read before. */
	function isForgotten(event: TopicEvent): boolean {
		const { order } = event;
		// An order that is open may be at its beginning, and one that ended may have been open when it was last heard of.
		if (order && (isDeep || !isFinal(order.status))) return false;
		const [place, forgotten] = [placeOf(event), keys.forgotten()];
		if (place === undefined || reached === undefined || forgotten === undefined) return false;
		return place <= Math.min(reached, forgotten);
	}

	/** Copies of one event may show other identifiers, so each of its keys is looked up and remembered. */
	function isSeen({ key, aliases = [] }: TopicEvent): boolean {
		const isKnown = [key, ...aliases].some((one) => seen.has(one) || keys.had(one)) || seen.has(`alias:${key}`);
		seen.add(key);
		for (const alias of aliases) seen.add(`alias:${alias}`);
		return isKnown;
	}

	function admitSequence(event: TopicEvent & { sequence: number }): EventFacts | undefined {
		const isRepeated = isSeen(event);
		hasSequences = true;
		// Without doubt a number is one event. In doubt only its key is, until a reading says whether the service restarted.
		if (isDoubtful ? isRepeated : offered.has(event.sequence)) return undefined;
		offered.add(event.sequence);
		return event;
	}

	function admitOrder(event: TopicEvent, origin: { isRead: boolean; now: number }): EventFacts | undefined {
		const { order, time } = event;
		const isFirst = !orders.isKnown(order!.id);
		if (isFirst && (keys.had(event.key) || seen.has(event.key) || (origin.isRead && isForgotten(event))))
			return undefined;
		const facts = orders.admit(order!, origin);
		if (!facts) return undefined;
		const key = facts.corrections && seen.has(event.key) ? `${event.key}~${facts.corrections}` : event.key;
		seen.add(key);
		return { key, order: facts, time };
	}

	function acknowledge({ key, order, ...facts }: EventFacts): void {
		if (isNumbered && facts.sequence !== undefined) acknowledged.add(facts.sequence);
		// An open order is stored itself.
		if (!order || isFinal(order.status)) keys.add(key, placeOf(facts));
		if (order) orders.acknowledge(order);
	}

	return {
		admit: (event, origin) => {
			if (event.order) return admitOrder(event, origin);
			if (isNumbered && event.sequence !== undefined) return admitSequence(event as TopicEvent & { sequence: number });
			return isSeen(event) || (origin.isRead && isForgotten(event)) ? undefined : event;
		},
		isSettled: ({ time }) => !isDeep && time !== undefined && time <= (reached ?? 0),
		openOrders: orders.openOrders,
		acknowledge,
		commit: (update) => {
			if (update.isRestart) acknowledged.reset(NOTHING_KNOWN);
			if (update.position && !isBehind(update.position, position)) position = update.position;
			watermark = latest(watermark, update.watermark);
			for (const { after, upTo } of update.covered ?? []) acknowledged.cover(after, upTo);
			update.acknowledged?.forEach(acknowledge);
		},
		stored: () => ({
			...position,
			...(watermark === undefined ? {} : { watermark }),
			...keys.stored(hasSequences ? Number.POSITIVE_INFINITY : watermark),
			...(hasSequences ? { coverage: acknowledged.stored() } : {}),
			...(orders.stored().length === 0 ? {} : { orders: orders.stored() }),
			...(orders.isCut() ? { deep: true } : {}),
		}),
		offered: () => offeredPosition,
		advance: (next) => {
			if (!isBehind(next, offeredPosition)) offeredPosition = next;
		},
		watermark: () => reached,
		floor: () => (hasSequences ? offered.floor() : undefined),
		isCovered: offered.has,
		endOfKnown: offered.endOf,
		cover: (after, upTo) => {
			hasSequences = true;
			offered.cover(after, upTo);
		},
		restart: () => {
			isDoubtful = false;
			offered.reset(NOTHING_KNOWN);
			seen.clear();
		},
		mayRestart: () => void (isDoubtful = hasSequences),
		confirmRun: () => void (isDoubtful = false),
		forget: keys.forget,
		reconciled: (mark) => {
			reached = latest(reached, mark);
			isDeep = false;
		},
	};
}

/** A replay repeats what is settled, which moves nothing back. */
const isBehind = (next: Position, present: Position | undefined): boolean =>
	present !== undefined && sameEpoch(next.epoch, present.epoch) && next.seq < present.seq;

/** Later updates of a cursor over earlier ones, for those that wait together. */
export function merged(earlier: CursorUpdate | undefined, later: CursorUpdate): CursorUpdate {
	if (!earlier || later.isRestart) return later;
	return {
		position: later.position ?? earlier.position,
		watermark: later.watermark ?? earlier.watermark,
		covered: joined(earlier.covered, later.covered),
		isRestart: earlier.isRestart,
		acknowledged:
			later.acknowledged && earlier.acknowledged
				? new Map([...earlier.acknowledged, ...later.acknowledged])
				: (later.acknowledged ?? earlier.acknowledged),
	};
}

/** Stretches that meet become one, so that what waits stays short. */
function joined(earlier: CursorUpdate['covered'] = [], later: CursorUpdate['covered'] = []): CursorUpdate['covered'] {
	const [last, first] = [earlier.at(-1), later[0]];
	if (!last || !first || first.after > last.upTo || first.upTo < last.after) return [...earlier, ...later];
	const both = { after: Math.min(last.after, first.after), upTo: Math.max(last.upTo, first.upTo) };
	return [...earlier.slice(0, -1), both, ...later.slice(1)];
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
		coverage: readCoverage(given.coverage),
		orders: Array.isArray(given.orders) ? given.orders.filter(isOrder) : [],
		deep: given.deep === true,
	};
}
