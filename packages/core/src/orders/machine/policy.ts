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
	/** Under every pause, whatever the service asks for. */
	pauseMinMs: number;
	resendPauseMs: { base: number; cap: number };
	lookupPauseMs: { base: number; cap: number };
	/**
	 * A refusal proves nothing about an earlier attempt whose answer was lost, nor about somebody else's under the same
	 * name. One about the key may come from something in front of the service that let the order pass.
	 */
	refusalIsFinal(state: IntentState): boolean;
	/** Whether a reading that found nothing began late enough to count. */
	isSettled(state: IntentState): boolean;
	/** Whether finding nothing, when no more is sent, makes a refusal final. */
	absenceCloses(state: IntentState, complete: boolean): boolean;
	/** Whether finding nothing proves that nothing was done: later than a request can arrive and show. */
	absenceIsFinal(state: IntentState): boolean;
	/** When it is given up. A refusal that waits for its last lookup may still wait for that. */
	endsAt(state: IntentState): number;
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
	pauseMinMs: 250,
	resendPauseMs: { base: 500, cap: 8_000 },
	lookupPauseMs: { base: 1_000, cap: 8_000 },
};

export function orderPolicy(given: Partial<typeof limits> = {}): Policy {
	const chosen = { ...limits, ...given };
	const isSettled = (state: IntentState): boolean =>
		(state.lookupStartedAt ?? 0) >= (state.lastAttemptAt ?? state.startedAt) + chosen.settleMs;
	return {
		...chosen,
		refusalIsFinal: (state) => !state.ambiguous && !state.lookupFirst && !isDenied(state),
		isSettled,
		absenceIsFinal: (state) =>
			state.lookupOnly &&
			(state.lookupStartedAt ?? 0) >= (state.lastAttemptAt ?? state.startedAt) + chosen.lateArrivalMs + chosen.settleMs,
		absenceCloses: (state, complete) => (isDenied(state) && !state.lookupFirst ? true : complete && isSettled(state)),
		endsAt: (state) =>
			Math.max(state.startedAt + chosen.deadlineMs, state.closing ? (state.lastAttemptAt ?? 0) + chosen.settleMs : 0),
		mayResend: (state, at) =>
			!state.lookupOnly &&
			state.attempts < chosen.attemptsMax &&
			at - (state.firstSentAt ?? at) < chosen.resendWindowMs,
		firstStep: (state) => (state.earlier ? 'look_up' : state.lookupFirst ? 'look_first' : 'check'),
	};
}

/** The service looks at the key before anything else, so one lookup without delay is enough. (Interface, part 5.) */
const isDenied = ({ error }: IntentState): boolean => error?.code === 'unauthorized' || error?.code === 'forbidden';
