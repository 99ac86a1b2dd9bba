import { backoff } from '../backoff';
import type { ExchangeError } from '../errors';
import { lookupLater } from './on-lookup';
import type { Policy } from './policy';
import type { Input, IntentState, Step } from './state';
import { end, lookUp, pause } from './transitions';

/** What follows from the answer to an attempt. */
export function onAttempt(policy: Policy, state: IntentState, input: Input & { type: 'attempted' }): Step {
	const { attempt, at } = input;
	if (attempt.proof === 'done') return end(state, { is: 'accepted', result: attempt.result, by: 'answer' });
	const known = { ...state, error: attempt.error, lookups: 0 };
	switch (attempt.proof) {
		case 'refused':
			if (!attempt.isUnknown && policy.refusalIsFinal(known))
				return end(known, { is: 'refused', error: attempt.error });
			if (known.ambiguous) return lookupLater(policy, known, input);
			return lookUp({ ...known, closing: true, lastAttemptAt: at }, at);
		case 'conflict':
			return lookUp({ ...known, conflict: attempt.error, lastAttemptAt: at }, at);
		case 'unknown':
			return lookUp({ ...known, ambiguous: true, lastAttemptAt: at }, at);
		case 'limited':
			return resend(policy, { ...known, reached: true, lastAttemptAt: at }, input, attempt.error);
		case 'unsent':
			return resend(policy, known, input, attempt.error);
	}
}

/** The attempt changed nothing: the same bytes go out again after a pause, unless an earlier attempt is in doubt. */
function resend(policy: Policy, state: IntentState, { at, chance }: Input, error: ExchangeError): Step {
	const delayMs = Math.max(
		policy.pauseMinMs,
		error.retryAfterMs ?? 0,
		backoff(policy.resendPauseMs, state.attempts, () => chance),
	);
	const late = at + delayMs > state.startedAt + policy.deadlineMs;
	if (state.ambiguous) return late ? end(state, { is: 'unknown', error }) : pause(state, 'look_up', delayMs);
	if (!late && policy.mayResend(state, at)) return pause(state, 'send', delayMs);
	// What was reached may have acted before it said "too fast", and a verdict that nothing left may be wrong, so whether it
	// was done is looked up before saying that it was not.
	return lookUp({ ...state, closing: true, lastAttemptAt: at }, at);
}
