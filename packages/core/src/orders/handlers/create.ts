import type { Operation } from '../../catalogue';
import { ExchangeError } from '../../errors';
import { makeAttempt, orderIdText } from '../../wire/attempt';
import { instantOf, orderIdOf, orderIn, type Item } from '../../wire/payload';
import { buildRequest } from '../../wire/request';
import { isUnder, mayBeUnder } from '../log/evidence';
import { isReadable, isSameOrder, lookupResultOf, predecessorOf } from '../lookup';
import type { AttemptResult, LookupResult } from '../machine/state';
import type { KindHandler, HandlerContext } from '../deps';
import type { LookupScope } from '../run';
import { unproved } from './command';

/** A new order: placed over REST, looked up in the order list. */
export function create(handling: HandlerContext): KindHandler {
	const { plan, account, assertWanted } = handling;
	const built = buildRequest(plan.id, plan.operation, plan.fields, account);
	const { signal, options } = plan.context;
	// An answer that comes after the outcome was reported as unknown is worth nothing to the caller.
	const timeoutMs = Math.min(built.timeoutMs, (options?.unknown_after_seconds ?? Infinity) * 1_000);
	const request = { ...built, signal, timeoutMs, assertWanted };
	const { clock } = handling.ports;
	const began = { elapsed: clock.elapsed(), now: clock.now() };
	// The monotonic clock stands still while a machine sleeps, so an order is older only by both clocks.
	const beganAt = (): number | undefined => {
		const remote = handling.service.at(began.elapsed);
		return remote === undefined ? undefined : Math.min(remote, began.now);
	};
	// An order placed long before this run belongs to another intent, or to an earlier run with the same client order
	// id.
	const isOlder: IsOlder = ({ created_at }, byMs = CLOCKS_DIFFER_MS) =>
		(instantOf(created_at) ?? Infinity) < (beganAt() ?? -Infinity) - byMs;
	return {
		send: () => sendOrder(handling, request, isOlder),
		lookup: (look) => lookup(handling, isOlder, { ...look, beganAt: beganAt() ?? began.now }),
	};
}

/** Whether an order was placed at least that long before this run. */
type IsOlder = (order: Item, byMs?: number) => boolean;

async function sendOrder(
	{ plan: { operation, key, fields }, account, ports, memory }: HandlerContext,
	request: ReturnType<typeof buildRequest>,
	isOlder: IsOlder,
): Promise<AttemptResult> {
	const attempt = await makeAttempt(operation, request, account.apiKey, ports);
	if (attempt.proof !== 'done') return attempt;
	const order = orderIn(attempt.data);
	const orderId = orderIdOf(order);
	if (!order || orderId === undefined)
		return {
			...unproved(operation, 'The answer contains no order ID'),
			showsOrder: orderIdText.test(JSON.stringify(attempt.data)),
		};
	const isNamedSo = showsNoName(order) || isUnder(fields.client_order_id)(order);
	const showsOrder = isNamedSo && (memory.ownerOf(orderId) ?? key) === key;
	if (!showsOrder || !isReadable(order, fields) || !isSameOrder(order, fields))
		return { ...unproved(operation, 'The answer names another order than the one that was sent'), showsOrder };
	const repeated = isOlder(order) ? { repeated: true } : {};
	return {
		proof: 'done',
		result: { client_order_id: fields.client_order_id, ...order, order_id: orderId, ...repeated },
	};
}

const showsNoName = ({ client_order_id: name }: Item): boolean => name === undefined || name === null || name === '';

/** Whether the order exists, from the order list, matched by identifier and payload. */
function lookup(
	{ plan: { operation, key, fields, isShared, context }, list, memory }: HandlerContext,
	isOlder: IsOlder,
	{ isThorough, isEarlier, beganAt }: LookupScope & { beganAt: number },
): Promise<LookupResult> {
	// A client order id shared between runs may name an order of any age; one made for this run cannot name an older
	// order.
	const isOfThisRun = !isShared && !isEarlier;
	const isOfAnother = (order: Item): boolean => {
		const owner = memory.ownerOf(orderIdOf(order) ?? '');
		return owner !== undefined && owner !== key;
	};
	const isAnothers = (order: Item): boolean => (!isShared && isOfAnother(order)) || (isOfThisRun && isOlder(order));
	return lookupResultOf(async () => {
		const clientOrderId = String(fields.client_order_id);
		const mayBeOurs = mayBeUnder(clientOrderId);
		// A lookup that is not thorough looks for a new order alone, and reads no further back than one may be.
		const since = isThorough ? undefined : beganAt - (isOfThisRun ? CLOCKS_DIFFER_MS : DAY_MS);
		const query = {
			matches: isUnder(clientOrderId),
			mayMatch: (order: Item) => mayBeOurs(order) && isSameOrder(order, fields) && !isOfAnother(order),
			name: clientOrderId,
			since,
			isThorough,
		};
		const { orders, hidden, ...seen } = await list.find(query, context.signal);
		const readable = orders.filter((order) => isReadable(order, fields));
		const alike = readable.filter((order) => isSameOrder(order, fields) && !isReplacement(order));
		const same = alike.filter((order) => !isAnothers(order));
		if (same.length > 0) return { is: 'found', result: placed(same) };
		if (orders.length > 0)
			return {
				is: 'conflict',
				certain: false,
				error: otherOrder(operation, clientOrderId, alike[0] ?? orders[0]!, alike.length > 0),
			};
		// An old order of these terms is another one, unless the list shows no names at all.
		const isHidden = hidden.some((order) => seen.hidesNames === true || !isOlder(order, DAY_MS));
		const gap = isHidden ? 'it shows an order with these values and without its whole client order ID' : seen.gap;
		const complete = seen.complete && !isHidden;
		return { is: 'absent', complete, ...(complete ? {} : { error: notShown(operation, gap) }) };
	});
}

/** Allowed difference between the clocks of the service: one dates its replies, another one the orders. */
export const CLOCKS_DIFFER_MS = 300_000;

/**
 * A run may be repeated this long after its order was sent, and a service may date the order by the time of another
 * zone.
 */
const DAY_MS = 24 * 3_600_000;

/** Says which part of the list could not be read, and that nothing is sent without knowing. */
const notShown = (operation: Operation, gap = 'the list is not complete'): ExchangeError =>
	new ExchangeError('limit_reached', {
		operation: operation.label,
		what: `The order list cannot show whether the order exists: ${gap}`,
		advice: 'Look for the order yourself by its client order ID',
	});

/** A replacement may carry the client order id of the order it replaced. */
const isReplacement = (order: Item): boolean => predecessorOf(order) !== undefined;

/**
 * The found order takes the place of the lost reply. More than one match should be impossible, so the result reports
 * it.
 */
function placed([order, ...more]: Item[]): Item {
	const ids = more.map(orderIdOf).filter((id) => id !== undefined);
	return { ...order, order_id: orderIdOf(order), ...(ids.length > 0 ? { duplicate_order_ids: ids } : {}) };
}

const otherOrder = (operation: Operation, clientOrderId: string, order: Item, isAlike: boolean): ExchangeError =>
	new ExchangeError('conflict', {
		operation: operation.label,
		field: 'client_order_id',
		what: isAlike
			? 'An earlier order with this client order ID and these values exists'
			: 'An order with this client order ID exists, with other values',
		advice: 'Read that order; to place another one, give it a business key or client order ID of its own',
		details: { client_order_id: clientOrderId, order_id: orderIdOf(order) ?? null },
	});
