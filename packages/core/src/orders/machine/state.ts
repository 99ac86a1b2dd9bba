import type { ExchangeError } from '../../errors';
import type { Failed } from '../../wire/attempt';
import type { Item } from '../../wire/payload';

/** What an intent is at. Which phase follows which is drawn in ARCHITECTURE.md. */
export type Phase =
	| 'started'
	| 'looking_first'
	| 'checking'
	| 'recording'
	| 'sending'
	| 'looking_up'
	/** The pauses, by what comes after them. */
	| 'before_looking_first'
	| 'before_sending'
	| 'before_looking_up'
	| 'ended';

/** The state of one intent. Plain data; only `step` makes the next state. */
export interface IntentState {
	phase: Phase;
	/** An earlier run may have sent this intent, so a lookup comes before anything is sent. */
	earlier: boolean;
	/** Other processes may use the same key, so a lookup comes before the first send and before a refusal. */
	lookupFirst: boolean;
	/**
	 * Why nothing more is sent, and lookups decide: a refusal that may be wrong, a conflict that lookups explain, or a run
	 * that only looks, as after a crash or an answer that shows an order.
	 */
	sendsNoMore?: 'refused' | 'conflict' | 'looks_only';
	startedAt: number;
	attempts: number;
	firstSentAt?: number;
	/** When the last attempt ended, or, for an attempt of an earlier run, the latest time it can have ended. */
	lastAttemptAt?: number;
	/** Nothing is sent again before: the service asked for a pause. */
	notBefore?: number;
	/** Some attempt may have been carried out: only evidence ends the intent as anything but unknown. */
	ambiguous: boolean;
	/** How often earlier runs were acknowledged and came to nothing: a cancel goes out again under another key. */
	acknowledged?: number;
	/** Attempts whose bytes were handed to a socket. The others changed nothing, and are reported as not sent. */
	sent: number;
	/** Lookups since the last attempt; the pauses between lookups grow with this count. */
	lookups: number;
	lookupStartedAt?: number;
	/** Why the last attempt or lookup left the intent open. */
	error?: ExchangeError;
}

/** The result of one attempt. */
export type AttemptResult =
	| { proof: 'done'; result: Item }
	/** `isHeldBack`: a refusal of this side, so that nothing was sent. */
	| (Failed & { isHeldBack?: true });

/** The result of one lookup. */
export type LookupResult =
	/** The intent has been carried out. */
	| { is: 'found'; result: Item }
	/** Nothing of the intent exists. `complete` says whether everything was read, `error` what was not. */
	| { is: 'absent'; complete: boolean; error?: ExchangeError }
	/**
	 * Another order, or another state of the order, was found. `certain`: this alone proves that the intent can no
	 * longer happen. `mayBeDone`: nothing proves that this is not the intent's own result.
	 */
	| { is: 'conflict'; error: ExchangeError; certain: boolean; mayBeDone?: boolean }
	/** The lookup failed, which never counts as finding nothing. */
	| { is: 'failed'; error: ExchangeError; lasting: boolean };

/** Inputs of the machine. `at` is the time, `chance` a number from 0 up to 1 for jitter. */
export type MachineInput = { at: number; chance: number } & Report;
export type Report =
	| { type: 'started' }
	| { type: 'checked' }
	| { type: 'rejected'; error: ExchangeError }
	| { type: 'recorded' }
	| { type: 'attempted'; attempt: AttemptResult }
	| { type: 'looked_up'; lookup: LookupResult }
	| { type: 'elapsed' }
	/** The stream named the order. */
	| { type: 'woken' }
	/** The caller stopped it. */
	| { type: 'stopped' };

/** The next effect; exactly one at a time. */
export type Effect =
	| { do: 'check' }
	| { do: 'record' }
	| { do: 'send' }
	| { do: 'lookup' }
	| { do: 'pause'; delayMs: number }
	| { do: 'end'; outcome: Outcome };

/** Accepted, with the order; refused, certainly not done; unknown; or stopped before anything was sent. */
export type Outcome =
	| { is: 'accepted'; result: Item; by: 'answer' | 'lookup' }
	| { is: 'refused'; error: ExchangeError }
	/** `unseen`: this run sent nothing, because a lookup could not tell whether the order exists already. */
	| { is: 'unknown'; error?: ExchangeError; unseen?: true }
	| { is: 'stopped' };

export interface Transition {
	state: IntentState;
	effect: Effect;
}

export function newIntent(startedAt: number, changes: Partial<IntentState> = {}): IntentState {
	return {
		phase: 'started',
		earlier: false,
		lookupFirst: false,
		startedAt,
		attempts: 0,
		ambiguous: false,
		sent: 0,
		lookups: 0,
		...changes,
	};
}

/** Whether the answer to an attempt waits for its last lookup. (Interface, part 4, rule 5, of a conflict: read or correct.) */
export const isClosing = ({ sendsNoMore }: IntentState): boolean =>
	sendsNoMore === 'refused' || sendsNoMore === 'conflict';

/** Whether a run ended where it began: it neither sent the intent nor knew of an earlier run that may have. */
export const isUntouched = (outcome: Outcome, { sent, earlier, ambiguous }: IntentState): boolean =>
	outcome.is === 'unknown' && outcome.unseen === true && sent === 0 && !earlier && !ambiguous;

/** The transitions of an intent: each is a state and its one effect. */

export const check = (state: IntentState): Transition => ({
	state: { ...state, phase: 'checking' },
	effect: { do: 'check' },
});

export const record = (state: IntentState): Transition => ({
	state: { ...state, phase: 'recording' },
	effect: { do: 'record' },
});

export const send = (state: IntentState, at: number): Transition => ({
	state: { ...state, phase: 'sending', attempts: state.attempts + 1, firstSentAt: state.firstSentAt ?? at },
	effect: { do: 'send' },
});

export const lookFirst = (state: IntentState, at: number): Transition => looking('looking_first', state, at);

export const lookUp = (state: IntentState, at: number): Transition => looking('looking_up', state, at);

const looking = (phase: 'looking_first' | 'looking_up', state: IntentState, at: number): Transition => ({
	state: { ...state, phase, lookups: state.lookups + 1, lookupStartedAt: at },
	effect: { do: 'lookup' },
});

export const pause = (state: IntentState, phase: Extract<Phase, `before_${string}`>, delayMs: number): Transition => ({
	state: { ...state, phase },
	effect: { do: 'pause', delayMs },
});

export const end = (state: IntentState, outcome: Outcome): Transition => ({
	state: { ...state, phase: 'ended' },
	effect: { do: 'end', outcome },
});
