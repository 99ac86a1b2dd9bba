import { finality, type CommandAction, type Operation } from '../../catalogue';
import type { CallContext, Read } from '../../context';
import type { Accepted } from '../../wire/request';
import { orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import { ExchangeError, isExchangeError, type ErrorCode } from '../../errors';
import type { Ports } from '../../ports';
import { evidenceOf } from '../lookup-result';
import { isSameOrder } from '../match';
import { findOrderById, findOrders } from '../lookup';
import type { Answer, Evidence } from '../state';

/** Where cancel and replace commands go. A stream is one. */
export interface CommandChannel {
	/** Sends one command. Rejects with outcome_unknown when its acknowledgement is lost. */
	command(
		action: CommandAction,
		fields: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
	): Promise<{ data: Readonly<Record<string, unknown>> }>;
}

export interface Commanding {
	operation: Operation;
	action: CommandAction;
	/** The same for every transmission; the channel gives each a request_id of its own. */
	fields: Accepted;
	channel: () => CommandChannel;
	read: Read;
	ports: Pick<Ports, 'clock'>;
	context: CallContext;
}

/** Codes of a command that certainly was not carried out. Those not listed prove nothing. */
const proofs: Partial<Record<ErrorCode, Exclude<Answer['proof'], 'done'>>> = {
	unauthorized: 'refused',
	forbidden: 'refused',
	refused: 'refused',
	not_found: 'refused',
	invalid_input: 'refused',
	invalid_account: 'refused',
	not_available: 'refused',
	conflict: 'conflict',
	rate_limited: 'limited',
	unreachable: 'unsent',
	stream_closed: 'unsent',
};

/** One transmission of a command. */
export async function sendCommand({ action, fields, channel, context }: Commanding): Promise<Answer> {
	try {
		const { data } = await channel().command(action, fields, context.signal);
		return { proof: 'done', result: { ...data } };
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { proof: proofs[error.code] ?? 'unknown', error };
	}
}

/** An order the service does not find settles a refusal, and nothing else: it may only be too new to be shown. */
async function readOrder(
	{ operation, fields, read, context }: Commanding,
	judge: (order: Item) => Evidence | Promise<Evidence>,
): Promise<Evidence> {
	return evidenceOf(async () => {
		try {
			return await judge(orderIn(await read('order.get', { order_id: fields.order_id }, context)) ?? {});
		} catch (error) {
			if (!isExchangeError(error, 'not_found') && !isExchangeError(error, 'refused')) throw error;
			return { shows: 'contradiction', certain: false, error: unknownOrder(operation, fields) };
		}
	});
}

/** A cancel is done when the order is no longer open, however it got there: filled first is a result, not an error. */
export function readCancelled(commanding: Commanding): Promise<Evidence> {
	return readOrder(commanding, (order) => {
		const status = textOf(order, 'status');
		if (status === undefined || finality(status) === 'open') return { shows: 'nothing', complete: true };
		return { shows: 'effect', result: { ...order, order_id: orderIdOf(order) } };
	});
}

/**
 * A replacement is done when the original names it or the list shows it. An original that ended otherwise can never be
 * replaced any more.
 */
export function readReplaced(commanding: Commanding): Promise<Evidence> {
	const { operation, fields } = commanding;
	return readOrder(commanding, async (order) => {
		const original = await withLinks(order, commanding);
		const successor = successorOf(original);
		if (successor !== undefined) return judgeSuccessor(successor, original, commanding);
		const status = textOf(original, 'status') ?? '';
		if (finality(status) !== 'final') return { shows: 'nothing', complete: true };
		const [made] = await findOwn(commanding);
		if (made) return { shows: 'effect', result: replacement(fields, orderIdOf(made)) };
		return { shows: 'contradiction', certain: true, error: impossible(operation, original, `is already ${status}`) };
	});
}

/** The list shows the links between orders for certain; the single order is taken to, and is one read. */
async function withLinks(order: Item, { fields, read, ports, context }: Commanding): Promise<Item> {
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
	{ operation, fields, read, context }: Commanding,
): Promise<Evidence> {
	const order = orderIn(await read('order.get', { order_id: successor }, context)) ?? {};
	const named = textOf(order, 'client_order_id');
	const ours = named === undefined ? isSameOrder({ price: order.price }, fields) : named === fields.client_order_id;
	if (ours) return { shows: 'effect', result: replacement(fields, successor) };
	return {
		shows: 'contradiction',
		certain: true,
		error: impossible(operation, original, `was already replaced by ${successor}`),
	};
}

async function findOwn({ fields, read, ports, context }: Commanding): Promise<Item[]> {
	const wanted = { clientOrderId: String(fields.client_order_id), pair: String(fields.pair_id) };
	const { orders } = await findOrders(wanted, { read, ports, context });
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

const unknownOrder = (operation: Operation, { order_id }: Accepted): ExchangeError =>
	new ExchangeError('not_found', {
		operation: operation.label,
		field: 'order_id',
		what: 'The service does not find this order',
		details: { order_id: String(order_id) },
	});
