import { written } from '../../whole';
import { isItem } from '../../wire/payload';
import { STORED_KEYS_MAX } from '../limits';
import { positionOf, type Epoch } from '../position';
import { readKeys, storedChunk, type StoredChunk } from './keys';
import type { EarlierKeys, Ledger, Shapes } from './ledger';
import { latest, numberOf } from './numbers';
import type { StoredOrder } from './orders';
import { isState, type StoredState } from './states';
import { readRanges, storedRanges, type StoredRanges } from './ranges';
import { readMark, storedMark, type StoredMark } from './run-mark';

/** The version of a checkpoint that this version writes. Version 1 is read and carried over. */
export const CHECKPOINT_VERSION = 2;

/**
 * A ledger as a checkpoint holds it. The names are those of the stored format: `run` is the mark, `coverage` the known
 * numbers, and the watermark is in milliseconds since 1970.
 */
export interface StoredLedger {
	epoch?: Epoch;
	seq?: number | string;
	watermark?: number;
	keys: readonly StoredChunk[];
	forgotten?: number | string;
	undatedForgotten?: true;
	earlier?: EarlierKeys;
	coverage?: StoredRanges;
	run?: StoredMark;
	/** The service may have begun another run since, to which some of the numbers may belong. */
	doubtful?: true;
	/** Several events share a number. */
	shared?: true;
	shapes?: Shapes;
	orders?: StoredOrder[];
	states?: StoredState[];
	deep?: true;
}

export const emptyLedger = (): Ledger => ({ keys: { chunks: [] }, orders: new Map(), states: new Map(), runs: 0 });

/** A copy of a ledger as plain JSON. `isDoubtful`: its numbers may not be those of the present run of the service. */
export function storedLedger(ledger: Ledger, isDoubtful: boolean): StoredLedger {
	const { position, watermark, keys, earlier, ranges, mark, shapes, orders, states, isDeep } = ledger;
	const stored: StoredLedger = { keys: keys.chunks.map(storedChunk) };
	if (position) [stored.epoch, stored.seq] = [position.epoch, written(position.seq)];
	if (watermark !== undefined) stored.watermark = watermark;
	if (keys.forgotten !== undefined) stored.forgotten = written(keys.forgotten);
	if (keys.isUndatedForgotten) stored.undatedForgotten = true;
	if (earlier) stored.earlier = earlier;
	if (ranges) stored.coverage = storedRanges(ranges);
	const run = mark && storedMark(mark);
	if (run) stored.run = run;
	if (isDoubtful && ranges) stored.doubtful = true;
	if (ledger.isShared) stored.shared = true;
	if (shapes) stored.shapes = shapes;
	if (orders.size > 0) stored.orders = [...orders.values()];
	if (states.size > 0) stored.states = [...states.values()];
	if (isDeep) stored.deep = true;
	return stored;
}

/** A stored checkpoint may have been edited, truncated or written by another version: malformed parts are ignored. */
export function readLedger(stored: unknown): Ledger {
	if (!isItem(stored)) return emptyLedger();
	const orders = Array.isArray(stored.orders) ? stored.orders.filter(isOrder) : [];
	const states = Array.isArray(stored.states) ? stored.states.filter(isState) : [];
	const ledger: Ledger = {
		position: positionOf(stored),
		watermark: numberOf(stored.watermark),
		keys: readKeys(stored),
		earlier: readEarlier(stored),
		ranges: readRanges(stored.coverage),
		mark: readMark(stored.run),
		runs: 0,
		isDoubtful: stored.doubtful === true,
		isShared: stored.shared === true ? true : undefined,
		shapes: readShapes(stored.shapes),
		orders: new Map(orders.map((order) => [order[0], order])),
		states: new Map(states.map((state) => [state[0], state])),
		isDeep: stored.deep === true,
	};
	return typeof stored.keys === 'string' ? carriedOver(ledger) : ledger;
}

const isOrder = (order: unknown): order is StoredOrder =>
	Array.isArray(order) && typeof order[0] === 'string' && typeof order[1] === 'string';

function readShapes(stored: unknown): Shapes | undefined {
	if (!isItem(stored)) return undefined;
	const nameOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
	return { live: nameOf(stored.live), read: nameOf(stored.read) };
}

/** The length of a digest in version 1. */
export const EARLIER_LENGTH = 10;

/** Version 1 held the keys as one text, and the latest place among them as `until`. */
function readEarlier({ keys, until, earlier }: Record<string, unknown>): EarlierKeys | undefined {
	const { digests, until: place } = isItem(earlier) ? earlier : { digests: keys, until };
	if (typeof digests !== 'string' || digests === '' || digests.length % EARLIER_LENGTH !== 0) return undefined;
	return { digests: digests.slice(-2 * STORED_KEYS_MAX * EARLIER_LENGTH), until: numberOf(place) };
}

/** In version 1 numbers decided, and few keys were stored: where numbers are known, keys are missing. */
function carriedOver(ledger: Ledger): Ledger {
	const { ranges, keys } = ledger;
	const highest = ranges?.flat().at(-1);
	if (highest !== undefined) keys.forgotten = latest(keys.forgotten, highest);
	return ledger;
}
