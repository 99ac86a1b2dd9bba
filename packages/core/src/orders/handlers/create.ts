import type { Operation } from '../../catalogue';
import { ExchangeError } from '../../errors';
import { exchange } from '../../wire/exchange';
import { orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import { buildRequest } from '../../wire/request';
import { findOrders, isSameOrder, lookupResultOf } from '../lookup';
import type { Attempt, LookupResult } from '../state';
import type { Exchange, HandlerContext } from '../deps';

/** A new order: placed over REST, looked up in the order list. */
export function create(handling: HandlerContext): Exchange {
	const { plan, account } = handling;
	const request = {
		...buildRequest(plan.id, plan.operation, plan.fields, account),
		signal: plan.context.signal,
	};
	return { send: () => send(handling, request), lookup: (isThorough) => lookup(handling, isThorough) };
}

async function send(
	{ plan: { operation }, account, ports }: HandlerContext,
	request: ReturnType<typeof buildRequest>,
): Promise<Attempt> {
	const { proof, response } = await exchange(operation, request, account.apiKey, ports);
	if ('error' in response) return { proof: proof === 'done' ? 'unknown' : proof, error: response.error };
	const order = orderIn(response.data);
	// The create answer is documented with `order_id`; an `id` beside it may be anything. (Interface, part 2.)
	const orderId = order && (textOf(order, 'order_id') ?? orderIdOf(order));
	if (orderId !== undefined) return { proof: 'done', result: { ...order, order_id: orderId } };
	return {
		proof: 'unknown',
		error: new ExchangeError('malformed_response', { operation: operation.label, what: 'The answer names no order' }),
	};
}

/** Whether the order exists, from the order list, matched by identifier and payload. */
function lookup(
	{ plan: { operation, fields, context }, read, ports }: HandlerContext,
	isThorough: boolean,
): Promise<LookupResult> {
	return lookupResultOf(async () => {
		const clientOrderId = String(fields.client_order_id);
		const query = { clientOrderId, pair: String(fields.pair_id), isThorough };
		const { orders, complete, gap } = await findOrders(query, { read, ports, context });
		const same = orders.filter((order) => isSameOrder(order, fields) && !isReplacement(order));
		if (same.length > 0) return { is: 'found', result: placed(same) };
		if (orders.length === 0) return { is: 'absent', complete, ...(complete ? {} : { error: unseen(operation, gap) }) };
		return { is: 'conflict', certain: false, error: otherOrder(operation, clientOrderId, orders[0]!) };
	});
}

/** Says what could not be seen, and that nothing is sent on a guess. */
const unseen = (operation: Operation, gap = 'the list is not complete'): ExchangeError =>
	new ExchangeError('limit_reached', {
		operation: operation.label,
		what: `The order list cannot show whether the order exists: ${gap}`,
		advice: 'Look for the order yourself by its client order ID',
	});

/** A replacement may go under the client order id of the order it replaced. */
const isReplacement = (order: Item): boolean =>
	textOf((order.replace as Item | null) ?? undefined, 'replaces_order_id') !== undefined;

/** The lost reply, from the order itself. More than one order should be impossible, so it is said aloud. */
function placed([order, ...more]: Item[]): Item {
	const ids = more.map(orderIdOf).filter((id) => id !== undefined);
	return { ...order, order_id: orderIdOf(order), ...(ids.length > 0 ? { duplicate_order_ids: ids } : {}) };
}

const otherOrder = (operation: Operation, clientOrderId: string, order: Item): ExchangeError =>
	new ExchangeError('conflict', {
		operation: operation.label,
		field: 'client_order_id',
		what: 'An order with this client order ID exists and asks for something else',
		advice: 'Read that order; to place another one, give it a business key or client order ID of its own',
		details: { client_order_id: clientOrderId, order_id: orderIdOf(order) ?? null },
	});
