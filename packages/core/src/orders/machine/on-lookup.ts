import { backoff } from '../../backoff';
import { ExchangeError } from '../../errors';
import { askedPause, type Policy } from './policy';
import {
	check,
	end,
	isClosing,
	type MachineInput,
	type IntentState,
	type LookupResult,
	pause,
	send,
	type Transition,
} from './state';

/** The transition after a lookup. */
export function onLookup(policy: Policy, state: IntentState, input: MachineInput & { type: 'looked_up' }): Transition {
	const { lookup } = input;
	switch (lookup.is) {
		case 'found':
			return end(state, { is: 'accepted', result: lookup.result, by: 'lookup' });
		case 'conflict':
			return onConflict(policy, state, input, lookup);
		case 'absent':
			return state.phase === 'looking_first'
				? onFirstAbsent(state, lookup)
				: onAbsent(policy, state, input, lookup.complete);
		case 'failed':
			return state.phase === 'looking_first'
				? onFailedFirstLookup(policy, state, input, lookup)
				: onFailedLookup(policy, state, input, lookup);
	}
}

/** An order that differs from the intent proves a refusal only when the intent's own order can no longer appear. */
function onConflict(
	policy: Policy,
	state: IntentState,
	input: MachineInput,
	{ error, certain, mayBeDone = false }: LookupResult & { is: 'conflict' },
): Transition {
	const next = { ...state, error };
	const isFirst = state.phase === 'looking_first';
	// Another process may have sent the intent under a shared key, and an attempt that was turned away may have passed.
	const isOpen = state.ambiguous || (mayBeDone && (state.lookupFirst || state.sendsNoMore === 'refused'));
	// What the service does not find may be too new to be found.
	const isEarly = (certain || error.code === 'not_found') && !policy.isConclusive(state);
	if (!isEarly && (certain || !isOpen)) return end(next, { is: 'refused', error });
	if (isFirst && policy.isConclusive(state)) return end(next, { is: 'unknown', error, unseen: true });
	return isFirst
		? pause(next, 'before_looking_first', lookupPause(policy, next, input))
		: lookupLater(policy, next, input);
}

/** An incomplete lookup cannot exclude that the order exists, so nothing is sent. */
const onFirstAbsent = (state: IntentState, { complete, error }: LookupResult & { is: 'absent' }): Transition =>
	complete ? check(state) : end(state, { is: 'unknown', error, unseen: true });

function onAbsent(policy: Policy, state: IntentState, input: MachineInput, complete: boolean): Transition {
	if (isClosing(state) && !state.ambiguous) {
		return policy.absenceCloses(state, complete)
			? end(state, { is: 'refused', error: state.error! })
			: lookupLater(policy, state, input);
	}
	const next: IntentState = { ...state, ambiguous: true };
	if (complete && policy.absenceIsFinal(next)) return end(next, { is: 'refused', error: neverExecuted() });
	if (!complete || next.sendsNoMore || !policy.isConclusive(next)) return lookupLater(policy, next, input);
	if (next.earlier && next.attempts === 0) return startFresh(policy, next, input.at);
	return policy.mayResend(next, input.at) ? send(next, input.at) : lookupLater(policy, next, input);
}

const neverExecuted = (): ExchangeError =>
	new ExchangeError('not_found', {
		what: 'The service has no record of it, and it can no longer arrive',
		advice: 'Send it again if it is still wanted',
	});

/**
 * This run sends an intent that an earlier run may have sent. The intent stays ambiguous while a request of that run
 * can still arrive.
 */
function startFresh(policy: Policy, state: IntentState, at: number): Transition {
	const isOver = at >= (state.lastAttemptAt ?? at) + policy.lateArrivalMs;
	return check({ ...state, earlier: false, ambiguous: !isOver });
}

function onFailedLookup(
	policy: Policy,
	state: IntentState,
	input: MachineInput,
	{ error, lasting }: LookupResult & { is: 'failed' },
): Transition {
	const next = { ...state, error: state.error ?? error };
	// An equal error of the write and of the lookup proves that the write was not done. The service checks the key before
	// anything else (Interface, part 5). What never left this machine was not done. "Too many requests" is a
	// refusal (Interface, part 4, rule 5), but only from the first lookup after the write: later ones may have caused it
	// themselves.
	const isAlike =
		state.sendsNoMore === 'refused' && !state.ambiguous && !state.lookupFirst && state.error?.code === error.code;
	const isNothing =
		(error.code === 'rate_limited' && state.lookups === 1) ||
		(['unreachable', 'timeout'].includes(error.code) && state.sent === 0);
	if (isAlike && (lasting || isNothing)) return end(next, { is: 'refused', error: next.error });
	return lasting ? end(next, { is: 'unknown', error: next.error }) : lookupLater(policy, next, input);
}

/**
 * Nothing was sent yet in this run, and an order under this name may exist, so a first lookup that fails for good leaves
 * the outcome unknown.
 */
function onFailedFirstLookup(
	policy: Policy,
	state: IntentState,
	input: MachineInput,
	{ error, lasting }: LookupResult & { is: 'failed' },
): Transition {
	const delayMs = lookupPause(policy, state, input);
	const late = input.at + delayMs > state.startedAt + policy.deadlineMs;
	if (lasting || late || state.lookups >= policy.attemptsMax) return end(state, { is: 'unknown', error, unseen: true });
	return pause({ ...state, error }, 'before_looking_first', delayMs);
}

/** Schedules another lookup, or ends the intent as unknown when that lookup would come too late. */
export function lookupLater(policy: Policy, state: IntentState, input: MachineInput): Transition {
	const delayMs = lookupPause(policy, state, input);
	if (input.at + delayMs > policy.endsAt(state)) return end(state, { is: 'unknown', error: state.error });
	return pause(state, 'before_looking_up', delayMs);
}

/**
 * The pause before the next lookup: growing, never zero, and no longer than until the moment when finding nothing
 * counts.
 */
function lookupPause(policy: Policy, state: IntentState, input: MachineInput): number {
	const pauseMs =
		input.type === 'looked_up' && input.lookup.is === 'failed' ? askedPause(input.lookup.error) : undefined;
	const { base, cap } = policy.lookupPauseMs;
	const grown = Math.max(
		base / 2,
		backoff({ base, cap }, state.lookups + 1, () => input.chance),
	);
	if (pauseMs !== undefined) return Math.max(policy.pauseMinMs, pauseMs);
	const untilConclusive = (state.lastAttemptAt ?? state.startedAt) + policy.conclusiveMs - input.at;
	if (untilConclusive > 0) return Math.min(grown, untilConclusive);
	// Late lookups read many pages, so all intents schedule them at the same moments and share one read.
	return (Math.floor(input.at / cap) + 2) * cap - input.at;
}
