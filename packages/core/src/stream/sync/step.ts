import { BASELINE_AGAIN_MS, READ_LAG_MS_MAX } from '../limits';
import type { Position } from '../position';
import { caughtUp, doubt, hold } from './doubt';
import { NOTHING, type TopicEffect, type TopicInput, type TopicRules } from './effects';
import { onConfirmed } from './on-confirmed';
import { onMessage } from './on-message';
import { countFailure, onRead, onReadFailed, onWoken } from './backfill-end';
import { finish, request, requestForNewcomers, wakesIn } from './schedule';
import { expectReplay, extendReplay } from './sequence';
import type { TopicState } from './state';

/** One step of a topic: what follows from an input. Pure but for the state, which is changed in place. */
export function step(rules: TopicRules, state: TopicState, input: TopicInput, now: number): readonly TopicEffect[] {
	switch (input.type) {
		case 'data':
			return onMessage(rules, state, input, now);
		case 'requested':
			return onRequested(state, input);
		case 'confirmed':
			return onConfirmed(rules, state, input, now);
		case 'confirmed_again':
			extendReplay(state.sequence, input.head);
			return NOTHING;
		case 'lost':
			return onLost(state);
		case 'refused':
			state.isRefused = true;
			return NOTHING;
		case 'newcomers':
			if (requestForNewcomers(state.schedule, now)) hold(rules, state, now);
			return NOTHING;
		case 'baseline_failed':
			countFailure(state, input.isRefused, now);
			request(state.schedule, now + BASELINE_AGAIN_MS);
			return NOTHING;
		case 'baseline_late':
			return onBaselineLate(state, now);
		case 'doubted':
			return input.reason && !rules.impliesGap(input.reason) ? NOTHING : doubt(rules, state, input.reason, now);
		case 'woken':
			return onWoken(rules, state, now);
		case 'read':
			return onRead(rules, state, input, now);
		case 'read_failed':
			return onReadFailed(rules, state, input, now);
		case 'read_nothing':
			finish(state.schedule, {}, { now, chance: input.chance, everyMs: rules.readEveryMs });
			return caughtUp(state);
	}
}

function onRequested(
	state: TopicState,
	{ from, resumeFrom }: { from?: Position; resumeFrom?: Position },
): readonly TopicEffect[] {
	state.isRefused = false;
	state.requested = { from };
	expectReplay(state.sequence, resumeFrom, state.isConfirmed);
	return NOTHING;
}

function onBaselineLate(state: TopicState, now: number): readonly TopicEffect[] {
	state.missingSince = now;
	// Lists lag, so the first of these may be too early.
	for (const delayMs of [0, READ_LAG_MS_MAX]) request(state.schedule, now + delayMs);
	return NOTHING;
}

function onLost(state: TopicState): readonly TopicEffect[] {
	state.isConfirmed = false;
	state.requested = undefined;
	expectReplay(state.sequence, undefined, false);
	return NOTHING;
}

/** When the next `woken` is due. */
export function wakesAt({ schedule, backlog }: TopicState, now: number): number | undefined {
	const readsIn = wakesIn(schedule, now) ?? Number.POSITIVE_INFINITY;
	const at = Math.min(now + readsIn, backlog?.endsAt ?? Number.POSITIVE_INFINITY);
	return Number.isFinite(at) ? at : undefined;
}
