import { backoff } from '../backoff';
import type { ExchangeError } from '../errors';
import { end, lookUp, pause } from './transitions';
import type { Policy } from './policy';
import { lookupLater } from './on-lookup';
import type { Input, IntentState, Step } from './state';

/** What follows from the answer to an attempt. */
export function onAttempt(policy: Policy, state: IntentState, input: Input & { type: 'attempted' }): Step {
	const { attempt, at } = input;
	if (attempt.proof === 'done') return end(state, { is: 'accepted', result: attempt.result, by: 'answer' });
	const known = { ...state, error: attempt.error, lookups: 0 };
	switch (attempt.proof) {
		case 'refused':
			return policy.refusalIsFinal(known)
				? end(known, { is: 'refused', error: attempt.error })
				: lookupLater(policy, known, input);
		case 'conflict':
			return lookUp({ ...known, conflict: attempt.error, lastAttemptAt: at }, at);
		case 'unknown':
			return lookUp({ ...known, ambiguous: true, lastAttemptAt: at }, at);
		case 'unsent':
		case 'limited':
			return resend(policy, known, input, attempt.error);
	}
}

/** The attempt changed nothing: the same bytes go out again after a pause, unless an earlier attempt is in doubt. */
function resend(policy: Policy, state: IntentState, { at, chance }: Input, error: ExchangeError): Step {
	const delayMs = Math.max(
		error.retryAfterMs ?? 0,
		backoff(policy.resendPauseMs, state.attempts, () => chance),
	);
	const late = at + delayMs > state.startedAt + policy.deadlineMs;
	if (state.ambiguous) return late ? end(state, { is: 'unknown', error }) : pause(state, 'look_up', delayMs);
	if (!late && policy.mayResend(state, at)) return pause(state, 'send', delayMs);
	// The limit is enforced before an order is made, yet whether one was made is asked once before saying so.
	if (error.code === 'rate_limited') return lookUp({ ...state, closing: true }, at);
	return end(state, { is: 'refused', error });
}
