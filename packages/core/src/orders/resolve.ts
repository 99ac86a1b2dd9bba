import { operationOf } from '../catalogue';
import type { CallContext } from '../context';
import type { Accepted } from '../wire/request';
import { filledText, instantOf, orderIdOf, textOf, type Item } from '../wire/payload';
import { withBusinessKey } from '../wire/intent-key';
import { withRemaining } from '../wire/remaining';
import { timesAt } from '../wire/remote-clock';
import { ExchangeError } from '../errors';
import { sleep } from '../ports';
import { awaitOrder, successorIn } from './await';
import type { ClientAccess } from './deps';
import type { OrderList } from './log/order-list';
import { isUnder, mayBeUnder } from './log/evidence';
import { sameText } from './lookup';
import { absenceMs, type Policy } from './machine/policy';

/** The first send of an order may be this long before its last one: a resend follows within minutes, and clocks differ. */
const SENT_BEFORE_MS = 600_000;
/** An order may have been sent this long ago, where nobody says when. */
const SENT_WITHIN_MS = 24 * 3_600_000;

interface Resolving extends Pick<ClientAccess, 'read' | 'ports' | 'service'> {
	list: Pick<OrderList, 'find'>;
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
	const { list, ports, context, policy } = resolving;
	const clientOrderId = String(accepted.client_order_id);
	const certainAt = certainFrom(accepted.not_before, resolving);
	const query = {
		matches: isUnder(clientOrderId),
		mayMatch: mayBe(accepted, certainAt, resolving),
		name: clientOrderId,
		isPatient: true,
		isThorough: true,
	};
	const isLate = (): boolean => ports.clock.elapsed() >= certainAt;
	let isCertain = isLate();
	let answer = await list.find(query, context.signal);
	if (answer.orders.length === 0 && !(isCertain && answer.complete)) {
		const waits = context.options?.wait_certain === true;
		const until = waits ? certainAt : Math.min(certainAt, ports.clock.elapsed() + policy.conclusiveMs);
		while (ports.clock.elapsed() < until && !context.signal?.aborted)
			await sleep(ports.clock, until - ports.clock.elapsed(), context.signal);
		isCertain = isLate();
		answer = await list.find(query, context.signal);
	}
	const [order, ...more] = answer.orders;
	if (!order) {
		if (!answer.complete) throw incomplete(answer.gap);
		if (answer.hidesNames) throw incomplete('it shows no client order IDs');
		if (answer.hidden.length > 0) throw incomplete('it shows an order of that time without its whole client order ID');
		const none = { client_order_id: clientOrderId, order: null };
		return isCertain
			? { outcome: 'not_found', ...none }
			: { outcome: 'unknown', ...none, ...askAgainLater(certainAt, resolving) };
	}
	const duplicates = more.map(orderIdOf).filter((id) => id !== undefined);
	return {
		outcome: 'accepted',
		client_order_id: clientOrderId,
		order: withBusinessKey(withRemaining(order)),
		...(duplicates.length > 0 ? { duplicate_order_ids: duplicates } : {}),
		...(await replacementOf(order, resolving)),
	};
}

/** What took the place of an order. A caller that gets the replaced order alone may place it again beside its successor. */
async function replacementOf(order: Item, resolving: Resolving): Promise<Item> {
	const orderId = await successorIn(order, resolving);
	if (orderId === undefined) return {};
	const { order: now, replacedBy = orderId } = await awaitOrder({ ...resolving, orderId, until: 'final', limitMs: 0 });
	return {
		replaced_by_order_id: replacedBy,
		...(now === undefined ? {} : { replacement: withRemaining(now) }),
		advice: `The order ${replacedBy} took its place: it may be open or filled, so place neither of them again`,
	};
}

/**
 * Whether an order may be the one that is asked for, though it shows a part of that name. An order without any name, in
 * a list that shows names, was placed by hand. If it counted, no answer would ever be certain on an account where
 * people trade, too.
 */
function mayBe({ client_order_id, pair_id, not_before }: Accepted, certainAt: number, resolving: Resolving) {
	const { ports, service, policy } = resolving;
	const isNamedSo = mayBeUnder(client_order_id);
	const earlierMs = not_before === undefined ? SENT_WITHIN_MS : SENT_BEFORE_MS;
	const from = timesAt(certainAt - absenceMs(policy) - earlierMs, ports.clock, service).earliest;
	return (order: Item): boolean =>
		filledText(order.client_order_id) !== undefined &&
		isNamedSo(order) &&
		!((instantOf(order.created_at) ?? from) < from) &&
		sameText(textOf(order, 'pair_id'), pair_id);
}

/**
 * From when on finding nothing proves that there is no such order. A request may have been sent a moment ago, unless the
 * caller knows from when on it can no longer arrive; a later request of this process counts nevertheless.
 */
function certainFrom(notBefore: Accepted[string] | undefined, { ports, service, policy, sentAt }: Resolving): number {
	const now = ports.clock.elapsed();
	const time = instantOf(notBefore);
	const latest = now + absenceMs(policy);
	const wanted = time === undefined ? latest : now + time - timesAt(now, ports.clock, service).earliest;
	return Math.min(latest, Math.max(wanted, sentAt === undefined ? wanted : sentAt + absenceMs(policy)));
}

function askAgainLater(certainAt: number, { ports, service }: Resolving): Item {
	const at = new Date(timesAt(certainAt, ports.clock, service).latest).toISOString();
	return {
		not_before: at,
		advice: `It may still arrive: ask again with this not_before, not before ${at.slice(11, 16)} UTC, and do not place it again`,
	};
}

/** From when on finding nothing proves that a request was not done, as a time for other processes. */
export const certainTime = (
	{ ports, service }: Pick<ClientAccess, 'ports' | 'service'>,
	policy: Policy,
	sentAt: number,
) => new Date(timesAt(sentAt + absenceMs(policy), ports.clock, service).latest).toISOString();

const { label } = operationOf('order.resolve');

const incomplete = (gap = 'the list is not complete'): ExchangeError =>
	new ExchangeError('limit_reached', {
		operation: label,
		what: `The order list does not show whether there is such an order: ${gap}`,
		advice: 'Read the order list yourself, filtered as closely as you can',
	});
