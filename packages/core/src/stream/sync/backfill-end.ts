import { doubled } from '../../backoff';
import { isExchangeError } from '../../errors';
import type { Subscriber } from '../delivery/subscriber';
import { OUTDATED_AGAIN_MS, REFUSALS_CONFIRM, REFUSED_RETRY_MS } from '../limits';
import { beginBook } from './book-sequence';
import { caughtUp, giveUpWaiting, hold } from './doubt';
import { NOTHING, type TopicEffect, type BackfillOutcome, type TopicRules } from './effects';
import { compareRuns } from './positions';
import { finish, request, requestForNewcomers, start } from './schedule';
import { explainJump } from './sequence';
import type { TopicState } from './state';
import { takeBaselines } from './subscribers';

/** Time has passed: perhaps a backfill is due, or what waits for one waits no longer. */
export function onWoken(rules: TopicRules, state: TopicState, now: number): readonly TopicEffect[] {
	const { schedule, backlog, book, isConfirmed } = state;
	const effects: TopicEffect[] = backlog && backlog.endsAt <= now ? giveUpWaiting(rules, state) : [];
	if (!start(schedule, now)) return effects;
	const isStale = rules.isBook && !book.isSound;
	if (rules.canRead) {
		// While the topic is not subscribed, the service may restart without a sign.
		if (!isConfirmed) compareRuns(rules, state);
		// Changes that arrive during the backfill are delivered after its snapshot.
		if (isStale) hold(rules, state, now);
		return [...effects, ...takeBaselines(state.subscribers).map(readBaseline), { do: 'read' }];
	}
	// A confirmation may carry a snapshot where REST has none.
	finish(schedule, {}, { now, chance: 0, everyMs: undefined });
	return isStale ? [...effects, { do: 'subscribe' }] : effects;
}

const readBaseline = (subscriber: Subscriber): TopicEffect => ({ do: 'read_baseline', subscriber });

/** A backfill ended. */
export function onRead(
	rules: TopicRules,
	state: TopicState,
	{ chance, ...outcome }: BackfillOutcome & { chance: number },
	now: number,
): readonly TopicEffect[] {
	const { schedule } = state;
	state.refusals = { count: 0, endsAt: Number.NEGATIVE_INFINITY };
	if (!outcome.isOutdated) state.outdated = 0;
	// A stale book needs a newer snapshot; a sound book needs none.
	else if (!state.book.isSound) request(schedule, now + doubled(OUTDATED_AGAIN_MS, state.outdated++));
	if (outcome.book) beginBook(state.book, outcome.book.sequence);
	const isDone = !outcome.isOutdated && outcome.againMs === undefined;
	const effects = isDone ? onAllRead(state, outcome, now) : NOTHING;
	finish(schedule, { againMs: outcome.againMs }, { now, chance, everyMs: rules.readEveryMs });
	return effects;
}

function onAllRead(state: TopicState, { isForAll, hasNews }: BackfillOutcome, now: number): readonly TopicEffect[] {
	if (!isForAll) requestForNewcomers(state.schedule, now);
	explainJump(state.sequence, hasNews, now);
	state.readings.done += 1;
	state.readings.lastAt = now;
	return caughtUp(state);
}

/** A key without read permission is tried again at growing pauses; any other failure is retried soon. */
export function onReadFailed(
	{ readEveryMs }: TopicRules,
	state: TopicState,
	{ error, chance }: { error: unknown; chance: number },
	now: number,
): readonly TopicEffect[] {
	const isRefused = isRefusal(error);
	countFailure(state, error, now);
	const againMs = isRefused ? refusedFor(state, now) : undefined;
	finish(state.schedule, { againMs, hasFailed: !isRefused }, { now, chance, everyMs: readEveryMs });
	const failure: TopicEffect = { do: 'tell_failure', error, againMs };
	return isRefused ? [failure, ...caughtUp(state)] : [failure];
}

/** A backfill was due, but there was nobody to read for. */
export function onReadNothing(
	{ readEveryMs }: TopicRules,
	state: TopicState,
	chance: number,
	now: number,
): readonly TopicEffect[] {
	finish(state.schedule, {}, { now, chance, everyMs: readEveryMs });
	return caughtUp(state);
}

export const isRefusal = (error: unknown): boolean =>
	isExchangeError(error, 'unauthorized') || isExchangeError(error, 'forbidden');

export function countFailure({ readings }: TopicState, error: unknown, now: number): void {
	readings[isRefusal(error) ? 'refused' : 'failed'] += 1;
	readings.lastAt = now;
}

/** The pause of a refused key. A refusal during a pause does not extend it. */
function refusedFor({ refusals }: TopicState, now: number): number {
	if (now < refusals.endsAt) return refusals.endsAt - now;
	refusals.count += 1;
	const growth = 3 ** Math.max(0, refusals.count - REFUSALS_CONFIRM);
	const pauseMs = Math.min(REFUSED_RETRY_MS.cap, REFUSED_RETRY_MS.base * growth);
	refusals.endsAt = now + pauseMs;
	return pauseMs;
}
