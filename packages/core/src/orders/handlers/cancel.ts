import { finality } from '../../catalogue';
import { orderIdOf, textOf } from '../../wire/payload';
import type { LookupResult } from '../machine/state';
import { lookUpTarget, sendCommand } from './command';
import type { Exchange, HandlerContext } from '../deps';

/** Cancels an order: sent as a command, confirmed by reading that order. */
export const cancel = (handling: HandlerContext): Exchange => ({
	send: () => sendCommand(handling, (data) => textOf(data, 'order_id') === handling.plan.fields.order_id),
	lookup: () => lookup(handling),
});

/**
 * A cancel is done when the order is no longer open for whatever reason: an order filled first is a result, not an
 * error.
 */
function lookup(handling: HandlerContext): Promise<LookupResult> {
	return lookUpTarget(handling, (order) => {
		const status = textOf(order, 'status');
		if (status === undefined || finality(status) === 'open') return { is: 'absent', complete: true };
		return { is: 'found', result: { ...order, order_id: orderIdOf(order) } };
	});
}
