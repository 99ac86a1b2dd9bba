import { backoff } from '../backoff';
import { check, end, pause, send } from './transitions';
import type { Policy } from './policy';
import type { Evidence, Input, IntentState, Step } from './state';

/** What follows from what a reading showed. */
export function evident(policy: Policy, state: IntentState, input: Input & { type: 'read' }): Step {
	const { evidence } = input;
	switch (evidence.shows) {
		case 'effect':
			return end(state, { is: 'accepted', result: evidence.result, by: 'reading' });
		case 'contradiction':
			if (evidence.certain || !state.ambiguous) return end(state, { is: 'refused', error: evidence.error });
			return readLater(policy, { ...state, error: evidence.error }, input);
		case 'nothing':
			return state.phase === 'looking' ? check(state) : absent(policy, state, input, evidence.complete);
		case 'failure':
			return state.phase === 'looking'
				? unlooked(policy, state, input, evidence)
				: unread(policy, state, input, evidence);
	}
}

function absent(policy: Policy, state: IntentState, input: Input, complete: boolean): Step {
	if (state.closing && !state.ambiguous && complete) return end(state, { is: 'refused', error: state.error! });
	// A conflict without an order means that a request of this intent is still being worked on.
	const known: IntentState = { ...state, ambiguous: true, conflict: undefined };
	if (!complete || known.readsOnly || !policy.isSettled(known)) return readLater(policy, known, input);
	if (known.earlier && known.attempts === 0) return beginAfresh(policy, known, input.at);
	return policy.mayResend(known, input.at) ? send(known, input.at) : readLater(policy, known, input);
}

/** This run sends what an earlier one may have sent; the doubt about that one ends when nothing of it can arrive any more. */
function beginAfresh(policy: Policy, state: IntentState, at: number): Step {
	const isOver = at >= (state.lastAttemptAt ?? at) + policy.lateArrivalMs;
	return check({ ...state, earlier: false, ambiguous: !isOver });
}

function unread(
	policy: Policy,
	state: IntentState,
	input: Input,
	{ error, lasting }: Evidence & { shows: 'failure' },
): Step {
	const known = { ...state, error: state.error ?? error };
	return lasting ? end(known, { is: 'unknown', error: known.error }) : readLater(policy, known, input);
}

/** Nothing was sent yet, so a look that fails for good ends it with the reason. */
function unlooked(
	policy: Policy,
	state: IntentState,
	input: Input,
	{ error, lasting }: Evidence & { shows: 'failure' },
): Step {
	const delayMs = readPause(policy, state, input);
	const late = input.at + delayMs > state.startedAt + policy.deadlineMs;
	if (lasting || late || state.reads >= policy.attemptsMax) return end(state, { is: 'refused', error, unseen: true });
	return pause({ ...state, error }, 'look', delayMs);
}

/** Reads again after a while, or gives up saying more than that it is not known. */
export function readLater(policy: Policy, state: IntentState, input: Input): Step {
	const delayMs = readPause(policy, state, input);
	if (input.at + delayMs > state.startedAt + policy.deadlineMs)
		return end(state, { is: 'unknown', error: state.error });
	return pause(state, 'read', delayMs);
}

/** Growing, never nothing, and not past the moment from which finding nothing counts. */
function readPause(policy: Policy, state: IntentState, input: Input): number {
	const asked =
		input.type === 'read' && input.evidence.shows === 'failure' ? input.evidence.error.retryAfterMs : undefined;
	if (asked !== undefined) return asked;
	const { base, cap } = policy.readPauseMs;
	const grown = Math.max(
		base / 2,
		backoff({ base, cap }, state.reads + 1, () => input.chance),
	);
	const untilSettled = (state.lastAttemptAt ?? 0) + policy.settleMs - input.at;
	return untilSettled > 0 ? Math.min(grown, untilSettled) : grown;
}
