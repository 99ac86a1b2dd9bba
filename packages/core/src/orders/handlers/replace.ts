import { finality, type Operation } from '../../catalogue';
import { ExchangeError } from '../../errors';
import { orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import { findOrderById, findOrders, isSameOrder } from '../lookup';
import type { LookupResult } from '../state';
import { lookUpTarget, sendCommand } from './command';
import type { Exchange, HandlerContext } from '../deps';

/** An order in the place of another: sent as a command, looked up in both. */
export const replace = (handling: HandlerContext): Exchange => ({
	send: () => sendCommand(handling),
	lookup: () => lookup(handling),
});

/**
 * A replacement is done when the original names it or the list shows it. An original that ended otherwise can never be
 * replaced any more.
 */
function lookup(handling: HandlerContext): Promise<LookupResult> {
	const { operation, fields } = handling.plan;
	return lookUpTarget(handling, async (order) => {
		const original = await withLinks(order, handling);
		const successor = successorOf(original);
		if (successor !== undefined) return judgeSuccessor(successor, original, handling);
		const status = textOf(original, 'status') ?? '';
		if (finality(status) !== 'final') return { is: 'absent', complete: true };
		const [made] = await findOwn(handling);
		if (made) return { is: 'found', result: replacement(fields, orderIdOf(made)) };
		return { is: 'conflict', certain: true, error: impossible(operation, original, `is already ${status}`) };
	});
}

/** The list shows the links between orders for certain; the single order is taken to, and is one read. */
async function withLinks(order: Item, { plan: { fields, context }, read, ports }: HandlerContext): Promise<Item> {
	if ('replace' in order) return order;
	return (await findOrderById(String(fields.order_id), { read, ports, context })) ?? order;
}

function successorOf(order: Item): string | undefined {
	const links = order.replace as Item | null | undefined;
	return textOf(links ?? undefined, 'replaced_by_order_id');
}

/** Ours by its client order id; where the service does not show one, by its price. */
async function judgeSuccessor(
	successor: string,
	original: Item,
	{ plan: { operation, fields, context }, read }: HandlerContext,
): Promise<LookupResult> {
	const order = orderIn(await read('order.get', { order_id: successor }, context)) ?? {};
	const named = textOf(order, 'client_order_id');
	const ours = named === undefined ? isSameOrder({ price: order.price }, fields) : named === fields.client_order_id;
	if (ours) return { is: 'found', result: replacement(fields, successor) };
	return {
		is: 'conflict',
		certain: true,
		error: impossible(operation, original, `was already replaced by ${successor}`),
	};
}

async function findOwn({ plan: { fields, context }, read, ports }: HandlerContext): Promise<Item[]> {
	const query = { clientOrderId: String(fields.client_order_id), pair: String(fields.pair_id) };
	const { orders } = await findOrders(query, { read, ports, context });
	return orders.filter((order) => orderIdOf(order) !== fields.order_id);
}

const replacement = (fields: Accepted, successor: string | undefined): Item => ({
	original_order_id: fields.order_id,
	new_order_id: successor,
});

const impossible = (operation: Operation, order: Item, what: string): ExchangeError =>
	new ExchangeError('conflict', {
		operation: operation.label,
		what: `The order ${what}`,
		advice: 'Read the order before you decide what to do next',
		details: { order_id: orderIdOf(order) ?? null, status: textOf(order, 'status') ?? null },
	});
