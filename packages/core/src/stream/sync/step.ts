import { ExchangeError } from '../../errors';
import { failureOf } from '../failure';
import type { Position } from '../position';
import { onRead, onReadFailed, onReadNothing, onWoken } from './backfill-end';
import { doubt, hold } from './doubt';
import { NOTHING, type TopicEffect, type TopicInput, type TopicRules } from './effects';
import { onConfirmed } from './on-confirmed';
import { onMessage } from './on-message';
import { onBaseline, onBaselineFailed, onJoined, onRejoined } from './on-subscribers';
import { resumesFrom } from './positions';
import { requestForNewcomers, wakesIn } from './schedule';
import { expectReplay, extendReplay } from './sequence';
import type { TopicState } from './state';
import { lose } from './subscribers';

/** One step of a topic: what follows from an input. Pure but for the state, which is changed in place. */
export function step(rules: TopicRules, state: TopicState, input: TopicInput, now: number): readonly TopicEffect[] {
	switch (input.type) {
		case 'data':
			return onMessage(rules, state, input, now);
		case 'requested':
			return onRequested(rules, state, input.resumeFrom);
		case 'confirmed':
			return onConfirmed(rules, state, input, now);
		case 'confirmed_again':
			extendReplay(state.sequence, input.head);
			return NOTHING;
		case 'lost':
			return onLost(state, input.heardAt);
		case 'refused':
			return onRefused(rules, state, input.error, now);
		case 'unavailable':
			state.failure = failureOf(input.error, now);
			return [{ do: 'tell_unavailable', error: input.error, againMs: input.againMs }];
		case 'joined':
			return onJoined(rules, state, input);
		case 'rejoined':
			return onRejoined(rules, state, input);
		case 'newcomers':
			return onNewcomers(rules, state, now);
		case 'baseline_read':
			return onBaseline(state, input, now);
		case 'baseline_failed':
			return onBaselineFailed(state, input, now);
		case 'doubted':
			return doubt(rules, state, undefined, now);
		case 'woken':
			return onWoken(rules, state, now);
		case 'read':
			return onRead(rules, state, input, now);
		case 'read_failed':
			return onReadFailed(rules, state, input, now);
		case 'read_nothing':
			return onReadNothing(rules, state, input.chance, now);
	}
}

function onRequested(rules: TopicRules, state: TopicState, resumeFrom: Position | undefined): readonly TopicEffect[] {
	state.isRefused = false;
	state.requested = { from: resumesFrom(rules, state) };
	expectReplay(state.sequence, resumeFrom, state.isConfirmed);
	return NOTHING;
}

function onRefused(
	{ isWildcard, topic }: TopicRules,
	state: TopicState,
	refusal: ExchangeError,
	now: number,
): readonly TopicEffect[] {
	const error = isWildcard ? wildcardRefused(topic, refusal) : refusal;
	state.failure = failureOf(error, now);
	state.isRefused = true;
	return [{ do: 'tell_refused', error }];
}

/** The syntax of wildcards is not shown, so a refusal may mean that this service writes them in another way. */
const wildcardRefused = (topic: string, { code, serviceMessage, serviceCode, what }: ExchangeError): ExchangeError =>
	new ExchangeError(code, {
		...{ operation: 'Stream', field: 'topics', serviceMessage, serviceCode },
		what: code === 'refused' ? `The service refuses the wildcard topic ${topic}` : what,
		advice: 'Choose the pairs one by one, or type the pattern that the service uses instead of *',
	});

function onNewcomers(rules: TopicRules, state: TopicState, now: number): readonly TopicEffect[] {
	if (requestForNewcomers(state.schedule, now)) hold(rules, state, now);
	return NOTHING;
}

/** A connection may have been dead for long before that is noticed, so what is missing begins with the last thing heard. */
function onLost(state: TopicState, heardAt: number): readonly TopicEffect[] {
	lose(state.subscribers);
	if (state.isConfirmed) state.lostAt = heardAt;
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
