import { plus, type Whole } from '../../whole';
import { ABOVE_MAX, LISTED_AFTER_MS } from '../limits';
import type { KnownEvents } from './known';

/** Numbers decide nothing about an event. They say from where to read, and that something may be missing. */
export interface Numbers {
	highest: Whole;
	/** The numbers that came ahead of a missing one. */
	above: Set<Whole>;
	/** The highest number that earlier reads knew or showed, and when they began, which shows how far lists have caught up. */
	marks: { at: number; number: Whole }[];
}

export const noNumbers = (): Numbers => ({ highest: 0, above: new Set(), marks: [] });

/** A new event has this number. Everything up to a number was seen where none before it is missing. */
export function takeNumber(numbers: Numbers, known: KnownEvents, number: Whole): void {
	const { above } = numbers;
	if (number > numbers.highest) numbers.highest = number;
	if (known.settled === undefined || number <= known.settled) return;
	if (number !== plus(known.settled, 1)) return void (above.size < ABOVE_MAX && above.add(number));
	known.settled = number;
	passAbove(numbers, known);
}

/** Numbers that came before are joined to what is settled. */
export function passAbove({ above }: Numbers, known: KnownEvents): void {
	for (let next = plus(known.settled!, 1); above.delete(next); next = plus(next, 1)) known.settled = next;
	if (above.size > ABOVE_MAX / 2) for (const number of above) if (number <= known.settled!) above.delete(number);
}

/** A read begins. Returns the number up to which lists are expected to be complete by now. */
export function markRead(numbers: Numbers, now: number): Whole | undefined {
	const { marks, highest } = numbers;
	const complete = marks.findLastIndex(({ at }) => at <= now - LISTED_AFTER_MS);
	// Lists are complete up to the latest mark that is old enough, so that those before it tell nothing.
	numbers.marks = [...marks.slice(Math.max(0, complete)), { at: now, number: highest }];
	return marks[complete]?.number;
}
