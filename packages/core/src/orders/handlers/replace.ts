import { finality, type Operation } from '../../catalogue';
import { compare, isDecimal, subtract } from '../../decimal';
import { ExchangeError } from '../../errors';
import { isItem, orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import type { Exchange, HandlerContext } from '../deps';
import { findOrderById, findOrders, isSameOrder } from '../lookup';
import type { LookupResult } from '../state';
import { lookUpTarget, sendCommand } from './command';

/** An order in the place of another: sent as a command, looked up in both. */
export const replace = (handling: HandlerContext): Exchange => ({
	send: () => sendCommand(handling, (data) => acknowledges(data, handling.plan.fields)),
	lookup: (isThorough) => lookup(handling, isThorough),
});

const acknowledges = (data: Item, { order_id }: Accepted): boolean =>
	String(data.original_order_id) === String(order_id) && textOf(data, 'new_order_id') !== undefined;

/**
 * A replacement is done when the original names it or the list shows it. An original that ended otherwise cannot be
 * replaced any more, but its successor may show later than its end: the service need not do both at once.
 */
function lookup(handling: HandlerContext, isThorough: boolean): Promise<LookupResult> {
	const { operation, fields } = handling.plan;
	return lookUpTarget(handling, async (order) => {
		const original = await withLinks(order, handling);
		const successor = successorOf(original);
		if (successor !== undefined) return judgeSuccessor(successor, original, handling);
		const { orders, complete } = await findOwn(handling, isThorough);
		const made = orders.find((one) => isSuccessor(one, original, fields));
		if (made) return { is: 'found', result: replacement(fields, orderIdOf(made)) };
		const status = textOf(original, 'status') ?? '';
		if (finality(status) !== 'final') return { is: 'absent', complete: true };
		return {
			is: 'conflict',
			certain: complete,
			error: impossible(operation, original, `is already ${status}`),
		};
	});
}

/** The list shows the links between orders for certain; the single order is taken to, and is one read. */
async function withLinks(order: Item, { plan: { fields, context }, read, ports }: HandlerContext): Promise<Item> {
	if ('replace' in order) return order;
	return (await findOrderById(String(fields.order_id), { read, ports, context })) ?? order;
}

const linksOf = (order: Item): Item => (isItem(order.replace) ? order.replace : {});

const successorOf = (order: Item): string | undefined => textOf(linksOf(order), 'replaced_by_order_id');

/** Whether the order that took the original's place is the one that was asked for. */
async function judgeSuccessor(
	successor: string,
	original: Item,
	{ plan: { operation, fields, context }, read }: HandlerContext,
): Promise<LookupResult> {
	const order = orderIn(await read('order.get', { order_id: successor }, context)) ?? {};
	if (isNamed(order, fields) || isAsked(order, original, fields))
		return { is: 'found', result: replacement(fields, successor) };
	return {
		is: 'conflict',
		// A name of its own says that somebody else made it; other amounts alone may be the service's way to count.
		certain: isNamedByOthers(order, original, fields),
		error: impossible(operation, original, `was already replaced by ${successor}`),
	};
}

const isNamed = (order: Item, { client_order_id }: Accepted): boolean =>
	textOf(order, 'client_order_id') === client_order_id;

/** A successor may keep the name of the original, which then says nothing. */
function isNamedByOthers(order: Item, original: Item, fields: Accepted): boolean {
	const named = textOf(order, 'client_order_id');
	return named !== undefined && named !== textOf(original, 'client_order_id') && named !== fields.client_order_id;
}

/** Without a name of ours an order is known by what was asked for: its price, which must be shown, and its quantity. */
function isAsked(order: Item, original: Item, fields: Accepted): boolean {
	if (isNamedByOthers(order, original, fields)) return false;
	const { price, quantity } = order;
	if (!isDecimal(price) || !isSameOrder({ price }, fields)) return false;
	return !isDecimal(quantity) || isSameQuantity(quantity, original, fields);
}

/** Whether a new quantity counts what was filled before is not shown, so either may be meant. */
function isSameQuantity(quantity: string, original: Item, { quantity: asked }: Accepted): boolean {
	if (!isDecimal(asked)) return true;
	const { filled_quantity: filled } = original;
	const open = isDecimal(filled) ? subtract(asked, filled) : asked;
	return [asked, open].some((meant) => compare(quantity, meant) === 0);
}

/** An order under our name that takes the original's place, or does not say that it takes another's. */
function isSuccessor(order: Item, original: Item, fields: Accepted): boolean {
	const replaces = textOf(linksOf(order), 'replaces_order_id');
	if (replaces !== undefined) return replaces === String(fields.order_id);
	return textOf(original, 'client_order_id') !== String(fields.client_order_id) || isAsked(order, original, fields);
}

async function findOwn({ plan: { fields, context }, read, ports }: HandlerContext, isThorough: boolean) {
	const query = { clientOrderId: String(fields.client_order_id), pair: String(fields.pair_id), isThorough };
	const { orders, complete } = await findOrders(query, { read, ports, context });
	return { orders: orders.filter((order) => orderIdOf(order) !== String(fields.order_id)), complete };
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
