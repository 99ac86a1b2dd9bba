import { isExchangeError } from '../errors';
import type { Ports } from '../ports';
import { bell, type Bell, type Hints } from './wakeup';
import type { Machine } from './machine';
import type { Answer, Effect, Evidence, IntentState, Outcome, Report } from './state';

/** What carrying out one kind of intent means: creating, cancelling and replacing differ in these four things only. */
export interface Deed {
	/** Throws what speaks against sending it. */
	check(): Promise<void>;
	/** Resolves when a crash could no longer make the intent forgotten. */
	record(): Promise<void>;
	/** One attempt, the same bytes every time. */
	send(): Promise<Answer>;
	/** Finds out whether it has happened. */
	read(): Promise<Evidence>;
}

export interface Means {
	ports: Pick<Ports, 'clock' | 'random'>;
	machine: Machine;
	signal?: AbortSignal;
	hints?: Hints;
}

export interface Pursued {
	outcome: Outcome;
	/** What is known at the end, for a later run of the same intent. */
	state: IntentState;
}

/** Carries one intent to its outcome: asks the machine what to do, does it, and reports what came of it. */
export async function pursue(begun: IntentState, deed: Deed, means: Means): Promise<Pursued> {
	const hint = bell(means.hints);
	try {
		let state = begun;
		let report: Report = { type: 'begun' };
		for (;;) {
			const step = means.machine.step(state, { ...report, at: means.ports.clock.now(), chance: means.ports.random() });
			state = step.state;
			if (step.effect.do === 'end') return { outcome: step.effect.outcome, state };
			// What was reported last has been taken in, so nothing that is known gets lost by stopping here.
			report = means.signal?.aborted ? { type: 'stopped' } : await perform(step.effect, deed, means, hint);
		}
	} finally {
		hint.close();
	}
}

type Due = Exclude<Effect, { do: 'end' }>;

async function perform(effect: Due, deed: Deed, { ports, signal }: Means, hint: Bell): Promise<Report> {
	switch (effect.do) {
		case 'check':
			return doing({ type: 'checked' }, () => deed.check());
		case 'record':
			return doing({ type: 'recorded' }, () => deed.record());
		case 'send':
			return { type: 'answered', answer: await deed.send() };
		case 'read':
			return { type: 'read', evidence: await deed.read() };
		case 'pause':
			await hint.orAfter(effect.delayMs, ports.clock, signal);
			return { type: hint.rang() ? 'hinted' : 'elapsed' };
	}
}

async function doing(done: Report, work: () => Promise<void>): Promise<Report> {
	try {
		await work();
		return done;
	} catch (error) {
		if (isExchangeError(error)) return { type: 'objected', error };
		throw error;
	}
}
