import { answered } from './on-attempt';
import { check, end, look, read, record, send } from './transitions';
import { createPolicy, type Policy } from './policy';
import { evident } from './on-lookup';
import type { Input, IntentState, Step } from './state';

export interface Machine {
	policy: Policy;
	/** One step of an intent: from what is known and what was seen, to what is known then and what to do next. Pure. */
	step(state: IntentState, input: Input): Step;
}

export const intentMachine = (policy: Policy = createPolicy()): Machine => ({
	policy,
	step: (state, input) => step(policy, state, input),
});

function step(policy: Policy, state: IntentState, input: Input): Step {
	switch (input.type) {
		case 'begun':
			return begin(policy, state, input.at);
		case 'checked':
			return record(state);
		case 'objected':
			return end(state, { is: state.ambiguous ? 'unknown' : 'refused', error: input.error });
		case 'recorded':
			return send(state, input.at);
		case 'answered':
			return answered(policy, state, input);
		case 'read':
			return evident(policy, state, input);
		case 'elapsed':
			return { send, look, read }[state.next](state, input.at);
		case 'hinted':
			return state.next === 'look' ? look(state, input.at) : read({ ...state, ambiguous: true }, input.at);
		case 'stopped':
			return end(state, state.ambiguous || state.conflict ? { is: 'unknown', error: state.error } : { is: 'stopped' });
	}
}

function begin(policy: Policy, state: IntentState, at: number): Step {
	switch (policy.opensWith(state)) {
		case 'check':
			return check(state);
		case 'look':
			return look(state, at);
		case 'read':
			return read({ ...state, ambiguous: true, lastAttemptAt: state.lastAttemptAt ?? at }, at);
	}
}
