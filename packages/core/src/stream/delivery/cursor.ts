import { isItem } from '../../wire/payload';
import { orderKey } from '../topics/orders';
import { isFinal, placeOf, type EventFacts, type TopicEvent } from '../topics/event';
import { REMEMBERED_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import { createBoundedSet } from './bounded';
import { positionOf, sameEpoch, type Position } from '../position';
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
	/** Orders that are open, and those that ended lately. */
	orders?: StoredOrder[];
	/** More orders were open than are stored: the whole list has to be read. */
	deep?: boolean;
}

/** What a cursor knows of the sequences of its topic. */
type Numbers = Pick<SequenceMemory, 'floor' | 'isCovered' | 'endOfKnown' | 'cover'> &
	Pick<NumberedEvents, 'mark' | 'confirmRun' | 'restart'>;

type CursorPolicy = Pick<StreamPolicy, 'isNews' | 'storedKeysMax'>;

/** What one consumer was offered of one topic, and what of it the host has acknowledged. */
export interface Cursor extends Numbers {
	/** The facts of an event that is new to the consumer. Asking makes it known. */
	admit(event: TopicEvent, isRead: boolean, at: number): EventFacts | undefined;
	/** Whether a row of a list tells nothing new and lies before what earlier readings settled. */
	isSettled(event: TopicEvent): boolean;
	openOrders(): string[];
	/** The host acknowledged this. */
	acknowledge(facts: EventFacts): void;
	/** And everything before that. */
	commit(update: CursorUpdate): void;
	/** And everything on the stream up to here. */
	reach(position: Position): void;
	/** `isFull` says that nothing of it may be left for later. */
	stored(now: number, isFull: boolean): StoredTopic;
	/** Whether anything was left for later. */
	isStoredLater(): boolean;
	/** Whether the numbers may have restarted, given the position of the service, or none if it is unknown. */
	mayRestart(position?: Position): boolean;
	/** Its position on the stream, acknowledged or not: later messages have to be replayed after a disconnect. */
	offered(): Position | undefined;
	advance(position: Position): void;
	/** Everything created up to here was read, acknowledged or not. */
	watermark(): number | undefined;
	/** Everything up to here is old, known or not. */
	forget(place: number | undefined): void;
	/** Delivered events that are no longer remembered are all before this. */
	forgotten(): number | undefined;
	/** A backfill is complete, and everything in it was offered. */
	reconciled(watermark: number | undefined): void;
}

/** `isNumbered` says that its events follow one sequence, so that numbers tell what is known. */
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
	const storedKeys = createStoredKeys(keys, sequences);

	function admitOrder(event: TopicEvent, isRead: boolean, at: number): EventFacts | undefined {
		const { order, time } = event;
		const known = orders.find(order!.id);
		// What came of an order that is not known is asked for only once some order was forgotten.
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
		// An open order is stored itself.
		if (!order || isFinal(order.status)) keys.add(key, placeOf(facts));
		if (order) orders.acknowledge(order);
	}

	function reach(next: Position): void {
		if (!isBehind(next, position)) position = next;
	}

	return {
		...sequences,
		...numbered,
		admit: (event, isRead, at) => {
			if (event.order) return admitOrder(event, isRead, at);
			if (isNumbered && event.sequence !== undefined) return numbered.admit(event, event.sequence, isRead);
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
			const kept: StoredTopic = storedKeys(watermark, now, isFull);
			if (position) [kept.epoch, kept.seq] = [position.epoch, position.seq];
			if (watermark !== undefined) kept.watermark = watermark;
			if (sequences.isUsed()) Object.assign(kept, sequences.stored(), numbered.stored());
			if (orders.isUsed()) kept.orders = orders.stored();
			if (orders.isCut()) kept.deep = true;
			return kept;
		},
		isStoredLater: () => keys.undigested() > 0,
		mayRestart: (present) => {
			const isSameRun = offeredPosition && present && sameEpoch(present.epoch, offeredPosition.epoch);
			const isNothingKnown = !offeredPosition && !numbered.mark() && (sequences.floor() ?? 0) <= 0;
			if (isSameRun || isNothingKnown) return false;
			numbered.mayRestart();
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

/**
 * Keys as they are stored. Where numbers tell what is known, keys are for the day on which these begin anew, so they are
 * digested once a second and not with each event.
 */
function createStoredKeys(keys: DeduplicationWindow, sequences: Pick<SequenceMemory, 'isUsed' | 'isDoubtful'>) {
	let digestedAt = Number.NEGATIVE_INFINITY;
	return (watermark: number | undefined, now: number, isFull: boolean): StoredKeys => {
		// In doubt keys alone tell what was told, so none is let go because its number is known.
		const isKnownByNumber = sequences.isUsed() && !sequences.isDoubtful();
		const known = isKnownByNumber ? Number.POSITIVE_INFINITY : watermark;
		if (isKnownByNumber && !isFull && now - digestedAt < DIGEST_EVERY_MS) return keys.storedSoFar(known);
		digestedAt = now;
		return keys.stored(known);
	};
}

const noKeys: readonly string[] = [];

/** Keys that came in this run, next to those of earlier runs. */
function createSeenKeys(stored: DeduplicationWindow, orders: readonly StoredOrder[]) {
	const seen = createBoundedSet(REMEMBERED_MAX);
	// An amendment tells a state anew that was told before.
	for (const order of orders) seen.add(orderKey(factsOf(order)));
	/** Other keys of what came, which copies of it may come under. */
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
		/** Copies of one event may show other identifiers, so each of its keys is looked up and remembered. */
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

/** How far readings settled the history of a topic. `isDeep` says that all of it has to be read once more. */
function createSettledHistory(reached: number | undefined, isDeep: boolean, keys: DeduplicationWindow) {
	return {
		watermark: () => reached,
		reconciled: (mark: number | undefined): void => {
			reached = latest(reached, mark);
			isDeep = false;
		},
		isSettled: ({ time = Infinity }: TopicEvent): boolean => !isDeep && time <= (reached ?? 0),
		/** Delivered once and forgotten since: what a reading shows from before the watermark was read before. */
		isForgotten: (event: TopicEvent): boolean => {
			const { order } = event;
			// An order that is open may be at its beginning, and one that ended may have been open when it was last heard of.
			if (order && (isDeep || !isFinal(order.status))) return false;
			return (placeOf(event) ?? Infinity) <= Math.min(reached ?? -Infinity, keys.forgotten() ?? -Infinity);
		},
	};
}

/** A replay repeats what is settled, which moves nothing back. */
const isBehind = (next: Position, present: Position | undefined): boolean =>
	present !== undefined && sameEpoch(next.epoch, present.epoch) && next.seq < present.seq;

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
