import type { Clock } from '../../ports';
import { createWake } from '../wake';
import type { TopicEffect, TopicInput, TopicRules } from './effects';
import { wakesIn } from './schedule';
import type { TopicState } from './state';
import { step } from './step';

/** Calls `step` when something happens to a topic or is due, and has the effects performed. */
export interface Stepper {
	/** `details`: what the effects of this input need beside it. */
	happened(input: TopicInput, details?: Details): void;
	/** Aborted by `stop`. */
	readonly signal: AbortSignal;
	stop(): void;
}

/** Of a message its time of arrival, of a confirmation its snapshot, of a failure its error. */
export interface Details {
	at?: number;
	snapshot?: unknown;
	error?: unknown;
}

interface StepperPorts {
	rules: TopicRules;
	state: TopicState;
	clock: Clock;
	perform(effect: TopicEffect, input: TopicInput, details: Details): void;
}

export function createStepper({ rules, state, clock, perform }: StepperPorts): Stepper {
	const stopped = new AbortController();
	const wake = createWake(clock, () => happened({ type: 'woken' }));

	function happened(input: TopicInput, details: Details = {}): void {
		if (stopped.signal.aborted) return;
		const effects = step(rules, state, input, details.at ?? clock.now());
		for (const effect of effects) perform(effect, input, details);
		// Nearly all messages are only delivered, or wait, which changes nothing about what is due.
		if (input.type !== 'data' || effects.some((effect) => effect.do !== 'deliver')) wakeLater();
	}

	function wakeLater(): void {
		const now = clock.now();
		const reads = now + (wakesIn(state.schedule, now) ?? Number.POSITIVE_INFINITY);
		const at = Math.min(reads, state.backlog?.endsAt ?? Number.POSITIVE_INFINITY);
		wake(Number.isFinite(at) ? at : undefined);
	}

	wakeLater();
	return {
		signal: stopped.signal,
		happened,
		stop: () => {
			stopped.abort();
			wake(undefined);
		},
	};
}
