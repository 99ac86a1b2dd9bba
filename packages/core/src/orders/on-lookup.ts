import { backoff } from '../backoff';
import { check, end, pause, send } from './transitions';
import type { Policy } from './policy';
import type { LookupResult, Input, IntentState, Step } from './state';

/** What follows from what a reading showed. */
export function onLookup(policy: Policy, state: IntentState, input: Input & { type: 'looked_up' }): Step {
	const { lookup } = input;
	switch (lookup.is) {
		case 'found':
			return end(state, { is: 'accepted', result: lookup.result, by: 'lookup' });
		case 'conflict':
			if (lookup.certain || !state.ambiguous) return end(state, { is: 'refused', error: lookup.error });
			return lookupLater(policy, { ...state, error: lookup.error }, input);
		case 'absent':
			return state.phase === 'looking_first' ? check(state) : onAbsent(policy, state, input, lookup.complete);
		case 'failed':
			return state.phase === 'looking_first'
				? onFailedFirstLookup(policy, state, input, lookup)
				: onFailedLookup(policy, state, input, lookup);
	}
}

function onAbsent(policy: Policy, state: IntentState, input: Input, complete: boolean): Step {
	if (state.closing && !state.ambiguous && complete) return end(state, { is: 'refused', error: state.error! });
	// A conflict without an order means that a request of this intent is still being worked on.
	const known: IntentState = { ...state, ambiguous: true, conflict: undefined };
	if (!complete || known.lookupOnly || !policy.isSettled(known)) return lookupLater(policy, known, input);
	if (known.earlier && known.attempts === 0) return startFresh(policy, known, input.at);
	return policy.mayResend(known, input.at) ? send(known, input.at) : lookupLater(policy, known, input);
}

/** This run sends what an earlier one may have sent; the doubt about that one ends when nothing of it can arrive any more. */
function startFresh(policy: Policy, state: IntentState, at: number): Step {
	const isOver = at >= (state.lastAttemptAt ?? at) + policy.lateArrivalMs;
	return check({ ...state, earlier: false, ambiguous: !isOver });
}

function onFailedLookup(
	policy: Policy,
	state: IntentState,
	input: Input,
	{ error, lasting }: LookupResult & { is: 'failed' },
): Step {
	const known = { ...state, error: state.error ?? error };
	return lasting ? end(known, { is: 'unknown', error: known.error }) : lookupLater(policy, known, input);
}

/** Nothing was sent yet, so a look that fails for good ends it with the reason. */
function onFailedFirstLookup(
	policy: Policy,
	state: IntentState,
	input: Input,
	{ error, lasting }: LookupResult & { is: 'failed' },
): Step {
	const delayMs = lookupPause(policy, state, input);
	const late = input.at + delayMs > state.startedAt + policy.deadlineMs;
	if (lasting || late || state.lookups >= policy.attemptsMax) return end(state, { is: 'refused', error, unseen: true });
	return pause({ ...state, error }, 'look_first', delayMs);
}

/** Reads again after a while, or gives up saying more than that it is not known. */
export function lookupLater(policy: Policy, state: IntentState, input: Input): Step {
	const delayMs = lookupPause(policy, state, input);
	if (input.at + delayMs > state.startedAt + policy.deadlineMs)
		return end(state, { is: 'unknown', error: state.error });
	return pause(state, 'look_up', delayMs);
}

/** Growing, never nothing, and not past the moment from which finding nothing counts. */
function lookupPause(policy: Policy, state: IntentState, input: Input): number {
	const asked =
		input.type === 'looked_up' && input.lookup.is === 'failed' ? input.lookup.error.retryAfterMs : undefined;
	if (asked !== undefined) return asked;
	const { base, cap } = policy.lookupPauseMs;
	const grown = Math.max(
		base / 2,
		backoff({ base, cap }, state.lookups + 1, () => input.chance),
	);
	const untilSettled = (state.lastAttemptAt ?? 0) + policy.settleMs - input.at;
	return untilSettled > 0 ? Math.min(grown, untilSettled) : grown;
}
