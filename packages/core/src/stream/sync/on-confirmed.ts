import { sameEpoch } from '../position';
import { sequenceOf } from '../topics/event';
import { beginBook, isOutdated, restartBook } from './book-sequence';
import { caughtUp, doubt, hold } from './doubt';
import { NOTHING, type TopicEffect, type TopicInput, type TopicRules } from './effects';
import { compareRuns } from './positions';
import { begin } from './sequence';
import type { TopicState } from './state';
import { areAllNewcomers, catchUp } from './subscribers';
import { emptyWindow } from './window';

/** A subscription of the topic was confirmed. */
export function onConfirmed(
	rules: TopicRules,
	state: TopicState,
	{ head: claimed, resumedFrom, snapshot }: Extract<TopicInput, { type: 'confirmed' }>,
	now: number,
): readonly TopicEffect[] {
	const { subscribers, sequence, isConfirmed: isAgain, lostAt } = state;
	const head = rules.isWildcard ? undefined : claimed;
	const before = sequence.position ?? resumedFrom;
	const isSameRun = before !== undefined && head !== undefined && sameEpoch(before.epoch, head.epoch);
	const isOtherRun = before !== undefined && head !== undefined && !isSameRun;
	const isReplayed = isSameRun && (resumedFrom !== undefined || head.seq <= before.seq);
	const effects: TopicEffect[] = [];
	if (lostAt !== undefined) forgetWindow(state);
	if (lostAt !== undefined && !isReplayed && !rules.isBook && !rules.canRead)
		effects.push({ do: 'tell_gap', since: lostAt });
	// Who starts for the first time is owed nothing from before.
	const isFirst = !isAgain && lostAt === undefined && areAllNewcomers(subscribers);
	if (!isFirst) state.missingSince = now;
	state.isConfirmed = true;
	state.lostAt = state.requested = undefined;
	begin(sequence, { head, resumedFrom }, now);
	compareRuns(rules, state, head ?? (isAgain ? sequence.position : undefined));
	const servesThem = isAgain && !isOtherRun && !rules.isBook;
	const waited = catchUp(subscribers);
	effects.push({ do: 'place', subscribers: [...subscribers.keys()] });
	if (rules.isBook)
		return [
			...effects,
			{ do: 'follow_book', subscribers: waited },
			...onBook(rules, state, { snapshot, isOtherRun }, now),
		];
	if (servesThem) return [...effects, { do: 'serve', newcomers: waited }];
	hold(rules, state, now);
	return [...effects, ...doubt(rules, state, 'subscribed', now)];
}

/** The window lacks the events of the outage. So may a backfill that began before, and another one has to follow. */
function forgetWindow(state: TopicState): void {
	state.window = emptyWindow();
	state.outages += 1;
}

/** Begins an order book with its snapshot, from the confirmation or else from REST. Changes follow it. */
function onBook(
	rules: TopicRules,
	state: TopicState,
	{ snapshot, isOtherRun }: { snapshot: unknown; isOtherRun: boolean },
	now: number,
): readonly TopicEffect[] {
	// Changes that wait belong to the book before.
	state.backlog = undefined;
	restartBook(state.book, isOtherRun);
	const sequence = sequenceOf(snapshot);
	const isUsable = !rules.canRead || !isOutdated(state.book, sequence, now);
	if (snapshot !== undefined && snapshot !== null && isUsable) {
		beginBook(state.book, sequence);
		return [{ do: 'offer_book', snapshot }, ...caughtUp(state)];
	}
	return rules.canRead ? doubt(rules, state, 'subscribed', now) : NOTHING;
}
