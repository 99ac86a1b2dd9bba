import { finality, type Operation } from '../../catalogue';
import { ExchangeError } from '../../errors';
import { filledText, instantOf, isSameId, orderIdOf, textOf, type Item } from '../../wire/payload';
import type { Accepted } from '../../wire/request';
import type { KindHandler, HandlerContext } from '../deps';
import { isUnder } from '../log/evidence';
import type { QueryResult } from '../log/shared-reads';
import type { LookupResult } from '../machine/state';
import { fits, isAsked, isNamedByOthers, isReadable, isSuccessor, mayBeSuccessor, successorOf } from '../lookup';
import { lookUpTarget, readIfThere, sendCommand } from './command';

/** Replaces an order: sent as a command, confirmed by reading the original and the order list. */
export const replace = (handling: HandlerContext): KindHandler => ({
	send: () => sendCommand(handling, (data) => acknowledges(data, handling.plan.fields)),
	lookup: ({ isThorough }) => lookup(handling, isThorough),
});

const acknowledges = (data: Item, { order_id }: Accepted): boolean =>
	isSameId(textOf(data, 'original_order_id'), order_id) && filledText(data.new_order_id) !== undefined;

/**
 * A replacement is done when the original links to it or the list shows it. An original that ended in another way can
 * no longer be replaced, but the service may show that end before it shows the new order.
 */
function lookup(handling: HandlerContext, isThorough: boolean): Promise<LookupResult> {
	const { operation, fields } = handling.plan;
	return lookUpTarget(handling, async (order) => {
		const original = await withListed(order, handling);
		const successor = successorOf(original);
		if (successor !== undefined) return judgeSuccessor(successor, original, handling);
		const { orders, complete } = await findCandidates(original, handling, isThorough);
		const made = orders.find((order) => isSuccessor(order, original, fields));
		if (made) return ofOurName(made, original, handling);
		const status = textOf(original, 'status') ?? '';
		if (finality(status) !== 'final') return { is: 'absent', complete: true };
		return conflict(complete && orders.length === 0, impossible(operation, original, `is already ${status}`));
	});
}

/**
 * Only the list is sure to show the links and the client order id; the single order may lack them and is cheaper to
 * read.
 */
async function withListed(order: Item, { plan: { fields, context }, list }: HandlerContext): Promise<Item> {
	if ('replace' in order && 'client_order_id' in order) return order;
	const matches = (listed: Item): boolean => isSameId(orderIdOf(listed), fields.order_id);
	const [listed] = (await list.find({ matches, since: instantOf(order.created_at) }, context.signal)).orders;
	return { ...listed, ...order };
}

/** Whether the order that replaced the original is the one this intent asked for. */
async function judgeSuccessor(successor: string, original: Item, handling: HandlerContext): Promise<LookupResult> {
	const {
		plan: { operation, fields, context },
		read,
	} = handling;
	const order = (await readIfThere(read, successor, context)) ?? {};
	// What was just made may be too new to be read; that it is linked does not say yet whose it is.
	if (order === 'missing') return { is: 'failed', lasting: false, error: tooNew(operation, successor) };
	if (isAsked(order, original, fields)) return { is: 'found', result: replacement(fields, successor) };
	if (isUnder(fields.client_order_id)(order)) return ofOurName(order, original, handling);
	// A client order id that is neither ours nor the original's proves that another intent made the order. Other
	// amounts alone do not: the service may count them differently.
	const isTheirs = isNamedByOthers(order, original, fields);
	return conflict(isTheirs, impossible(operation, original, `was already replaced by ${successor}`));
}

/** The name alone is not enough: the same business key may come again with other values. */
function ofOurName(order: Item, original: Item, { plan: { operation, fields } }: HandlerContext): LookupResult {
	const successor = orderIdOf(order);
	const isClear = isReadable(order, fields);
	if (isClear && fits(order, original, fields)) return { is: 'found', result: replacement(fields, successor) };
	const what = 'An earlier replacement under this name exists, with other values';
	return conflict(
		isClear,
		new ExchangeError('conflict', {
			operation: operation.label,
			what,
			advice: 'Read that order; to replace it again, give the replacement a business key of its own',
			details: { order_id: successor ?? null, original_order_id: textOf(original, 'id') ?? null },
		}),
	);
}

/** A conflict. When it is not certain, the order of this intent may still have replaced the original. */
const conflict = (certain: boolean, error: ExchangeError): LookupResult => ({
	is: 'conflict',
	certain,
	mayBeDone: !certain,
	error,
});

function findCandidates(
	original: Item,
	{ plan: { fields, context }, list }: HandlerContext,
	isThorough: boolean,
): Promise<QueryResult> {
	const matches = (order: Item): boolean => mayBeSuccessor(order, original, fields);
	const since = instantOf(original.created_at);
	return list.find({ matches, since, isThorough }, context.signal);
}

const replacement = (fields: Accepted, successor: string | undefined): Item => ({
	original_order_id: fields.order_id,
	new_order_id: successor,
});

const tooNew = ({ label }: Operation, successor: string): ExchangeError =>
	new ExchangeError('not_found', {
		operation: label,
		what: `The order ${successor}, which took its place, cannot be read yet`,
		details: { new_order_id: successor },
	});

const impossible = (operation: Operation, order: Item, what: string): ExchangeError =>
	new ExchangeError('conflict', {
		operation: operation.label,
		what: `The order ${what}`,
		advice: 'Read the order before you decide what to do next',
		details: { order_id: orderIdOf(order) ?? null, status: textOf(order, 'status') ?? null },
	});
