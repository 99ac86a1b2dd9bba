import { sameEpoch } from '../position';
import { beginBook, isOutdated, restartBook } from './book-sequence';
import { caughtUp, doubt, hold } from './doubt';
import { NOTHING, type TopicEffect, type TopicInput, type TopicRules } from './effects';
import { begin } from './sequence';
import type { TopicState } from './state';

/** A subscription of the topic was confirmed. */
export function onConfirmed(
	rules: TopicRules,
	state: TopicState,
	{ head, resumedFrom, isReturning, book }: Extract<TopicInput, { type: 'confirmed' }>,
	now: number,
): readonly TopicEffect[] {
	const { sequence, isConfirmed: isAgain, wasConfirmed } = state;
	const before = sequence.position ?? resumedFrom;
	const isSameRun = before !== undefined && head !== undefined && sameEpoch(before.epoch, head.epoch);
	const isOtherRun = before !== undefined && head !== undefined && !isSameRun;
	const isReplayed = isSameRun && (resumedFrom !== undefined || head.seq <= before.seq);
	const effects: TopicEffect[] = [];
	// What backfills shared lacks the events of the disconnection.
	if (!isAgain && wasConfirmed) effects.push({ do: 'forget' });
	if (!isAgain && wasConfirmed && !isReplayed && !rules.isBook && !rules.canRead) effects.push({ do: 'tell_gap' });
	// Who starts for the first time is owed nothing from before.
	if (wasConfirmed || isReturning) state.missingSince = now;
	state.isConfirmed = state.wasConfirmed = true;
	state.requested = undefined;
	begin(sequence, { head, resumedFrom }, now);
	effects.push({ do: 'compare_runs', position: head ?? (isAgain ? sequence.position : undefined) });
	const servesNewcomers = isAgain && !isOtherRun && !rules.isBook;
	effects.push({ do: 'confirm', servesNewcomers });
	if (rules.isBook) return [...effects, ...onBook(rules, state, { book, isOtherRun }, now)];
	if (servesNewcomers) return effects;
	hold(rules, state, now);
	return [...effects, ...doubt(rules, state, 'subscribed', now)];
}

/** Begins an order book with its snapshot, from the confirmation or else from REST. Changes follow it. */
function onBook(
	rules: TopicRules,
	state: TopicState,
	{ book, isOtherRun }: { book?: { sequence?: number }; isOtherRun: boolean },
	now: number,
): readonly TopicEffect[] {
	// Changes that wait belong to the book before.
	state.backlog = undefined;
	restartBook(state.book, isOtherRun);
	if (book && !(rules.canRead && isOutdated(state.book, book.sequence, now))) {
		beginBook(state.book, book.sequence);
		return [{ do: 'offer_book' }, ...caughtUp(state)];
	}
	return rules.canRead ? doubt(rules, state, 'subscribed', now) : NOTHING;
}
