import { operationOf } from '../catalogue';
import type { CallContext } from '../context';
import type { Accepted } from '../wire/request';
import { orderIdOf, type Item } from '../wire/payload';
import { backoff } from '../backoff';
import { ExchangeError, isExchangeError } from '../errors';
import { sleep, type Ports } from '../ports';
import type { OrderList } from './lookup/list';
import { findOrders, isNamed, type FoundOrders } from './lookup/lookup';

const READS_MAX = 4;
/** Lower bound of every pause, even when the service asks for a shorter one. */
const PAUSE_MS_MIN = 250;
const pauseMs = { base: 500, cap: 8_000 };

interface Resolving {
	list: OrderList;
	ports: Ports;
	context: CallContext;
	/** How long an order may take to show in the list. */
	settleMs: number;
}

/** Whether an order with this identifier exists. Answers no only after two lookups with `settleMs` between them. */
export async function resolveOrder(accepted: Accepted, resolving: Resolving): Promise<Item> {
	const clientOrderId = String(accepted.client_order_id);
	const pair = accepted.pair_id === undefined ? undefined : String(accepted.pair_id);
	const matches = isNamed(clientOrderId);
	let { orders } = await readPatiently({ matches, pair }, resolving);
	if (orders.length === 0) {
		await sleep(resolving.ports.clock, resolving.settleMs, resolving.context.signal);
		const second = await readPatiently({ matches, isThorough: true }, resolving);
		if (second.orders.length === 0 && !second.complete) throw incomplete(second.gap);
		orders = second.orders;
	}
	const [order, ...more] = orders;
	if (!order) return { outcome: 'not_found', client_order_id: clientOrderId, order: null };
	const duplicates = more.map(orderIdOf).filter((id) => id !== undefined);
	return {
		outcome: 'accepted',
		client_order_id: clientOrderId,
		order,
		...(duplicates.length > 0 ? { duplicate_order_ids: duplicates } : {}),
	};
}

/** Retries a failed read for a while, because a page that cannot be read proves nothing; then throws its error. */
async function readPatiently(
	wanted: Parameters<typeof findOrders>[0],
	{ list, ports, context }: Resolving,
): Promise<FoundOrders> {
	for (let reads = 1; ; reads += 1) {
		if (context.signal?.aborted) throw stopped();
		try {
			return await findOrders(wanted, { list, signal: context.signal });
		} catch (error) {
			if (!isExchangeError(error) || !error.retryable || reads >= READS_MAX) throw error;
			await sleep(
				ports.clock,
				Math.max(PAUSE_MS_MIN, error.retryAfterMs ?? 0, backoff(pauseMs, reads, ports.random)),
				context.signal,
			);
		}
	}
}

const { label } = operationOf('order.resolve');

const stopped = (): ExchangeError => new ExchangeError('aborted', { operation: label, what: 'The search was stopped' });

const incomplete = (gap = 'the list is not complete'): ExchangeError =>
	new ExchangeError('limit_reached', {
		operation: label,
		what: `The order list does not show whether there is such an order: ${gap}`,
		advice: 'Read the order list yourself, filtered as closely as you can',
	});
