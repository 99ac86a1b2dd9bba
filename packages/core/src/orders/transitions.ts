import type { IntentState, Outcome, Step } from './state';

/** The transitions of an intent: each is a state and the one effect that belongs to it. */

export const check = (state: IntentState): Step => ({
	state: { ...state, phase: 'checking' },
	effect: { do: 'check' },
});

export const record = (state: IntentState): Step => ({
	state: { ...state, phase: 'recording' },
	effect: { do: 'record' },
});

export const send = (state: IntentState, at: number): Step => ({
	state: { ...state, phase: 'sending', attempts: state.attempts + 1, firstSentAt: state.firstSentAt ?? at },
	effect: { do: 'send' },
});

export const lookFirst = (state: IntentState, at: number): Step => looking('looking_first', state, at);

export const lookUp = (state: IntentState, at: number): Step => looking('looking_up', state, at);

const looking = (phase: 'looking_first' | 'looking_up', state: IntentState, at: number): Step => ({
	state: { ...state, phase, lookups: state.lookups + 1, lookupStartedAt: at },
	effect: { do: 'lookup' },
});

export const pause = (state: IntentState, next: IntentState['next'], delayMs: number): Step => ({
	state: { ...state, phase: 'pausing', next },
	effect: { do: 'pause', delayMs },
});

export const end = (state: IntentState, outcome: Outcome): Step => ({
	state: { ...state, phase: 'ended' },
	effect: { do: 'end', outcome },
});
