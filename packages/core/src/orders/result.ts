import { interimStatuses, options, type Options } from '../catalogue';
import { waitMsOf } from '../context';
import { filledText, type Item, orderIdOf, textOf } from '../wire/payload';
import { withRemaining } from '../wire/remaining';
import { awaitOrder, type Goal, rejectionOf } from './await';
import type { OrderDependencies } from './deps';
import type { Outcome } from './machine/state';
import { adviceOf, unwantedEnd } from './outcome';
import type { Plan } from './plan';
import { wakeupsFor } from './wakeup';

/**
 * The item of an accepted intent: the service's answer, the identity, and the state of the order when it was requested.
 */
export async function resultOf(
	plan: Plan,
	outcome: Outcome & { is: 'accepted' },
	repeated: boolean,
	deps: OrderDependencies,
): Promise<Item> {
	const { operation, context, clientOrderId, key } = plan;
	if (outcome.by === 'lookup') {
		context.warn?.({
			kind: 'recovered',
			text: `The reply of ${operation.label} was lost or came earlier; a lookup shows that it was done`,
		});
	}
	// An earlier run may have sent the same name with something else before it.
	const name = filledText(outcome.result.client_order_id) ?? clientOrderId;
	const identity = { ...(name === undefined ? {} : { client_order_id: name }), idempotency_key: key };
	const item: Item = { ...withoutInterim(outcome.result), ...identity, ...repetitionOf(outcome.result, repeated) };
	const orderId = textOf(item, 'new_order_id') ?? orderIdOf(item);
	const wait = waitOf(plan);
	// The acknowledgement of a command carries no order status, so the order is read once.
	const isKnown = wait === 'none' && item.status !== null && item.status !== undefined;
	const answered = orderId === undefined || isKnown ? item : await withProgress(plan, { item, orderId, wait }, deps);
	const followed = withRemaining({ ...headOf(answered), ...sent(plan), ...answered });
	const rejection = rejectionOf(followed);
	const answer = { ...followed, ...(rejection === undefined ? {} : { rejection }), ...adviceOf(followed, plan.kind) };
	const error = unwantedEnd(answer, plan);
	if (error) throw error;
	return answer;
}

/** Marks the result of an intent that was done by an earlier run, with the time of the original. */
function repetitionOf({ repeated, created_at }: Item, isEarlier: boolean): Item {
	if (!isEarlier && repeated !== true) return {};
	return { repeated: true, ...(typeof created_at === 'string' ? { original_created_at: created_at } : {}) };
}

/** The identifying fields come first, because tables show the first columns. */
function headOf(answered: Item): Item {
	const head: Item = {};
	for (const name of ['new_order_id', 'order_id', 'status']) if (name in answered) head[name] = answered[name];
	return head;
}

/** The fields that were sent stand beside the answer, so that a later step can match a row to its input. */
function sent({ fields, context: { options: chosen } }: Plan): Item {
	// A replaced order has a new ID.
	const { order_id: _, ...sent } = fields;
	return { ...sent, ...(chosen?.business_key ? { business_key: chosen.business_key } : {}) };
}

/** `cancelling` and `replacing` acknowledge a command; they are no order status. (Interface, part 3.) */
function withoutInterim(result: Item): Item {
	if (!interimStatuses.some((interim) => interim === result.status)) return result;
	const { status, ...facts } = result;
	return { ...facts, acknowledgement: status, status: null };
}

type Wait = NonNullable<Options['wait']>;

const waitOf = ({ operation, context }: Plan): Wait =>
	operation.options?.includes('wait') ? (context.options?.wait ?? options.wait.default) : 'none';

async function withProgress(
	{ kind, context, clientOrderId }: Plan,
	{ item, orderId, wait: chosen }: { item: Item; orderId: string; wait: Wait },
	{ read, list, ports, host }: OrderDependencies,
): Promise<Item> {
	const goal: Goal = chosen === 'final' ? 'final' : 'accepted';
	const limitMs = chosen === 'none' ? 0 : waitMsOf(context);
	if (chosen !== 'none') context.progress?.({ doing: 'waiting', attempts: 0, attemptsMax: 0, lookups: 0, limitMs });
	const wakeups = chosen === 'none' ? undefined : wakeupsFor(host.orderEvents, { orderId, clientOrderId });
	const { order, replacedBy, wait } = await awaitOrder({
		orderId,
		isThisAlone: kind === 'cancel',
		until: goal,
		limitMs,
		read,
		list,
		ports,
		context,
		wakeups,
	});
	if (order) host.limits?.orderShown(order);
	const isReplaced = replacedBy !== undefined;
	return {
		// The names, times and identifiers of a successor are not those of the order that was asked for.
		...(isReplaced ? {} : order),
		...item,
		order_id: orderId,
		...pick(order, isReplaced ? [...changing, ...replaceable] : changing),
		...(replacedBy === undefined ? {} : { replaced_by_order_id: replacedBy }),
		...(chosen === 'none' ? {} : { wait }),
	};
}

/** Fields that change during the life of an order come from the latest read; the others stay as answered. */
const changing = ['status', 'filled_quantity', 'remaining_quantity', 'avg_fill_price', 'replace'];
/** What a replacement changes: beside the progress of the successor, the original's would not add up. */
const replaceable = ['quantity', 'price'];

const pick = (order: Item | undefined, names: readonly string[]): Item =>
	Object.fromEntries(names.filter((name) => order && name in order).map((name) => [name, order![name]]));
