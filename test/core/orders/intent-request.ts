import { ExchangeError, type AccountMemory } from '@partner-exchange/core';
import { newIntent, type Outcome } from '../../../packages/core/src/orders/machine/state';

export type IntentRequest = Parameters<AccountMemory['once']>[0];

export const refused: Outcome = { is: 'refused', error: new ExchangeError('forbidden', { what: 'refused' }) };
export const accepted: Outcome = { is: 'accepted', result: { order_id: 'order-1' }, by: 'answer' };
export const unknown: Outcome = { is: 'unknown' };

/** A call whose run ends with this outcome once it is released. */
export function request(outcome: Outcome, more: Partial<IntentRequest> = {}) {
	let runs = 0;
	let end: () => void = () => undefined;
	const run: IntentRequest['run'] = (previous) => {
		runs += 1;
		return new Promise((resolve) => (end = () => resolve({ outcome, state: previous ?? newIntent(7) })));
	};
	const call: IntentRequest = {
		key: 'key',
		digest: 'digest',
		recheck: () => Promise.resolve('exists'),
		repeated: false,
		run,
		onPayloadMismatch: () => Promise.resolve({ outcome: refused, state: newIntent(0) }),
		...more,
	};
	return { call, end: () => end(), runs: () => runs };
}

/** Runs a call to completion. */
export async function ended(memory: AccountMemory, outcome: Outcome, more: Partial<IntentRequest> = {}) {
	const entry = request(outcome, more);
	const end = memory.once(entry.call);
	entry.end();
	return await end;
}

export const order = (order_id: string): Outcome => ({ is: 'accepted', result: { order_id }, by: 'answer' });
