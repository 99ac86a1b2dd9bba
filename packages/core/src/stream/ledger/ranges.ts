import { later, plus, wholeOf, written, type Whole } from '../../whole';

/**
 * Which numbers of a topic are known: everything up to a floor, and stretches above it, lowest first. Plain JSON. Numbers
 * decide nothing about an event. They say which rows need not be read, and where the next backfill begins.
 */
export type Ranges = [floor: Whole, ...stretches: Stretch[]];
export type Stretch = [from: Whole, to: Whole];

/** The floor below every number, because a service may begin with zero or with one. */
export const NOTHING_KNOWN = -1;

/** Beyond this many stretches the lowest is forgotten: its rows are read again, and known by their keys. */
export const STRETCHES_MAX = 500;

/** Index of the last stretch that begins at or before a number, found from the end, where most numbers belong. */
function indexOf(ranges: Ranges, number: Whole): number {
	let index = ranges.length - 1;
	while (index >= 1 && (ranges[index] as Stretch)[0] > number) index -= 1;
	return index;
}

/** The last number of the known stretch that holds this one, or the number itself. */
export function endOfKnown(ranges: Ranges | undefined, number: Whole): Whole {
	if (!ranges) return number;
	if (number <= ranges[0]) return ranges[0];
	const index = indexOf(ranges, number);
	const end = index < 1 ? number : (ranges[index] as Stretch)[1];
	return later(number, end)!;
}

export function isCovered(ranges: Ranges, number: Whole): boolean {
	if (number <= ranges[0]) return true;
	const index = indexOf(ranges, number);
	return index >= 1 && number <= (ranges[index] as Stretch)[1];
}

/** Makes every number from one to another known, whether or not an event has it. The ranges are changed in place. */
export function addRange(ranges: Ranges, from: Whole, to: Whole): void {
	if (to <= ranges[0]) return;
	// Most numbers follow the latest.
	if (ranges.length === 1 && from <= plus(ranges[0], 1)) return void (ranges[0] = to);
	const last = ranges.length > 1 ? (ranges[ranges.length - 1] as Stretch) : undefined;
	if (last && from === plus(last[1], 1)) return void (last[1] = later(last[1], to)!);
	let index = indexOf(ranges, from);
	const before = index >= 1 ? (ranges[index] as Stretch) : undefined;
	if (before && before[1] >= plus(from, -1)) before[1] = later(before[1], to)!;
	else ranges.splice((index += 1), 0, [from, to]);
	join(ranges, index);
	while (ranges.length > 1 && (ranges[1] as Stretch)[0] <= plus(ranges[0], 1)) {
		ranges[0] = later(ranges[0], (ranges.splice(1, 1)[0] as Stretch)[1])!;
	}
	if (ranges.length - 1 > STRETCHES_MAX) ranges.splice(1, 1);
}

/** Joins a stretch with those behind it that it reaches. */
function join(ranges: Ranges, index: number): void {
	const stretch = ranges[index] as Stretch;
	while (index + 1 < ranges.length && (ranges[index + 1] as Stretch)[0] <= plus(stretch[1], 1)) {
		stretch[1] = later(stretch[1], (ranges.splice(index + 1, 1)[0] as Stretch)[1])!;
	}
}

/** Ranges as a checkpoint holds them: as text where a number would be rounded. */
export type StoredRanges = readonly [
	floor: number | string,
	...stretches: [from: number | string, to: number | string][],
];

export const storedRanges = ([floor, ...stretches]: Ranges): StoredRanges => [
	written(floor),
	...stretches.map(([from, to]): [number | string, number | string] => [written(from), written(to)]),
];

/** A stored checkpoint may have been edited or truncated: malformed parts are ignored. */
export function readRanges(stored: unknown): Ranges | undefined {
	const [first, ...stretches] = Array.isArray(stored) ? (stored as unknown[]) : [];
	const floor = wholeOf(first);
	if (floor === undefined) return undefined;
	return [floor, ...stretches.flatMap((stretch) => readStretch(stretch) ?? [])];
}

function readStretch(stored: unknown): [Stretch] | undefined {
	if (!Array.isArray(stored) || stored.length !== 2) return undefined;
	const [from, to] = (stored as unknown[]).map(wholeOf);
	return from !== undefined && to !== undefined && from <= to ? [[from, to]] : undefined;
}
