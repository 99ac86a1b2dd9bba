import type { Seen } from '../host';
import type { Truth } from '../truth';
import type { Watched } from '../wallet';
import { judgeBook } from './books';
import { judgeDelivery } from './delivery';
import { judgeSequence } from './sequence';
import { judgeWallet } from './wallet';

/** Everything that is compared at the end of the run. */
export interface Verdict {
	truth: Truth;
	seen: readonly Seen[];
	watched: readonly Watched[];
	/** The time when all faults have ended. */
	healsAt: number;
	/** The time from which all triggers are up to date. */
	calmFrom: number;
	/** The longest time to delivery from the event, the end of the faults, or a sign of its loss. */
	lateMs: number;
	waitsForHealing: boolean;
	/** When there was a sign of a lost event, for a layer that depends on one. */
	noticedAt?(topic: string, at: number): number;
	/** Whether the service no longer keeps an order or a fill. */
	isForgotten(id: string): boolean;
	/** Whether the stream never tells a fill, so that only the sum of its order's fills shows it. */
	isLate(fillId: string): boolean;
	/** Whether trades that were told as a gap are not owed. */
	excusesGaps: boolean;
	/** Whether events count from the first subscription, and not from when the trigger was ready. */
	owesFromTheStart: boolean;
	/** The longest time without faults. */
	calmMs: number;
	now: number;
}

/** Returns the violated guarantees. */
export function judge(verdict: Verdict): string[] {
	const { seen, watched } = verdict;
	return [
		...seen.flatMap((consumer) => [
			...judgeDelivery(consumer, verdict),
			...judgeSequence(consumer, correctedIn(verdict.truth)),
			...judgeBook(consumer, verdict),
			...consumer.failures,
		]),
		...watched.flatMap((wallet, index) => judgeWallet(wallet, verdict).map((text) => `wallet ${index} ${text}`)),
	];
}

/** States of an order that are less filled than the previous one. */
const correctedIn =
	({ orders }: Truth) =>
	(id: string): string[] => {
		const states = orders.get(id) ?? [];
		return states.flatMap(({ key, filled }, index) => (filled < (states[index - 1]?.filled ?? 0n) ? [key] : []));
	};

/** The latest time for an event to arrive, with or without faults. */
export function dueAt(topic: string | undefined, at: number, since: number, verdict: Verdict): number {
	const { calmFrom, calmMs, healsAt, lateMs, waitsForHealing, noticedAt } = verdict;
	if (at >= calmFrom) return at + calmMs;
	const begins = topic && noticedAt ? noticedAt(topic, at) : at;
	return Math.max(begins, since, waitsForHealing ? healsAt : 0) + lateMs;
}

export const late = (what: string, at: number, arrived: number): string =>
	`${what} ${((arrived - at) / 1000).toFixed(1)} s late`;
