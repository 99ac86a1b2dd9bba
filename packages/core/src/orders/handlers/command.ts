import { commandOf, type Operation, finality } from '../../catalogue';
import type { CallContext, Read } from '../../context';
import { ExchangeError, isExchangeError } from '../../errors';
import { isItem, isSameId, type Item, orderIdOf, textOf } from '../../wire/payload';
import { proofs, type Failed } from '../../wire/attempt';
import type { Accepted } from '../../wire/request';
import { lookupResultOf, readOrder } from '../lookup';
import type { AttemptResult, LookupResult } from '../machine/state';
import type { HandlerContext, KindHandler } from '../deps';

/** One transmission of a command; the channel gives each a request_id of its own. */
export async function sendCommand(
	{ plan, host, assertWanted }: HandlerContext,
	acknowledges: (data: Item) => boolean,
): Promise<AttemptResult> {
	const { operation, fields, context } = plan;
	try {
		const channel = host.commands?.() ?? noChannel(operation);
		const { data } = await channel.command(commandOf(operation)!, fields, context.signal, assertWanted);
		if (isItem(data) && acknowledges(data)) return { proof: 'done', result: { ...sentName(fields), ...data } };
		return unproved(operation, 'The acknowledgement does not identify the order');
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { proof: proofs[error.code], error, showsOrder: error.details.new_order_id !== undefined };
	}
}

/** The name that was sent belongs to the result, because another run may trace the same intent by another name. */
const sentName = ({ client_order_id }: Accepted): Item => (client_order_id === undefined ? {} : { client_order_id });

/** The interface shows no REST path for this command, so none is invented. (Interface, part 4.) */
function noChannel(operation: Operation): never {
	throw new ExchangeError('not_available', {
		operation: operation.label,
		what: 'It is sent as a command of the stream, and this client has no stream',
		advice: 'Give the client a stream',
	});
}

/**
 * An order the service does not find confirms a refused command and proves nothing otherwise: it may be too new to be
 * readable.
 */
export async function lookUpTarget(
	{ plan: { operation, fields, context }, read }: HandlerContext,
	judge: (order: Item) => LookupResult | Promise<LookupResult>,
): Promise<LookupResult> {
	return lookupResultOf(async () => {
		const order = await readIfThere(read, fields.order_id, context);
		if (order === 'missing')
			return { is: 'conflict', certain: false, error: unknownOrder(operation, String(fields.order_id)) };
		return judge(order ?? {});
	});
}

/** One order, or that the service does not find it. Only this one read says so: another order may be missing too. */
export async function readIfThere(
	read: Read,
	orderId: unknown,
	context: CallContext,
): Promise<Item | undefined | 'missing'> {
	try {
		return await readOrder(read, orderId, context);
	} catch (error) {
		if (isExchangeError(error, 'not_found') || isExchangeError(error, 'refused')) return 'missing';
		throw error;
	}
}

/** What an answer proves that does not fit what was sent. */
export const unproved = ({ label }: Operation, what: string): Failed => ({
	proof: 'unknown',
	error: new ExchangeError('malformed_response', { operation: label, what }),
});

const unknownOrder = (operation: Operation, orderId: string): ExchangeError =>
	new ExchangeError('not_found', {
		operation: operation.label,
		field: 'order_id',
		what: 'The service does not find this order',
		details: { order_id: orderId },
	});

/** Cancels an order: sent as a command, confirmed by reading that order. */
export const cancel = (handling: HandlerContext): KindHandler => ({
	send: () => sendCommand(handling, (data) => isSameId(textOf(data, 'order_id'), handling.plan.fields.order_id)),
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
