import type { Operation } from '../../catalogue';
import type { CallContext, Read } from '../../context';
import { exchange } from '../../wire/exchange';
import type { Accepted } from '../../wire/request';
import { orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import { ExchangeError } from '../../errors';
import type { HttpRequest, Ports } from '../../ports';
import { evidenceOf } from '../lookup-result';
import { isSameOrder } from '../match';
import { findOrders } from '../lookup';
import type { Answer, Evidence } from '../state';

export interface Creation {
	operation: Operation;
	/** What is asked for, identity included. */
	accepted: Accepted;
	/** Built once: every attempt is this request. */
	request: HttpRequest;
	apiKey: string;
	read: Read;
	ports: Ports;
	context: CallContext;
}

/** One attempt to place the order over REST. */
export async function sendOrder({ operation, request, apiKey, ports }: Creation): Promise<Answer> {
	const { proof, reading } = await exchange(operation, request, apiKey, ports);
	if ('error' in reading) return { proof: proof === 'done' ? 'unknown' : proof, error: reading.error };
	const order = orderIn(reading.data);
	if (order && orderIdOf(order) !== undefined)
		return { proof: 'done', result: { ...order, order_id: orderIdOf(order) } };
	return {
		proof: 'unknown',
		error: new ExchangeError('malformed_response', { operation: operation.label, what: 'The answer names no order' }),
	};
}

/** Whether the order exists, from the order list, matched by identifier and payload. */
export async function readPlaced({ operation, accepted, read, ports, context }: Creation): Promise<Evidence> {
	return evidenceOf(async () => {
		const clientOrderId = String(accepted.client_order_id);
		const wanted = { clientOrderId, pair: String(accepted.pair_id) };
		const { orders, complete } = await findOrders(wanted, { read, ports, context });
		const same = orders.filter((order) => isSameOrder(order, accepted) && !isReplacement(order));
		if (same.length > 0) return { shows: 'effect', result: placed(same) };
		if (orders.length === 0) return { shows: 'nothing', complete };
		return { shows: 'contradiction', certain: false, error: otherOrder(operation, clientOrderId, orders[0]!) };
	});
}

/** A replacement may go under the client order id of the order it replaced. */
const isReplacement = (order: Item): boolean =>
	textOf((order.replace as Item | null) ?? undefined, 'replaces_order_id') !== undefined;

/** The answer that was lost, from the order itself. More than one order should be impossible, so it is said aloud. */
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
