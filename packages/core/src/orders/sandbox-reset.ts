import { isProduction } from '../environment';
import { isExchangeError, type ErrorCode } from '../errors';
import { textOf } from '../wire/payload';
import type { OrderDependencies } from './deps';
import type { Rechecked } from './in-flight';
import { isNamed } from './identity';
import type { Plan } from './plan';
import { orderIdIn, type RunResult } from './run';
import { readOrder } from './lookup/single-order';

/** A restarted sandbox has closed the kept connections, so the first read may fail on a dead one. */
const READS_MAX = 2;

/** Errors that prove nothing about the order and that another read would repeat. */
const keyErrors: readonly ErrorCode[] = ['unauthorized', 'forbidden'];

/**
 * Whether a sandbox was reset or restarted since it accepted an intent: then the order is gone and its key is free
 * again. Only a sandbox loses orders; elsewhere a missing order is no reason to send a second one.
 */
export async function recheckInSandbox(ended: RunResult, plan: Plan, deps: OrderDependencies): Promise<Rechecked> {
	const { account } = deps;
	const orderId = orderIdIn(ended);
	if (account.environment !== 'sandbox' || isProduction(account) || orderId === undefined) return 'exists';
	for (let reads = 1; ; reads += 1) {
		try {
			if (await isShown(orderId, plan, deps)) return 'exists';
			return plan.kind === 'create' ? await searched(plan, deps) : 'gone';
		} catch (error) {
			if (!isExchangeError(error)) throw error;
			if (keyErrors.includes(error.code)) return 'exists';
			if (!error.retryable || reads === READS_MAX) return 'unclear';
		}
	}
}

/** A restarted sandbox issues the same order IDs again, so another order may have this ID. */
async function isShown(orderId: string, { kind, clientOrderId, context }: Plan, { read }: OrderDependencies) {
	try {
		const order = await readOrder(read, orderId, { signal: context.signal });
		const isShownName = order !== undefined && textOf(order, 'client_order_id') !== undefined;
		return kind !== 'create' || !isShownName || isNamed(clientOrderId)(order);
	} catch (error) {
		if (isExchangeError(error, 'not_found')) return false;
		throw error;
	}
}

/** A new order may not be readable by its ID yet, so it is gone only when the list lacks it as well. */
async function searched({ clientOrderId, context }: Plan, { list }: OrderDependencies): Promise<Rechecked> {
	const query = { matches: isNamed(clientOrderId), name: clientOrderId, isThorough: true };
	const { orders, complete } = await list.look(query, context.signal);
	if (orders.length > 0) return 'exists';
	return complete ? 'gone' : 'unclear';
}
