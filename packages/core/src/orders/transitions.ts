import type { IntentState, Outcome, Step } from './state';

/** The moves an intent can make: each is a state and the one thing to do in it. */

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

export const look = (state: IntentState, at: number): Step => reading('looking', state, at);

export const read = (state: IntentState, at: number): Step => reading('reading', state, at);

const reading = (phase: 'looking' | 'reading', state: IntentState, at: number): Step => ({
	state: { ...state, phase, reads: state.reads + 1, readStartedAt: at },
	effect: { do: 'read' },
});

export const pause = (state: IntentState, next: IntentState['next'], delayMs: number): Step => ({
	state: { ...state, phase: 'pausing', next },
	effect: { do: 'pause', delayMs },
});

export const end = (state: IntentState, outcome: Outcome): Step => ({
	state: { ...state, phase: 'ended' },
	effect: { do: 'end', outcome },
});
