import { onAttempt } from './on-attempt';
import { check, end, lookFirst, lookUp, record, send } from './transitions';
import { orderPolicy, type Policy } from './policy';
import { onLookup } from './on-lookup';
import type { Input, IntentState, Step } from './state';

export interface Machine {
	policy: Policy;
	/** One step of an intent: from what is known and what was seen, to what is known then and what to do next. Pure. */
	step(state: IntentState, input: Input): Step;
}

export const orderMachine = (policy: Policy = orderPolicy()): Machine => ({
	policy,
	step: (state, input) => step(policy, state, input),
});

function step(policy: Policy, state: IntentState, input: Input): Step {
	switch (input.type) {
		case 'started':
			return begin(policy, state, input.at);
		case 'checked':
			return record(state);
		case 'rejected':
			// It comes before the first send of a run, but an earlier one may have sent it.
			return end(
				state,
				state.ambiguous ? { is: 'unknown', error: input.error, unseen: true } : { is: 'refused', error: input.error },
			);
		case 'recorded':
			return send(state, input.at);
		case 'attempted':
			return onAttempt(policy, state, input);
		case 'looked_up':
			return onLookup(policy, state, input);
		case 'elapsed':
			return { send, look_first: lookFirst, look_up: lookUp }[state.next](state, input.at);
		case 'woken':
			return state.next === 'look_first' ? lookFirst(state, input.at) : lookUp({ ...state, ambiguous: true }, input.at);
		case 'stopped':
			return end(
				state,
				state.ambiguous || state.conflict || state.closing || state.reached
					? { is: 'unknown', error: state.error }
					: { is: 'stopped' },
			);
	}
}

function begin(policy: Policy, state: IntentState, at: number): Step {
	switch (policy.firstStep(state)) {
		case 'check':
			return check(state);
		case 'look_first':
			return lookFirst(state, at);
		case 'look_up':
			return lookUp({ ...state, ambiguous: true, lastAttemptAt: state.lastAttemptAt ?? at }, at);
	}
}
