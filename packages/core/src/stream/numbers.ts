import { later, plus, type Whole } from '../whole';
import type { KnownEvents, EventPlace, RunDoubt } from './known';
import { sameEpoch, type Position } from './position';
import { ABOVE_MAX, LISTED_AFTER_MS, MARKS_MAX, MARK_EVERY_MS } from './limits';

/**
 * What the numbers of public trades show: a plain value. Numbers decide nothing about an event. They say from where to read,
 * and that something may be missing.
 */
export interface Numbers {
	highest: Whole;
	/** Those that came ahead of a missing one. */
	above: Set<Whole>;
	/** Several events share a number, so that one that came says nothing about the others: only reads know numbers. */
	isShared: boolean;
	/** The highest number at earlier moments, which shows how far lists have caught up. */
	marks: { at: number; number: Whole }[];
}

export const noNumbers = (): Numbers => ({ highest: 0, above: new Set(), isShared: false, marks: [] });

/** A new event has this number. Everything up to a number was seen where none before it is missing. */
export function takeNumber(numbers: Numbers, known: KnownEvents, number: Whole): void {
	const { above } = numbers;
	if (number > numbers.highest) numbers.highest = number;
	if (numbers.isShared || known.isDoubtful || known.settled === undefined) return;
	if (number <= known.settled || above.has(number)) return shareNumbers(numbers, known);
	if (number !== plus(known.settled, 1)) return void (above.size < ABOVE_MAX && above.add(number));
	known.settled = number;
	passAbove(numbers, known);
}

/** Numbers that came before are joined to what is settled. */
export function passAbove({ above }: Numbers, known: KnownEvents): void {
	for (let next = plus(known.settled!, 1); above.delete(next); next = plus(next, 1)) known.settled = next;
	if (above.size > ABOVE_MAX / 2) for (const number of above) if (number <= known.settled!) above.delete(number);
}

/** The last number of which no further event may come. */
export const lastNumber = ({ highest, isShared }: Numbers): Whole => (isShared ? plus(highest, -1) : highest);

/** A known number belongs to a new event, too: everything after what is surely old is read again. */
function shareNumbers(numbers: Numbers, known: KnownEvents): void {
	numbers.isShared = true;
	numbers.above.clear();
	known.settled = known.forgotten ?? 0;
}

/** Notes the highest number at a time. */
export function markHighest({ marks, highest }: Numbers, at: number): void {
	const last = marks.at(-1);
	if (highest === 0 || (last && (last.number >= highest || at - last.at < MARK_EVERY_MS))) return;
	if (marks.push({ at, number: highest }) > MARKS_MAX) marks.shift();
}

/** The number up to which lists are expected to be complete by now. */
export const completeNumber = ({ marks }: Numbers, now: number): Whole | undefined =>
	marks.findLast(({ at }) => at <= now - LISTED_AFTER_MS)?.number;

/** Whether the numbers may have restarted, given the position of the service, or none if it is unknown. */
export function mayRestart(known: KnownEvents, current?: Position): boolean {
	const { position, mark, settled } = known;
	const isSameRun = position && current && sameEpoch(current.epoch, position.epoch);
	if (!known.isNumbered || isSameRun || settled === undefined || (!position && !mark && settled <= 0)) return false;
	known.isDoubtful = true;
	doubtRun(known);
	return true;
}

/**
 * The numbers may belong to an earlier run of the service. If more is known than at the doubt before, a list of a new run
 * may pass the earlier number, so it is compared with the present one.
 */
export function doubtRun(known: KnownEvents): void {
	const { mark, settled, doubt } = known;
	const highest: EventPlace = later(settled ?? 0, mark?.sequence)!;
	// A new value each time: rows that were read before a new doubt arose cannot settle it.
	known.doubt =
		doubt !== 'settled' && doubt?.highest === highest ? { ...doubt } : ({ highest, mark } satisfies RunDoubt);
}

export function confirmRun(known: KnownEvents): void {
	known.doubt = 'settled';
	known.isDoubtful = undefined;
}

/** The service counts anew: keys alone tell what is known. */
export function restartRun(known: KnownEvents): void {
	confirmRun(known);
	known.settled = 0;
	known.forgotten = known.mark = undefined;
	for (const key of known.keys.keys()) known.keys.set(key, undefined);
}
