import { ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { orderMachine } from '@partner-exchange/core/testing';
import {
	newIntent,
	type AttemptResult,
	type Effect,
	type LookupResult,
	type IntentState,
	type Report,
} from '../../../packages/core/src/orders/machine/state';

export const machine = orderMachine();
export const { conclusiveMs, lateArrivalMs, deadlineMs, attemptsMax } = machine.policy;
export const error = (code: ErrorCode, retryAfterMs?: number) => new ExchangeError(code, { what: code, retryAfterMs });

export const answered = (
	proof: Exclude<AttemptResult['proof'], 'done'>,
	code: ErrorCode = 'unavailable',
	retryAfterMs?: number,
): Report => ({
	type: 'attempted',
	attempt: { proof, error: error(code, retryAfterMs) },
});
export const looked = (lookup: LookupResult): Report => ({ type: 'looked_up', lookup });
export const nothing = looked({ is: 'absent', complete: true });
export const match = looked({ is: 'found', result: { order_id: 'order-1' } });
export const unreadable = looked({ is: 'failed', error: error('unavailable'), lasting: false });

/** Feeds the machine reports, each the given milliseconds after the previous one, and returns the last effect. */
export function play(
	begun: Partial<IntentState>,
	...reports: readonly (Report | [afterMs: number, Report])[]
): { effect: Effect; state: IntentState } {
	let at = 1_000_000;
	let step: { state: IntentState; effect: Effect } = { state: newIntent(at, begun), effect: { do: 'check' } };
	for (const value of reports) {
		const [afterMs, report] = Array.isArray(value) ? value : [0, value];
		at += afterMs;
		step = machine.step(step.state, { ...report, at, chance: 0.5 });
	}
	return step;
}

export const sent: readonly Report[] = [{ type: 'started' }, { type: 'checked' }, { type: 'recorded' }];
export const outcomeOf = ({ effect }: { effect: Effect }): string =>
	effect.do === 'end' ? effect.outcome.is : effect.do;

export function respond(effect: Effect, { proof, shows }: { proof?: AttemptResult['proof']; shows?: string }): Report {
	switch (effect.do) {
		case 'check':
			return { type: 'checked' };
		case 'record':
			return { type: 'recorded' };
		case 'pause':
			return { type: 'elapsed' };
		case 'send':
			return answered(proof === undefined || proof === 'done' ? 'unknown' : proof);
		default:
			return shows === 'failed' ? unreadable : looked({ is: 'absent', complete: shows !== 'partly' });
	}
}
