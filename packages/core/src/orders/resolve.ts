import { operationOf } from '../catalogue';
import type { CallContext } from '../context';
import type { Accepted } from '../wire/request';
import { instantOf, orderIdOf, type Item } from '../wire/payload';
import { withBusinessKey } from '../wire/intent-key';
import { withRemaining } from '../wire/remaining';
import type { ServiceClock } from '../wire/remote-clock';
import { backoff } from '../backoff';
import { ExchangeError, isExchangeError } from '../errors';
import { sleep, type Ports } from '../ports';
import type { OrderList, OrderQuery } from './log/order-list';
import type { Answer } from './log/sharing';
import { isNamed } from './identity';
import { absenceMs, type Policy } from './machine/policy';

const READS_MAX = 4;
/** Lower bound of every pause, even when the service asks for a shorter one. */
const PAUSE_MS_MIN = 250;
const pauseMs = { base: 500, cap: 8_000 };

interface Resolving {
	list: Pick<OrderList, 'look'>;
	ports: Ports;
	service: ServiceClock;
	context: CallContext;
	policy: Pick<Policy, 'conclusiveMs' | 'lateArrivalMs'>;
	/** When this process last sent an intent with this name, if it knows. */
	sentAt?: number;
}

/**
 * Whether an order with this identifier exists. Answers no only when a request for it could no longer arrive; until then
 * it says from when on it can, or waits for that.
 */
export async function resolveOrder(accepted: Accepted, resolving: Resolving): Promise<Item> {
	const { ports, context, policy } = resolving;
	const clientOrderId = String(accepted.client_order_id);
	const pair = accepted.pair_id === undefined ? undefined : String(accepted.pair_id);
	const matches = isNamed(clientOrderId);
	const certainAt = certainFrom(accepted.not_before, resolving);
	let { orders } = await readPatiently({ matches, name: clientOrderId, pair }, resolving);
	let isCertain = true;
	if (orders.length === 0) {
		const waits = context.options?.wait_certain === true;
		const until = waits ? certainAt : Math.min(certainAt, ports.clock.elapsed() + policy.conclusiveMs);
		while (ports.clock.elapsed() < until && !context.signal?.aborted)
			await sleep(ports.clock, until - ports.clock.elapsed(), context.signal);
		isCertain = ports.clock.elapsed() >= certainAt;
		const second = await readPatiently({ matches, name: clientOrderId, isThorough: true }, resolving);
		if (second.orders.length === 0 && !second.complete) throw incomplete(second.gap);
		if (second.orders.length === 0 && second.hidesNames) throw incomplete('it shows no client order IDs');
		orders = second.orders;
	}
	const [order, ...more] = orders;
	if (!order) {
		const answer = { client_order_id: clientOrderId, order: null };
		return isCertain
			? { outcome: 'not_found', ...answer }
			: { outcome: 'unknown', ...answer, ...later(certainAt, resolving) };
	}
	const duplicates = more.map(orderIdOf).filter((id) => id !== undefined);
	return {
		outcome: 'accepted',
		client_order_id: clientOrderId,
		order: withBusinessKey(withRemaining(order)),
		...(duplicates.length > 0 ? { duplicate_order_ids: duplicates } : {}),
	};
}

/**
 * From when on finding nothing proves that there is no such order. A request may have been sent a moment ago, unless the
 * caller knows from when on it can no longer arrive; a later request of this process counts nevertheless.
 */
function certainFrom(notBefore: Accepted[string] | undefined, { ports, service, policy, sentAt }: Resolving): number {
	const now = ports.clock.elapsed();
	const time = instantOf(notBefore);
	const latest = now + absenceMs(policy);
	const wanted = time === undefined ? latest : now + time - serviceTime({ ports, service }, now);
	return Math.min(latest, Math.max(wanted, sentAt === undefined ? wanted : sentAt + absenceMs(policy)));
}

function later(certainAt: number, { ports, service }: Resolving): Item {
	const at = new Date(serviceTime({ ports, service }, certainAt)).toISOString();
	return {
		not_before: at,
		advice: `It may still arrive: ask again with this not_before, not before ${at.slice(11, 16)} UTC, and do not place it again`,
	};
}

/** Retries a failed read for a while, because a page that cannot be read proves nothing; then throws its error. */
async function readPatiently(wanted: OrderQuery, { list, ports, context }: Resolving): Promise<Answer> {
	for (let reads = 1; ; reads += 1) {
		if (context.signal?.aborted) throw stopped();
		try {
			return await list.look(wanted, context.signal);
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

interface Clocks {
	ports: Pick<Ports, 'clock'>;
	service: ServiceClock;
}

/** The time of the service at a moment, in milliseconds since 1970; by our own clock where it does not date its answers. */
const serviceTime = ({ ports: { clock }, service }: Clocks, elapsed: number): number =>
	service.at(elapsed) ?? clock.now() + elapsed - clock.elapsed();

/** From when on finding nothing proves that a request was not done, as a time for other processes. */
export const certainTime = (clocks: Clocks, policy: Policy, sentAt: number): string =>
	new Date(serviceTime(clocks, sentAt + absenceMs(policy))).toISOString();

const { label } = operationOf('order.resolve');

const stopped = (): ExchangeError => new ExchangeError('aborted', { operation: label, what: 'The search was stopped' });

const incomplete = (gap = 'the list is not complete'): ExchangeError =>
	new ExchangeError('limit_reached', {
		operation: label,
		what: `The order list does not show whether there is such an order: ${gap}`,
		advice: 'Read the order list yourself, filtered as closely as you can',
	});
