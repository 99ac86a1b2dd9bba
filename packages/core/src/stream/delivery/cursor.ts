import { isItem } from '../../wire/payload';
import { orderKey } from '../topics/orders';
import { isFinal, placeOf, type EventFacts, type TopicEvent } from '../topics/event';
import { REMEMBERED_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { createBoundedSet } from './bounded';
import { positionOf, sameEpoch, type Epoch, type Position } from '../position';
import {
	createDeduplicationWindow,
	latest,
	numberOf,
	readStoredKeys,
	type DeduplicationWindow,
	type StoredKeys,
} from './deduplication';
import { createOrderMemory, factsOf, type StoredOrder } from './order-memory';
import type { CursorUpdate } from './cursor-update';
import { createNumberedEvents, type NumberedEvents } from './numbered-events';
import { readRun, type StoredRun } from './run-mark';
import { createSequenceMemory, readCoverage, type SequenceMemory, type StoredCoverage } from './sequence-memory';

/** One topic of one consumer as it is kept between runs. Plain JSON. */
interface StoredTopic extends StoredKeys, StoredRun {
	epoch?: string | number;
	seq?: number;
	watermark?: number;
	/** Sequences that were delivered. */
	coverage?: StoredCoverage;
	/** Orders that are open, and those that ended recently. */
	orders?: StoredOrder[];
	/** More orders were open than are stored: the whole list has to be read. */
	deep?: boolean;
}

/** What a cursor knows of the sequence numbers of its topic. */
type Numbers = Pick<SequenceMemory, 'floor' | 'isCovered' | 'endOfKnown' | 'cover'> &
	Pick<NumberedEvents, 'mark' | 'confirmRun' | 'restart'>;

type CursorPolicy = Pick<StreamPolicy, 'isNews' | 'storedKeysMax'>;

/** Which events of one topic a consumer was offered, and which of them the host has acknowledged. */
export interface Cursor extends Numbers {
	/** Returns the facts of an event if it is new to the consumer, and remembers it as known. `epoch`: of its message. */
	admit(event: TopicEvent, isRead: boolean, at: number, epoch?: Epoch): EventFacts | undefined;
	/** Whether a row of a list lies before the watermark, so that it holds nothing new. */
	isSettled(event: TopicEvent): boolean;
	openOrders(): string[];
	/** The host acknowledged an event. */
	acknowledge(facts: EventFacts): void;
	/** The host acknowledged everything before an update, which is applied now. */
	commit(update: CursorUpdate): void;
	/** The host acknowledged everything on the stream up to this position. */
	reach(position: Position): void;
	/** What to store. `isFull`: the storage of no key may be postponed. */
	stored(now: number, isFull: boolean): StoredTopic;
	/** Whether the storage of any key was postponed. */
	isStoredLater(): boolean;
	/**
	 * Whether the numbers may have restarted, given the position of the service, or none if it is unknown. `isReadAgain`:
	 * if they have, a backfill will read all events of the new run.
	 */
	mayRestart(position?: Position, isReadAgain?: boolean): boolean;
	/** The latest position offered, acknowledged or not: later messages have to be replayed after a disconnect. */
	offered(): Position | undefined;
	advance(position: Position): void;
	/** Everything created up to here was read, acknowledged or not. */
	watermark(): number | undefined;
	/** Events up to this place are old, even if their keys are unknown. */
	forget(place: number | undefined): void;
	/** All delivered events whose keys were dropped lie at or before this place. */
	forgotten(): number | undefined;
	/** A backfill is complete, and everything in it was offered. */
	reconciled(watermark: number | undefined): void;
}

/** `isNumbered`: the events follow one sequence, so that their numbers tell which of them are known. */
export function createCursor(given: unknown, policy: CursorPolicy, isNumbered = false): Cursor {
	const restored = readStored(given);
	const orders = createOrderMemory(restored.orders ?? [], restored.deep ?? false, policy);
	const keys = createDeduplicationWindow(restored, policy.storedKeysMax);
	const seen = createSeenKeys(keys, restored.orders ?? []);
	const sequences = createSequenceMemory(restored.coverage);
	const numbered = createNumberedEvents(sequences, seen, readRun(given));
	const settled = createSettledHistory(restored.watermark, orders.isCut(), keys);
	let position = positionOf(restored);
	let offeredPosition = position;
	let watermark = restored.watermark;
	const storedKeys = createStoredKeys(keys);

	function admitOrder(event: TopicEvent, isRead: boolean, at: number): EventFacts | undefined {
		const { order, time } = event;
		const known = orders.find(order!.id);
		// An unknown order may be a forgotten one, so the keys of its events are looked up.
		const wasSeen = !known && ((orders.hasForgotten() && seen.has(event.key)) || keys.had(event.key));
		if (wasSeen || (!known && isRead && settled.isForgotten(event))) return undefined;
		const facts = orders.admit(order!, known, { isRead, now: at });
		if (!facts) return undefined;
		const key = facts.corrections && seen.has(event.key) ? `${event.key}~${facts.corrections}` : event.key;
		seen.add(key, true);
		return { key, order: facts, time };
	}

	function acknowledge(facts: EventFacts): void {
		const { key, order, sequence } = facts;
		if (isNumbered && sequence !== undefined) sequences.acknowledge(sequence);
		// An open order is stored with its state and needs no key.
		if (!order || isFinal(order.status)) keys.add(key, placeOf(facts));
		if (order) orders.acknowledge(order);
	}

	function reach(next: Position): void {
		if (!isBehind(next, position)) position = next;
	}

	return {
		...sequences,
		...numbered,
		admit: (event, isRead, at, epoch) => {
			if (event.order) return admitOrder(event, isRead, at);
			if (isNumbered && event.sequence !== undefined) return numbered.admit(event, event.sequence, isRead, epoch);
			return seen.note(event) || (isRead && settled.isForgotten(event)) ? undefined : event;
		},
		isSettled: settled.isSettled,
		openOrders: orders.openOrders,
		acknowledge,
		reach,
		commit: (update) => {
			if (update.run) numbered.forgetAcknowledged(update.run);
			if (update.position) reach(update.position);
			watermark = latest(watermark, update.watermark);
			for (const { after, upTo } of update.covered ?? []) sequences.acknowledgeStretch(after, upTo);
			update.acknowledged?.forEach(acknowledge);
		},
		stored: (now, isFull) => {
			const run = numbered.stored();
			const kept: StoredTopic = storedKeys({ watermark, now, isFull }, sequences.isUsed() && !run.doubtful);
			if (position) [kept.epoch, kept.seq] = [position.epoch, position.seq];
			if (watermark !== undefined) kept.watermark = watermark;
			if (sequences.isUsed()) Object.assign(kept, sequences.stored(), run);
			if (orders.isUsed()) kept.orders = orders.stored();
			if (orders.isCut()) kept.deep = true;
			return kept;
		},
		isStoredLater: () => keys.undigested() > 0,
		mayRestart: (present, isReadAgain = false) => {
			const isSameRun = offeredPosition && present && sameEpoch(present.epoch, offeredPosition.epoch);
			const isNothingKnown = !offeredPosition && !numbered.mark() && (sequences.floor() ?? 0) <= 0;
			if (isSameRun || isNothingKnown) return false;
			numbered.mayRestart(isReadAgain ? offeredPosition?.epoch : undefined);
			return sequences.isDoubtful();
		},
		offered: () => offeredPosition,
		advance: (next) => {
			if (!isBehind(next, offeredPosition)) offeredPosition = next;
		},
		watermark: settled.watermark,
		forget: keys.forget,
		forgotten: keys.forgotten,
		reconciled: settled.reconciled,
	};
}

const DIGEST_EVERY_MS = 1_000;

interface Storing {
	watermark: number | undefined;
	now: number;
	/** The storage of no key may be postponed. */
	isFull: boolean;
}

/**
 * Builds the stored keys. Where sequence numbers identify known events, keys are needed only after the numbers restart,
 * so they are digested once a second and not with each event.
 */
function createStoredKeys(keys: DeduplicationWindow) {
	let digestedAt = Number.NEGATIVE_INFINITY;
	/** While the stored numbers are in doubt, only keys identify events, so none is dropped for its known number. */
	return ({ watermark, now, isFull }: Storing, isKnownByNumber: boolean): StoredKeys => {
		const known = isKnownByNumber ? Number.POSITIVE_INFINITY : watermark;
		if (isKnownByNumber && !isFull && now - digestedAt < DIGEST_EVERY_MS) return keys.storedSoFar(known);
		digestedAt = now;
		return keys.stored(known);
	};
}

const noKeys: readonly string[] = [];

/** Keys seen since this process started, beside the stored keys of earlier runs. */
function createSeenKeys(stored: DeduplicationWindow, orders: readonly StoredOrder[]) {
	const seen = createBoundedSet(REMEMBERED_MAX);
	// An amendment may repeat a state that was delivered before, and then needs another key.
	for (const order of orders) seen.add(orderKey(factsOf(order)));
	/** Aliases of the events seen, under which copies of them may arrive. */
	const others = createBoundedSet(REMEMBERED_MAX);
	return {
		has: seen.has,
		had: stored.had,
		add: (key: string, isNew: boolean): void => {
			if (isNew) seen.addNew(key);
			else seen.add(key);
		},
		clear: () => {
			seen.clear();
			others.clear();
		},
		/** Copies of one event may carry other identifiers, so each of its keys is looked up and remembered. */
		note: ({ key, aliases }: TopicEvent): boolean => {
			let isKnown = !seen.add(key) || stored.had(key) || others.has(key);
			for (const alias of aliases ?? noKeys) {
				isKnown ||= seen.has(alias) || stored.had(alias);
				others.add(alias);
			}
			return isKnown;
		},
	};
}

/** How far backfills have settled the history of a topic. `isDeep`: the whole list has to be read once more. */
function createSettledHistory(reached: number | undefined, isDeep: boolean, keys: DeduplicationWindow) {
	return {
		watermark: () => reached,
		reconciled: (mark: number | undefined): void => {
			reached = latest(reached, mark);
			isDeep = false;
		},
		isSettled: ({ time = Infinity }: TopicEvent): boolean => !isDeep && time <= (reached ?? 0),
		/** Whether an event was delivered and its key dropped: earlier backfills read all rows before the watermark. */
		isForgotten: (event: TopicEvent): boolean => {
			const { order } = event;
			// An open order may be new, and one that ended may have been open at the update known last (`isDeep`).
			if (order && (isDeep || !isFinal(order.status))) return false;
			return (placeOf(event) ?? Infinity) <= Math.min(reached ?? -Infinity, keys.forgotten() ?? -Infinity);
		},
	};
}

/** A replay repeats earlier positions, which must not move the cursor back. */
const isBehind = (next: Position, present: Position | undefined): boolean =>
	present !== undefined && sameEpoch(next.epoch, present.epoch) && next.seq < present.seq;

/** A stored checkpoint may have been edited, truncated or written by another version: malformed parts are ignored. */
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
