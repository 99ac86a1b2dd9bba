import type { Position } from '../position';
import { caughtUp, doubt, hold } from './doubt';
import { NOTHING, type TopicEffect, type TopicInput, type TopicRules } from './effects';
import { onConfirmed } from './on-confirmed';
import { onMessage } from './on-message';
import { onRead, onReadFailed, onWoken } from './backfill-end';
import { lose } from './subscribers';
import { onBaseline, onBaselineFailed, onJoined, onRejoined } from './on-subscribers';
import { finish, requestForNewcomers, wakesIn } from './schedule';
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
			return onLost(state, now);
		case 'refused':
			state.isRefused = true;
			return NOTHING;
		case 'joined':
			return onJoined(rules, state, input);
		case 'rejoined':
			return onRejoined(rules, state, input);
		case 'newcomers':
			if (requestForNewcomers(state.schedule, now)) hold(rules, state, now);
			return NOTHING;
		case 'baseline_read':
			return onBaseline(state, input, now);
		case 'baseline_failed':
			return onBaselineFailed(state, input, now);
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

function onLost(state: TopicState, now: number): readonly TopicEffect[] {
	lose(state.subscribers);
	if (state.isConfirmed) state.lostAt = now;
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
