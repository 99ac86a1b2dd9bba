import type { CallContext, Progress } from '../context';
import { ExchangeError, isExchangeError } from '../errors';
import type { Ports } from '../ports';
import { wakeup, type Wakeup, type WakeupSource } from './wakeup';
import type { Machine } from './machine/machine';
import { orderIdOf, textOf } from '../wire/payload';
import type { AttemptResult, Effect, LookupResult, IntentState, Outcome, Report } from './machine/state';

/** What differs between creating, cancelling and replacing an order. */
export interface Handler {
	/** Throws if the intent must not be sent. */
	check(): Promise<void>;
	/** Resolves when the intent is stored durably. */
	record(): Promise<void>;
	/** One attempt, the same bytes every time. */
	send(): Promise<AttemptResult>;
	/** Looks up whether the intent was carried out. */
	lookup(look: LookupScope): Promise<LookupResult>;
}

export interface LookupScope {
	/** Finding nothing decides the next step, so the lookup has to read everything. */
	isThorough: boolean;
	/** An earlier run may have sent the intent, so its order may be older than this run. */
	isEarlier: boolean;
}

export interface RunDependencies {
	ports: Pick<Ports, 'clock' | 'random'>;
	machine: Machine;
	signal?: AbortSignal;
	wakeups?: WakeupSource;
	progress?: CallContext['progress'];
}

export interface RunResult {
	outcome: Outcome;
	/** The final state, for a later run of the same intent. */
	state: IntentState;
}

/** The ID of the order an accepted intent placed. */
export const orderIdIn = ({ outcome }: RunResult): string | undefined =>
	outcome.is === 'accepted' ? (textOf(outcome.result, 'new_order_id') ?? orderIdOf(outcome.result)) : undefined;

/** Runs one intent to its outcome: asks the machine for the next effect, performs it, and reports the result back. */
export async function runIntent(begun: IntentState, handler: Handler, deps: RunDependencies): Promise<RunResult> {
	const pause = wakeup(deps.wakeups);
	try {
		let state = begun;
		let report: Report = { type: 'started' };
		for (;;) {
			const step = deps.machine.step(state, { ...report, at: deps.ports.clock.elapsed(), chance: deps.ports.random() });
			state = step.state;
			const { effect } = step;
			if (effect.do === 'end') return { outcome: effect.outcome, state };
			if (effect.do === 'send') tellStep('sending', state, deps);
			if (effect.do === 'lookup') tellStep('looking', state, deps);
			// The state already includes the last report, so stopping here loses nothing.
			if (deps.signal?.aborted) report = { type: 'stopped' };
			else
				try {
					report = await perform({ begun, state, effect }, handler, deps, pause);
				} catch (error) {
					// What fails around a request, such as the store of a host, says nothing of an order that was sent.
					if (!mayBeSent(state)) throw error;
					return { outcome: { is: 'unknown', error: isExchangeError(error) ? error : hostFailed() }, state };
				}
		}
	} finally {
		pause.close();
	}
}

const mayBeSent = ({ attempts, ambiguous, earlier }: IntentState): boolean => attempts > 0 || ambiguous || earlier;

/** Without what the host threw, because only its own errors may hold what they like. */
const hostFailed = (): ExchangeError =>
	new ExchangeError('unavailable', { what: 'The program around it failed before the outcome was known' });

function tellStep(doing: Progress['doing'], state: IntentState, { progress, machine, ports }: RunDependencies): void {
	const { attempts, lookups, error } = state;
	const limitMs = Math.max(0, machine.policy.endsAt(state) - ports.clock.elapsed());
	progress?.({ doing, attempts, attemptsMax: machine.policy.attemptsMax, lookups, limitMs, reason: error?.code });
}

type Due = Exclude<Effect, { do: 'end' }>;

/**
 * An early lookup may be cut short, because nothing depends on finding nothing. After the first and after a late lookup
 * the intent may be sent or refused, so these are thorough.
 */
const scopeOf = ({ policy }: Machine, state: IntentState, { earlier }: IntentState): LookupScope => ({
	isThorough: state.phase === 'looking_first' || state.sendsNoMore === 'refused' || policy.isConclusive(state),
	isEarlier: earlier,
});

/** Hands promises on as they are, because an order passes through here three times. */
function perform(
	{ begun, state, effect }: { begun: IntentState; state: IntentState; effect: Due },
	handler: Handler,
	{ ports, machine, signal }: RunDependencies,
	pause: Wakeup,
): Promise<Report> {
	switch (effect.do) {
		case 'check':
		case 'record':
			return prepare(effect.do, handler);
		case 'send':
			return handler.send().then((attempt) => ({ type: 'attempted', attempt }));
		case 'lookup':
			return handler.lookup(scopeOf(machine, state, begun)).then((lookup) => ({ type: 'looked_up', lookup }));
		case 'pause':
			return pause
				.orAfter(effect.delayMs, ports.clock, signal)
				.then((isWoken) => ({ type: isWoken ? 'woken' : 'elapsed' }));
	}
}

async function prepare(step: 'check' | 'record', handler: Handler): Promise<Report> {
	try {
		await handler[step]();
		return { type: step === 'check' ? 'checked' : 'recorded' };
	} catch (error) {
		if (isExchangeError(error)) return { type: 'rejected', error };
		throw error;
	}
}
