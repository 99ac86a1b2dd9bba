import { isProduction } from '../environment';
import { isExchangeError, type ErrorCode } from '../errors';
import { orderIdOf, orderIn, textOf } from '../wire/payload';
import type { OrderDependencies } from './deps';
import type { Plan } from './plan';
import type { RunResult } from './run';

/** The order an accepted intent came to. */
export function orderIdIn({ outcome }: RunResult): string | undefined {
	return outcome.is === 'accepted' ? (textOf(outcome.result, 'new_order_id') ?? orderIdOf(outcome.result)) : undefined;
}

/** What a sandbox shows of an order it once accepted. */
export type Rechecked = 'exists' | 'gone' | 'unclear';

/** Refusals that say nothing about the order, and that another reading will not change. */
const mayNotRead: readonly ErrorCode[] = ['unauthorized', 'forbidden'];

/**
 * Whether a sandbox was reset, or started anew, since it accepted an intent: then the order is gone, and its name is free
 * again. Only a sandbox forgets orders; elsewhere one that is not shown is no reason to send a second.
 */
export async function recheckInSandbox(
	ended: RunResult,
	plan: Plan,
	{ account, read }: Pick<OrderDependencies, 'account' | 'read'>,
): Promise<Rechecked> {
	const orderId = orderIdIn(ended);
	if (account.environment !== 'sandbox' || isProduction(account) || orderId === undefined) return 'exists';
	try {
		const order = orderIn(await read('order.get', { order_id: orderId }, { signal: plan.context.signal }));
		if (order === undefined) return 'unclear';
		// Where a run is named, its ids begin again, and another order may have this one.
		return plan.kind === 'create' && textOf(order, 'client_order_id') !== plan.clientOrderId ? 'gone' : 'exists';
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		if (error.code === 'not_found') return 'gone';
		return mayNotRead.includes(error.code) ? 'exists' : 'unclear';
	}
}
