import type { IntentState } from './state';

/** How patient an intent is, and the rules that decide what an observation proves. */
export interface Policy {
	attemptsMax: number;
	/** From the beginning to the outcome, not counting a request under way. */
	deadlineMs: number;
	/** After the first send. The service does not say how long it keeps a key; this is short enough for any. */
	resendWindowMs: number;
	/** An order may take this long to show in a list, so finding nothing earlier proves nothing. */
	settleMs: number;
	/** A request may be held up on its way for this long after its sender has given up on it. */
	lateArrivalMs: number;
	resendPauseMs: { base: number; cap: number };
	lookupPauseMs: { base: number; cap: number };
	/** A refusal proves nothing about an earlier attempt whose answer was lost. */
	refusalIsFinal(state: IntentState): boolean;
	/** Whether a reading that found nothing began late enough to count. */
	isSettled(state: IntentState): boolean;
	/** Whether the same bytes may go out once more. */
	mayResend(state: IntentState, at: number): boolean;
	/** What an intent begins with. */
	firstStep(state: IntentState): 'look_up' | 'look_first' | 'check';
}

const limits = {
	attemptsMax: 6,
	deadlineMs: 120_000,
	resendWindowMs: 300_000,
	settleMs: 15_000,
	lateArrivalMs: 300_000,
	resendPauseMs: { base: 500, cap: 8_000 },
	lookupPauseMs: { base: 1_000, cap: 8_000 },
};

export function orderPolicy(given: Partial<typeof limits> = {}): Policy {
	const chosen = { ...limits, ...given };
	return {
		...chosen,
		refusalIsFinal: (state) => !state.ambiguous,
		isSettled: (state) => (state.lookupStartedAt ?? 0) >= (state.lastAttemptAt ?? 0) + chosen.settleMs,
		mayResend: (state, at) =>
			!state.lookupOnly &&
			state.attempts < chosen.attemptsMax &&
			at - (state.firstSentAt ?? at) < chosen.resendWindowMs,
		firstStep: (state) => (state.earlier ? 'look_up' : state.lookupFirst ? 'look_first' : 'check'),
	};
}
