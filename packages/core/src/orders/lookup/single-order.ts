import { operationOf } from '../../catalogue';
import type { CallContext, Read } from '../../context';
import { ExchangeError } from '../../errors';
import { filledText, orderIn, type Item } from '../../wire/payload';

/** Reads one order by its ID. An answer that shows another order says nothing about this one. */
export async function readOrder(read: Read, orderId: unknown, context: CallContext): Promise<Item | undefined> {
	const order = orderIn(await read('order.get', { order_id: orderId }, context));
	const ids = [order?.id, order?.order_id].flatMap((id) => filledText(id)?.toLowerCase() ?? []);
	if (ids.length === 0 || ids.includes(String(orderId).toLowerCase())) return order;
	throw new ExchangeError('malformed_response', {
		operation: operationOf('order.get').label,
		what: 'The answer shows another order than the one that was asked for',
	});
}
