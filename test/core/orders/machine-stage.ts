import { ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { orderMachine } from '@partner-exchange/core/testing';
import type { AttemptResult, LookupResult, Report } from '../../../packages/core/src/orders/machine/state';

export const machine = orderMachine();
export const { conclusiveMs, lateArrivalMs } = machine.policy;
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
