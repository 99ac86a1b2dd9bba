import { backoff } from '../backoff';
import type { ExchangeError } from '../errors';
import { end, pause, read } from './transitions';
import type { Policy } from './policy';
import { readLater } from './on-lookup';
import type { Input, IntentState, Step } from './state';

/** What follows from the answer to an attempt. */
export function answered(policy: Policy, state: IntentState, input: Input & { type: 'answered' }): Step {
	const { answer, at } = input;
	if (answer.proof === 'done') return end(state, { is: 'accepted', result: answer.result, by: 'answer' });
	const known = { ...state, error: answer.error, reads: 0 };
	switch (answer.proof) {
		case 'refused':
			return policy.refusalIsFinal(known)
				? end(known, { is: 'refused', error: answer.error })
				: readLater(policy, known, input);
		case 'conflict':
			return read({ ...known, conflict: answer.error, lastAttemptAt: at }, at);
		case 'unknown':
			return read({ ...known, ambiguous: true, lastAttemptAt: at }, at);
		case 'unsent':
		case 'limited':
			return again(policy, known, input, answer.error);
	}
}

/** The attempt changed nothing: the same bytes go out again after a pause, unless an earlier attempt is in doubt. */
function again(policy: Policy, state: IntentState, { at, chance }: Input, error: ExchangeError): Step {
	const delayMs = Math.max(
		error.retryAfterMs ?? 0,
		backoff(policy.resendPauseMs, state.attempts, () => chance),
	);
	const late = at + delayMs > state.startedAt + policy.deadlineMs;
	if (state.ambiguous) return late ? end(state, { is: 'unknown', error }) : pause(state, 'read', delayMs);
	if (!late && policy.mayResend(state, at)) return pause(state, 'send', delayMs);
	// The limit is enforced before an order is made, yet whether one was made is asked once before saying so.
	if (error.code === 'rate_limited') return read({ ...state, closing: true }, at);
	return end(state, { is: 'refused', error });
}
