import type { Proof } from '../wire/exchange';
import type { Item } from '../wire/payload';
import type { ExchangeError } from '../errors';

/** What is known about one intent and what it waits for. Plain data; `step` alone makes the next one. */
export interface IntentState {
	phase: 'begun' | 'looking' | 'checking' | 'recording' | 'sending' | 'pausing' | 'reading' | 'ended';
	/** An earlier run may have sent this intent, so it is resolved before anything is sent. */
	earlier: boolean;
	/** Look for an existing order once before the first send. */
	looksFirst: boolean;
	/** Never sends: after a crash the intent is only read. */
	readsOnly: boolean;
	startedAt: number;
	attempts: number;
	firstSentAt?: number;
	/** When the last attempt ended, or, for an attempt of an earlier run, the latest time it can have ended. */
	lastAttemptAt?: number;
	/** Some attempt may have worked: only evidence ends the intent as anything but unknown. */
	ambiguous: boolean;
	/** The service named a conflict that no reading has explained yet. */
	conflict?: ExchangeError;
	/** Attempts are used up; one reading decides. */
	closing: boolean;
	/** Readings since the last attempt, which their pauses grow with. */
	reads: number;
	readStartedAt?: number;
	/** What the pause is followed by. */
	next: 'look' | 'send' | 'read';
	/** Why the last attempt or reading did not settle it. */
	error?: ExchangeError;
}

/** What one attempt came to. */
export type Answer = { proof: 'done'; result: Item } | { proof: Exclude<Proof, 'done'>; error: ExchangeError };

/** What one reading showed. */
export type Evidence =
	/** What was intended has happened. */
	| { shows: 'effect'; result: Item }
	/** Nothing of it is there. `complete` says whether everything was looked at. */
	| { shows: 'nothing'; complete: boolean }
	/** Something else stands in its place; `certain` when that alone proves that it cannot happen any more. */
	| { shows: 'contradiction'; error: ExchangeError; certain: boolean }
	/** The reading failed, which is never the same as finding nothing. */
	| { shows: 'failure'; error: ExchangeError; lasting: boolean };

/** What the outside reports. `at` is the time, `chance` a number from 0 up to 1 for jitter. */
export type Input = { at: number; chance: number } & Report;
export type Report =
	| { type: 'begun' }
	| { type: 'checked' }
	| { type: 'objected'; error: ExchangeError }
	| { type: 'recorded' }
	| { type: 'answered'; answer: Answer }
	| { type: 'read'; evidence: Evidence }
	| { type: 'elapsed' }
	/** The stream named the order. */
	| { type: 'hinted' }
	/** The caller stopped it. */
	| { type: 'stopped' };

/** What is to be done next; exactly one thing at a time. */
export type Effect =
	| { do: 'check' }
	| { do: 'record' }
	| { do: 'send' }
	| { do: 'read' }
	| { do: 'pause'; delayMs: number }
	| { do: 'end'; outcome: Outcome };

/** Accepted, with what exists; refused, certainly not done; unknown; or stopped before anything was sent. */
export type Outcome =
	| { is: 'accepted'; result: Item; by: 'answer' | 'reading' }
	/** `unseen`: nothing was sent, because the look for an earlier order failed. */
	| { is: 'refused'; error: ExchangeError; unseen?: true }
	| { is: 'unknown'; error?: ExchangeError }
	| { is: 'stopped' };

export interface Step {
	state: IntentState;
	effect: Effect;
}

export function newIntent(startedAt: number, given: Partial<IntentState> = {}): IntentState {
	return {
		phase: 'begun',
		earlier: false,
		looksFirst: false,
		readsOnly: false,
		startedAt,
		attempts: 0,
		ambiguous: false,
		closing: false,
		reads: 0,
		next: 'send',
		...given,
	};
}
