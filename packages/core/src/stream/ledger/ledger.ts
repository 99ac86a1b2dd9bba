import { plus, sooner, type Whole } from '../../whole';
import { STORED_KEYS_MAX, STORED_KEYS_MIN, STORED_UNDATED_KEYS_MAX } from '../limits';
import { sameEpoch, type Position } from '../position';
import { isFinal, type OrderFacts } from '../topics/event';
import { addKeys, CHUNK_KEYS, forgetKeys, type KeyLog } from './keys';
import { latest } from './numbers';
import { acknowledgeOrder, type StoredOrder } from './orders';
import { acknowledgeState, type StoredState } from './states';
import { addRange, NOTHING_KNOWN, type Ranges, type Stretch } from './ranges';
import type { RunMark } from './run-mark';

/** How far a topic was offered or acknowledged. Numbers and times only say which rows need not be read again. */
export interface Reach {
	/** Everything on the stream up to here was offered or acknowledged. */
	position?: Position;
	/** Everything created up to here was read, in milliseconds since 1970 by the times of rows. */
	watermark?: number;
	/** The numbers that were delivered, or that no event has. Absent until the topic has shown a number. */
	ranges?: Ranges;
	/** The event that identifies the run of the service to which the numbers belong. */
	mark?: RunMark;
	/** How often the service restarted its numbers. */
	runs: number;
	/** The numbers may have restarted: they may belong to another run than the service is in. */
	isDoubtful?: boolean;
	/** Several events share a number, so that one that came says nothing about the others: only readings know numbers. */
	isShared?: boolean;
	/** The names under which records carry their identifiers, on the stream and in the list. */
	shapes?: Shapes;
}

export interface Shapes {
	live?: string;
	read?: string;
}

/** What a host has acknowledged of one topic. It is what a checkpoint stores. */
export interface Ledger extends Reach {
	keys: KeyLog;
	/** The keys that an earlier version stored, as digests of another kind. */
	earlier?: EarlierKeys;
	/** By id: open orders, and those that ended recently. */
	orders: Map<string, StoredOrder>;
	/** By id: the last states of records, where the topic keeps them. */
	states: Map<string, StoredState>;
	/** More orders were open than are stored: the whole list has to be read. */
	isDeep?: boolean;
}

export interface EarlierKeys {
	digests: string;
	until?: number;
}

/** What changes in a ledger once the host has acknowledged an event and everything before it. */
export interface Delta {
	/** The key of the event, which the host gets as `eventKey`. */
	key?: string;
	/** Fingerprints to remember, side by side. */
	prints?: string;
	/** Where the event stands in its list: its number, or the milliseconds of its creation. */
	place?: Whole;
	order?: OrderFacts;
	/** The state of a record, where the topic keeps states. */
	state?: StoredState;
	sequence?: Whole;
	time?: number;
	/** Of an event with a number, by which its run is known again. */
	item?: RunMark['item'];
	isRead?: boolean;
	position?: Position;
	watermark?: number;
	/** A complete backfill or baseline ended with it, so no open order of the list is unknown any more. */
	isWhole?: boolean;
	/** Numbers that are known without an event for each. */
	ranges?: readonly Stretch[];
	shapes?: Shapes;
	/** Several events share a number: everything after this one is read again. */
	sharedAfter?: Whole;
	/** The service restarted its numbers: those acknowledged before belong to an earlier run. */
	isRenumbered?: boolean;
	/** Deltas of events that were delivered or need no delivery, by key; of an order only the latest, by its id. */
	deltas?: ReadonlyMap<string, Delta>;
}

/** Applies a delta to how far a topic was offered or acknowledged, which is changed in place. */
function advance(of: Reach, delta: Delta): void {
	if (delta.isRenumbered) {
		of.ranges = [NOTHING_KNOWN];
		of.mark = of.isDoubtful = of.isShared = undefined;
		of.runs += 1;
	}
	if (delta.position) reach(of, delta.position);
	if (delta.watermark !== undefined) of.watermark = latest(of.watermark, delta.watermark);
	if (delta.shapes) of.shapes = delta.shapes;
	if (delta.sharedAfter !== undefined) [of.isShared, of.ranges] = [true, [delta.sharedAfter]];
	if (delta.sequence !== undefined) {
		of.ranges ??= [NOTHING_KNOWN];
		if (!of.isShared) addRange(of.ranges, delta.sequence, delta.sequence);
		if (isMark(delta, of)) of.mark = delta as RunMark;
	}
	if (delta.ranges) for (const [from, to] of delta.ranges) addRange((of.ranges ??= [NOTHING_KNOWN]), from, to);
}

/** The same for everything that is known with it. */
export function advanceAll(reach: Reach, delta: Delta): void {
	advance(reach, delta);
	if (delta.deltas) for (const each of delta.deltas.values()) advance(reach, each);
}

/**
 * A message moves the mark. An event that was read does not, because it may belong to a run that no message has shown,
 * and while the numbers are in doubt neither may a message.
 */
