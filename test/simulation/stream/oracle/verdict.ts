import { READ_SPACING_MS } from '../../../../packages/core/src/stream/limits';
import type { Seen } from '../host';
import { BOOK, type Truth } from '../truth';
import type { Watched } from '../wallet';
import { judgeBook } from './books';
import { judgeDelivery } from './delivery';
import { judgeSequence } from './sequence';
import { judgeWallet } from './wallet';

/** What is held against each other at the end of time. */
export interface Verdict {
	truth: Truth;
	seen: readonly Seen[];
	watched: readonly Watched[];
	/** From here on nothing goes wrong. */
	healsAt: number;
	/** From here on everybody is back in step. */
	calmFrom: number;
	/** How long after its happening, the healing or a sign of it an event may arrive. */
	lateMs: number;
	waitsForHealing: boolean;
	/** When there was a sign of something that was lost, for a layer that waits for one. */
	noticedAt?(topic: string, at: number): number;
	/** Up to which public trade the service keeps nothing any more, so that what was not told of it is lost. */
	forgottenTrades: number;
	/** The same of an order or a fill. */
	isForgotten(id: string): boolean;
	/** How long in calm weather. */
	calmMs: number;
	now: number;
}

/** Says which promises were broken. */
export function judge(verdict: Verdict): string[] {
	const { seen, watched } = verdict;
	return [
		...seen.flatMap((one) => [
			...judgeDelivery(one, verdict),
			...judgeSequence(one, correctedIn(verdict.truth)),
			...judgeBook(one, verdict),
			...one.failures,
		]),
		...watched.flatMap((one, index) => judgeWallet(one, verdict).map((text) => `wallet ${index} ${text}`)),
	];
}

/** States of an order in which less is filled than in the one before. */
const correctedIn =
	({ orders }: Truth) =>
	(id: string): string[] => {
		const states = orders.get(id) ?? [];
		return states.flatMap(({ key, filled }, index) => (filled < (states[index - 1]?.filled ?? 0n) ? [key] : []));
	};

/** When something of calm or bad weather has to be there at the latest. */
export function dueAt(topic: string | undefined, at: number, since: number, verdict: Verdict): number {
	const { calmFrom, calmMs, healsAt, lateMs, waitsForHealing, noticedAt } = verdict;
	// A book whose numbers jump is read for its first change, and once more where a reading was under way already.
	const isReadTwice = topic === BOOK && verdict.truth.bookStride > 1;
	if (at >= calmFrom) return at + calmMs + (isReadTwice ? READ_SPACING_MS : 0);
	const begins = topic && noticedAt ? noticedAt(topic, at) : at;
	return Math.max(begins, since, waitsForHealing ? healsAt : 0) + lateMs;
}

export const late = (what: string, at: number, arrived: number): string =>
	`${what} ${((arrived - at) / 1000).toFixed(1)} s late`;
