import { backoff } from '../../backoff';
import type { ExchangeError } from '../../errors';
import { lookupLater, onLookup } from './on-lookup';
import { askedPause, orderPolicy, type Policy } from './policy';
import {
	check,
	end,
	type MachineInput,
	type IntentState,
	lookFirst,
	lookUp,
	pause,
	record,
	send,
	type Transition,
} from './state';

/** The states of an order intent, by one policy. */
export interface Machine {
	policy: Policy;
	/** One step of an intent: from its state and an input to the next state and the next effect. Pure. */
	step(state: IntentState, input: MachineInput): Transition;
}

/** The machine as shipped, or with another policy. */
export const orderMachine = (policy: Policy = orderPolicy()): Machine => ({
	policy,
	step: (state, input) => step(policy, state, input),
});

function step(policy: Policy, state: IntentState, input: MachineInput): Transition {
	switch (input.type) {
		case 'started':
			return begin(policy, state, input.at);
		case 'checked':
			return record(state);
		case 'rejected':
			// A check fails before this run has sent anything, but an earlier run may have sent the intent.
			return end(
				state,
				state.ambiguous ? { is: 'unknown', error: input.error, unseen: true } : { is: 'refused', error: input.error },
			);
		case 'recorded':
			return send(state, input.at);
		case 'attempted':
			return onAttempt(policy, state, input);
		case 'looked_up':
			return onLookup(policy, state, input);
		case 'elapsed':
			return afterPause(state, input.at);
		case 'woken':
			return state.phase === 'before_looking_first'
				? lookFirst(state, input.at)
				: lookUp({ ...state, ambiguous: true }, input.at);
		case 'stopped':
			return end(
				state,
				state.ambiguous || state.sendsNoMore || state.sent > 0
					? { is: 'unknown', error: state.error }
					: { is: 'stopped' },
			);
	}
}

function afterPause(state: IntentState, at: number): Transition {
	switch (state.phase) {
		case 'before_sending':
			return send(state, at);
		case 'before_looking_first':
			return lookFirst(state, at);
		default:
			return lookUp(state, at);
	}
}

function begin(policy: Policy, state: IntentState, at: number): Transition {
	switch (policy.firstStep(state)) {
		case 'check':
			return check(state);
		case 'look_first':
			return lookFirst(state, at);
		case 'look_up':
			return lookUp({ ...state, ambiguous: true, lastAttemptAt: state.lastAttemptAt ?? at }, at);
	}
}

/** The transition after an attempt. */
function onAttempt(policy: Policy, state: IntentState, input: MachineInput & { type: 'attempted' }): Transition {
	const { attempt, at } = input;
	if (attempt.proof === 'done')
		return end({ ...state, sent: state.sent + 1 }, { is: 'accepted', result: attempt.result, by: 'answer' });
	const sent = state.sent + (attempt.proof === 'unsent' || attempt.isHeldBack ? 0 : 1);
	const next = { ...state, sent, error: attempt.error, lookups: 0 };
	// An order that was shown may exist, whatever else the answer says: it is looked for, and never sent again.
	const isShown = attempt.showsOrder && attempt.proof !== 'conflict';
	if (isShown) next.sendsNoMore = 'looks_only';
	switch (isShown ? 'unknown' : attempt.proof) {
		case 'refused':
			if (policy.refusalIsFinal(next)) return end(next, { is: 'refused', error: attempt.error });
			if (next.ambiguous) return lookupLater(policy, next, input);
			return lookUp({ ...next, sendsNoMore: 'refused', lastAttemptAt: at }, at);
		case 'conflict':
			return lookUp({ ...next, sendsNoMore: 'conflict', lastAttemptAt: at }, at);
		case 'unknown':
			return lookUpInDoubt(policy, { ...next, ambiguous: true, lastAttemptAt: at }, input, attempt.error);
		case 'limited':
			return resend(policy, { ...next, lastAttemptAt: at }, input, attempt.error);
		case 'unsent':
			return resend(policy, next, input, attempt.error);
	}
}

/** A service that asks for a pause gets it from lookups as well, if one still fits in before the deadline. */
function lookUpInDoubt(policy: Policy, state: IntentState, { at }: MachineInput, error: ExchangeError): Transition {
	const askedMs = askedPause(error);
	if (askedMs === undefined) return lookUp(state, at);
	const next = { ...state, notBefore: at + askedMs };
	const delayMs = Math.max(policy.pauseMinMs, askedMs);
	return at + delayMs <= policy.endsAt(next) ? pause(next, 'before_looking_up', delayMs) : lookUp(next, at);
}

/** The attempt changed nothing: the same bytes are sent again after a pause, unless an earlier attempt is in doubt. */
function resend(policy: Policy, state: IntentState, { at, chance }: MachineInput, error: ExchangeError): Transition {
	const delayMs = Math.max(
		policy.pauseMinMs,
		askedPause(error) ?? 0,
		backoff(policy.resendPauseMs, state.attempts, () => chance),
	);
	const late = at + delayMs > state.startedAt + policy.deadlineMs;
	if (state.ambiguous) return late ? end(state, { is: 'unknown', error }) : pause(state, 'before_looking_up', delayMs);
	if (!late && policy.mayResend(state, at)) return pause(state, 'before_sending', delayMs);
	// A limited attempt may have been carried out before the service answered "too fast", and "unsent" may be wrong, so
	// a lookup comes before the intent is called refused.
	return lookUp({ ...state, sendsNoMore: 'refused', lastAttemptAt: at }, at);
}