const isMark = ({ isRead, sequence }: Delta, { mark, isDoubtful }: Reach): boolean =>
	!mark || (!isRead && !isDoubtful && sequence! >= mark.sequence!);

/** A replay repeats earlier positions, which must not move the position back. */
export function reach(of: Reach, next: Position): void {
	const { position } = of;
	if (position && sameEpoch(next.epoch, position.epoch) && next.seq < position.seq) return;
	of.position = next;
}

/**
 * Up to where backfills leave a topic alone: by number where its events have numbers, otherwise by time. While the numbers
 * are in doubt all of them may be read again.
 */
export const settledPlace = ({ ranges, watermark, isDoubtful }: Reach): Whole | undefined =>
	ranges ? (isDoubtful ? undefined : ranges[0]) : watermark;

/** Applies a delta that the host has acknowledged. The ledger is changed in place and returned. */
export function acknowledge(ledger: Ledger, delta: Delta, keysMax: number): Ledger {
	advance(ledger, delta);
	if (delta.isRenumbered) forgetPlaces(ledger);
	acknowledgeEvent(ledger, delta, keysMax);
	if (delta.deltas) for (const each of delta.deltas.values()) acknowledge(ledger, each, keysMax);
	if (delta.watermark !== undefined) trim(ledger, keysMax);
	return ledger;
}

function acknowledgeEvent(ledger: Ledger, { prints, place, order, state }: Delta, keysMax: number): void {
	if (state) acknowledgeState(ledger.states, state);
	if (order && acknowledgeOrder(ledger.orders, order)) ledger.isDeep = true;
	// An open order is stored with its state and needs no key.
	if (!prints || keysMax === 0 || (order && !isFinal(order.status))) return;
	if (addKeys(ledger.keys, prints, place)) trim(ledger, keysMax);
}

/** The numbers of an earlier run say nothing about those of the present one. */
function forgetPlaces({ keys }: Ledger): void {
	keys.chunks = keys.chunks.map(([prints]) => [prints, null]);
	keys.forgotten = undefined;
}

/** Forgets the keys that no backfill will ask for again, and those that are too many. */
function trim(ledger: Ledger, keysMax: number): void {
	const settled = settledPlace(ledger);
	const isUndated = settled === undefined && ledger.keys.chunks.every(([, until]) => until === null);
	const max = isUndated && keysMax > 0 ? Math.max(keysMax, STORED_UNDATED_KEYS_MAX) : keysMax;
	// Before the next trim another chunk becomes full.
	forgetKeys(ledger.keys, settled, { min: Math.min(STORED_KEYS_MIN, keysMax), max: max - CHUNK_KEYS });
	const { earlier } = ledger;
	if (earlier && settled !== undefined && settled > (earlier.until ?? Number.NEGATIVE_INFINITY)) {
		ledger.keys.forgotten = latest(ledger.keys.forgotten, earlier.until);
		ledger.earlier = undefined;
	}
}

/** A delta that grows while it waits for an acknowledgement. Its list and map are its own. */
export interface GrowingDelta extends Delta {
	ranges?: Stretch[];
	deltas?: Map<string, Delta>;
}

const growing = ({ ranges, deltas, ...delta }: Delta): GrowingDelta => ({
	...delta,
	...(ranges && { ranges: [...ranges] }),
	...(deltas && { deltas: new Map(deltas) }),
});

/**
 * Adds a later delta to one that waits for the same acknowledgement; the later one wins. The earlier one is changed and
 * not copied: while a host keeps one event, every event that its filters reject is added here.
 */
export function merged(earlier: GrowingDelta | undefined, later: Delta): GrowingDelta {
	if (!earlier) return growing(later);
	if (later.isRenumbered) [earlier.isRenumbered, earlier.ranges] = [true, undefined];
	earlier.position = later.position ?? earlier.position;
	earlier.watermark = later.watermark ?? earlier.watermark;
	earlier.shapes = later.shapes ?? earlier.shapes;
	earlier.sharedAfter = later.sharedAfter ?? earlier.sharedAfter;
	for (const [from, to] of later.ranges ?? []) {
		const last = earlier.ranges?.at(-1);
		// Adjacent ranges are joined, to keep the list short.
		if (!last || from > plus(last[1], 1) || to < plus(last[0], -1)) (earlier.ranges ??= []).push([from, to]);
		else earlier.ranges![earlier.ranges!.length - 1] = [sooner(last[0], from), latest(last[1], to)!];
	}
	if (later.deltas) {
		earlier.deltas ??= new Map();
		for (const [key, each] of later.deltas) earlier.deltas.set(key, each);
		if (earlier.deltas.size > STORED_KEYS_MAX) forgetFirst(earlier.deltas);
	}
	return earlier;
}

/** While a host keeps one event, its filters may reject any number. Orders are kept, because their states are owed. */
function forgetFirst(deltas: Map<string, Delta>): void {
	for (const [key, { order, state }] of deltas) {
		if (deltas.size <= STORED_KEYS_MAX) return;
		if (!order && !state) deltas.delete(key);
	}
}
