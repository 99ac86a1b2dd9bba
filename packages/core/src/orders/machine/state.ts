import type { ExchangeError } from '../../errors';
import type { Proof } from '../../wire/exchange';
import type { Item } from '../../wire/payload';

/** What is known about one intent and what it waits for. Plain data; `step` alone makes the next one. */
export interface IntentState {
	phase: 'started' | 'looking_first' | 'checking' | 'recording' | 'sending' | 'pausing' | 'looking_up' | 'ended';
	/** An earlier run may have sent this intent, so it is resolved before anything is sent. */
	earlier: boolean;
	/** Others may work under the same name, so an existing order is looked for before the first send and before a refusal. */
	lookupFirst: boolean;
	/** Never sends: after a crash the intent is only read. */
	lookupOnly: boolean;
	startedAt: number;
	attempts: number;
	firstSentAt?: number;
	/** When the last attempt ended, or, for an attempt of an earlier run, the latest time it can have ended. */
	lastAttemptAt?: number;
	/** Some attempt may have worked: only evidence ends the intent as anything but unknown. */
	ambiguous: boolean;
	/** The service named a conflict that no reading has explained yet. */
	conflict?: ExchangeError;
	/** Nothing more is sent; lookups decide. */
	closing: boolean;
	/** An attempt reached the service, which turned it away. */
	reached: boolean;
	/** Readings since the last attempt, which their pauses grow with. */
	lookups: number;
	lookupStartedAt?: number;
	/** What the pause is followed by. */
	next: 'look_first' | 'send' | 'look_up';
	/** Why the last attempt or reading did not settle it. */
	error?: ExchangeError;
}

/** What one attempt came to. */
export type AttemptResult =
	| { proof: 'done'; result: Item }
	/** `isUnknown`: a refusal by a word the service does not document, which may also follow what was done. */
	| { proof: Exclude<Proof, 'done'>; error: ExchangeError; isUnknown?: boolean };

/** What one reading showed. */
export type LookupResult =
	/** What was intended has happened. */
	| { is: 'found'; result: Item }
	/** Nothing of it is there. `complete` says whether everything was looked at, `error` what was not. */
	| { is: 'absent'; complete: boolean; error?: ExchangeError }
	/**
	 * Something else stands in its place; `certain` when that alone proves that it cannot happen any more, `mayBeDone` when
	 * nothing proves that it is not what was intended.
	 */
	| { is: 'conflict'; error: ExchangeError; certain: boolean; mayBeDone?: boolean }
	/** The reading failed, which is never the same as finding nothing. */
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

/** Accepted, with what exists; refused, certainly not done; unknown; or stopped before anything was sent. */
export type Outcome =
	| { is: 'accepted'; result: Item; by: 'answer' | 'lookup' }
	/** `unseen`: nothing was sent, because the look for an earlier order failed. */
	| { is: 'refused'; error: ExchangeError; unseen?: true }
	/** `unseen`: this run sent nothing, because it could not see whether there is one already. */
	| { is: 'unknown'; error?: ExchangeError; unseen?: true }
	| { is: 'stopped' };

export interface Transition {
	state: IntentState;
	effect: Effect;
}

export function newIntent(startedAt: number, given: Partial<IntentState> = {}): IntentState {
	return {
		phase: 'started',
		earlier: false,
		lookupFirst: false,
		lookupOnly: false,
		startedAt,
		attempts: 0,
		ambiguous: false,
		closing: false,
		reached: false,
		lookups: 0,
		next: 'send',
		...given,
	};
}

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

export const pause = (state: IntentState, next: IntentState['next'], delayMs: number): Transition => ({
	state: { ...state, phase: 'pausing', next },
	effect: { do: 'pause', delayMs },
});

export const end = (state: IntentState, outcome: Outcome): Transition => ({
	state: { ...state, phase: 'ended' },
	effect: { do: 'end', outcome },
});
