import { isProduction } from '../environment';
import { isExchangeError, type ErrorCode } from '../errors';
import { readOrder } from './lookup/single-order';
import type { OrderDependencies } from './deps';
import type { Rechecked } from './in-flight';
import type { Plan } from './plan';
import { orderIdIn, type RunResult } from './run';

/** A restarted sandbox has closed the kept connections, so the first read may fail on a dead one. */
const READS_MAX = 2;

/** Errors that prove nothing about the order and that another read would repeat. */
const keyErrors: readonly ErrorCode[] = ['unauthorized', 'forbidden'];

/**
 * Whether a sandbox was reset or restarted since it accepted an intent: then the order is gone and its key is free
 * again. Only a sandbox loses orders; elsewhere a missing order is no reason to send a second one. A create that goes out
 * again has the same key, so an order that a sandbox only hides for a moment is not doubled.
 */
export async function recheckInSandbox(
	ended: RunResult,
	{ context: { signal } }: Plan,
	{ account, read }: Pick<OrderDependencies, 'account' | 'read'>,
): Promise<Rechecked> {
	const orderId = orderIdIn(ended);
	if (account.environment !== 'sandbox' || isProduction(account) || orderId === undefined) return 'exists';
	for (let reads = 1; ; reads += 1) {
		try {
			await readOrder(read, orderId, { signal });
			return 'exists';
		} catch (error) {
			if (!isExchangeError(error)) throw error;
			if (error.code === 'not_found') return 'gone';
			if (keyErrors.includes(error.code)) return 'exists';
			if (!error.retryable || reads === READS_MAX) return 'unclear';
		}
	}
}
