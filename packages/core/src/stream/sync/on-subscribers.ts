import { isExchangeError } from '../../errors';
import { BASELINE_AGAIN_MS, READ_LAG_MS_MAX } from '../limits';
import { countFailure } from './backfill-end';
import { NOTHING, type TopicEffect, type TopicInput, type TopicRules } from './effects';
import { resumesFrom } from './positions';
import { request } from './schedule';
import type { TopicState } from './state';

type Input<Type extends TopicInput['type']> = Extract<TopicInput, { type: Type }>;

/** A subscriber joined. */
export function onJoined(rules: TopicRules, state: TopicState, input: Input<'joined'>): readonly TopicEffect[] {
	const { isConfirmed, isRefused, requested, received } = state;
	const { subscriber, isReturning, isInterested, needsBaseline } = input;
	// A returning subscriber needs a replay, and a book begins with a snapshot.
	const isAsked = isConfirmed && (rules.isBook || isReturning);
	state.subscribers.set(subscriber, {
		isInterested,
		isBehind: !isConfirmed || isAsked,
		baseline: needsBaseline ? 'reading' : 'read',
		isUnreadable: false,
		isNewcomer: !isReturning,
		counted: received,
	});
	const effects: TopicEffect[] = needsBaseline ? [{ do: 'read_baseline', subscriber }] : [];
	// The replay of a pending subscription does not cover an older position.
	const from = requested && resumesFrom(rules, state);
	const isTooLate = from !== undefined && from.seq !== requested?.from?.seq;
	if (isRefused || isAsked || isTooLate) return [...effects, { do: 'subscribe' }];
	return isConfirmed ? [...effects, { do: 'place', subscribers: [subscriber] }] : effects;
}

/** A subscriber has room again whose queue dropped events. It is served from the next confirmation on. */
export function onRejoined(
	{ isBook }: TopicRules,
	{ subscribers }: TopicState,
	{ subscriber }: Input<'rejoined'>,
): readonly TopicEffect[] {
	const phase = subscribers.get(subscriber);
	if (!phase) return NOTHING;
	const isAsked = phase.isBehind;
	phase.isBehind = true;
	return isBook && isAsked ? NOTHING : [{ do: 'subscribe' }];
}

/** The baseline of a subscriber was read. If it was late, events since it was due may be missing. */
export function onBaseline(
	state: TopicState,
	{ subscriber, isLate }: Input<'baseline_read'>,
	now: number,
): readonly TopicEffect[] {
	const phase = state.subscribers.get(subscriber);
	if (phase) phase.baseline = 'read';
	if (!isLate) return NOTHING;
	state.missingSince = now;
	// Lists lag, so the first of these may be too early.
	for (const delayMs of [0, READ_LAG_MS_MAX]) request(state.schedule, now + delayMs);
	return NOTHING;
}

/** The baseline of a subscriber failed. A key without read permission still gets live events. */
export function onBaselineFailed(
	state: TopicState,
	{ subscriber, error }: Input<'baseline_failed'>,
	now: number,
): readonly TopicEffect[] {
	const phase = state.subscribers.get(subscriber);
	if (phase) phase.baseline = 'wanted';
	if (phase && isExchangeError(error, 'forbidden')) phase.isUnreadable = true;
	countFailure(state, error, now);
	request(state.schedule, now + BASELINE_AGAIN_MS);
	return [{ do: 'tell_failure', to: subscriber, error }];
}
