import { READ_LAG_MS_MAX, READ_SPARSE_EVERY_MS } from '../limits';
import type { Step } from '../position';
import { newBacklog } from './backlog';
import { NOTHING, type TopicEffect, type TopicRules } from './effects';
import { ensure, request } from './schedule';
import { endReplay, isSparse } from './sequence';
import type { TopicState } from './state';

/** Events may be missing: requests backfills, soon and again later. The first after a subscription is urgent. */
export function doubt(
	rules: TopicRules,
	state: TopicState,
	reason: Step | 'subscribed' | undefined,
	now: number,
): readonly TopicEffect[] {
	const { schedule, sequence, book } = state;
	const isUrgent = reason === 'subscribed';
	const isHole = reason === 'gap' || reason === 'unusable';
	if (rules.isBook) {
		// Changes may be missing, so the book starts over.
		book.isSound = false;
		hold(rules, state, now);
		request(schedule, now, isUrgent);
	} else if (rules.canRead && isHole && isSparse(sequence))
		ensure(schedule, now + READ_LAG_MS_MAX, now + READ_SPARSE_EVERY_MS);
	else if (rules.canRead)
		for (const delayMs of rules.readAfterMs) request(schedule, now + delayMs, isUrgent && delayMs === 0);
	return isHole ? [{ do: 'count_gap' }] : NOTHING;
}

/** The same for a sign that may be none where the policy says so. */
export const doubted = (rules: TopicRules, state: TopicState, sign: Step, now: number): readonly TopicEffect[] =>
	rules.impliesGap(sign) ? doubt(rules, state, sign, now) : NOTHING;

/** A complete backfill that began at this moment looked for what may be missing. Lists lag, so it may have been too early. */
export function lookedForMissing(state: TopicState, beganAt: number): void {
	if (beganAt - (state.missingSince ?? Infinity) >= READ_LAG_MS_MAX) state.missingSince = undefined;
}

/** Live messages wait for the backfill where events have an order. A second backfill does not extend the limit. */
export function hold({ canRead, isOrdered }: TopicRules, state: TopicState, now: number): void {
	if (canRead && isOrdered) state.backlog ??= newBacklog(now);
}

/** A backfill is done: what waited for it is delivered. */
export function caughtUp(state: TopicState): TopicEffect[] {
	const { frames = [] } = state.backlog ?? {};
	state.backlog = undefined;
	endReplay(state.sequence);
	return frames.length > 0 ? [{ do: 'release', frames }] : [];
}

/** The backfill takes too long, or too much waits for it. Changes of a book are then delivered without a snapshot. */
export function giveUpWaiting({ isBook }: TopicRules, state: TopicState): TopicEffect[] {
	const { frames } = state.backlog!;
	state.backlog = undefined;
	const released: TopicEffect = { do: 'release', frames };
	return isBook ? [{ do: 'tell_stale' }, released] : [released];
}
