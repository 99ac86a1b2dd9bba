import { isOfKey, type ExchangeError } from '../../errors';
import { RETRY_AFTER_MS_MAX } from '../../wire/rate-limiter';
import { isClosing, type IntentState } from './state';

const limits = {
	attemptsMax: 6,
	/** From the start to the outcome, not counting a request in flight. */
	deadlineMs: 120_000,
	/** After the first send. The interface does not say how long the service keeps a key, so the window is short. */
	resendWindowMs: 300_000,
	/** An order may take this long to appear in a list; finding nothing earlier proves nothing. */
	conclusiveMs: 15_000,
	/** A request may still arrive this long after its sender has given up waiting for the answer. */
	lateArrivalMs: 300_000,
	/** Lower bound of every pause, even when the service asks for a shorter one. */
	pauseMinMs: 250,
	resendPauseMs: { base: 500, cap: 8_000 },
	lookupPauseMs: { base: 1_000, cap: 8_000 },
};

/** How long to wait where the service asks for a pause. After a longer one it is asked again in any case. */
export const askedPause = ({ retryAfterMs }: ExchangeError): number | undefined =>
	retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);

/** How long after a request finding nothing is proof: it may arrive late, and its order may take time to show. */
export const absenceMs = ({
	lateArrivalMs,
	conclusiveMs,
}: Pick<typeof limits, 'lateArrivalMs' | 'conclusiveMs'>): number => lateArrivalMs + conclusiveMs;

/** The limits of one order intent as shipped, with changes for tests, and the rules that decide what an observation proves. */
export function orderPolicy(changes: Partial<typeof limits> = {}) {
	const chosen = { ...limits, ...changes };
	/** Whether a lookup that found nothing began late enough to prove something. */
	const isConclusive = (state: IntentState): boolean => beganAfter(state, chosen.conclusiveMs);
	return {
		...chosen,
		/**
		 * Whether a refusal ends the intent. It does not when an earlier attempt has lost its answer or another process may
		 * use the same key; nor when it concerns the API key, because a proxy may have refused after the service accepted.
		 */
		refusalIsFinal: (state: IntentState): boolean => !state.ambiguous && !state.lookupFirst && !isDenied(state),
		isConclusive,
		/**
		 * Whether finding nothing proves that nothing was done: the lookup began after any request could have arrived and
		 * shown.
		 */
		absenceIsFinal: (state: IntentState): boolean =>
			state.sendsNoMore === 'looks_only' && beganAfter(state, absenceMs(chosen)),
		/** Whether finding nothing makes a refusal final, when nothing more will be sent. */
		absenceCloses: (state: IntentState, complete: boolean): boolean =>
			(isDenied(state) && !state.lookupFirst && state.sendsNoMore === 'refused') || (complete && isConclusive(state)),
		/** When the intent ends as unknown. A refusal that waits for its last lookup may wait for that one. */
		endsAt: (state: IntentState): number =>
			Math.max(
				state.startedAt + chosen.deadlineMs,
				isClosing(state) ? (state.lastAttemptAt ?? 0) + chosen.conclusiveMs : 0,
			),
		/** Whether the same bytes may be sent again. */
		mayResend: (state: IntentState, at: number): boolean =>
			state.sendsNoMore === undefined &&
			at >= (state.notBefore ?? at) &&
			state.attempts < chosen.attemptsMax &&
			at - (state.firstSentAt ?? at) < chosen.resendWindowMs,
		/** The first step of a run. */
		firstStep: (state: IntentState): 'look_up' | 'look_first' | 'check' =>
			state.earlier ? 'look_up' : state.lookupFirst ? 'look_first' : 'check',
	};
}

/** The time limits of an intent in milliseconds, and what an observation proves. */
export type Policy = ReturnType<typeof orderPolicy>;

/** Whether the lookup began so long after the last attempt. */
const beganAfter = ({ lookupStartedAt = 0, lastAttemptAt, startedAt }: IntentState, ms: number): boolean =>
	lookupStartedAt >= (lastAttemptAt ?? startedAt) + ms;

/** The service checks the key before anything else, so one lookup without delay is enough. (Interface, part 5.) */
const isDenied = ({ error }: IntentState): boolean => isOfKey(error);
