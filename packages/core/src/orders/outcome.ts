import { openStatuses, options, type Options } from '../catalogue';
import { type Standing, ExchangeError } from '../errors';
import { orderIdOf, statusOf, textOf, type Item, filledText } from '../wire/payload';
import { isUnfilled, type WaitReport, awaitOrder, type Goal, rejectionOf } from './await';
import { successorOf } from './lookup';
import type { Plan } from './plan';
import { standing, withStanding } from './standing';
import { afterTries } from '../wire/retry';
import type { IntentState, Outcome } from './machine/state';
import { waitMsOf } from '../context';
import { withRemaining } from '../wire/remaining';
import type { OrderDependencies } from './deps';
import { wakeupsFor } from './wakeup';

/**
 * The error for an intent that was not accepted. For an unknown outcome it says what is known, what was tried and what
 * to do.
 */
export function outcomeError(
	outcome: Exclude<Outcome, { is: 'accepted' }>,
	plan: Plan,
	state: Pick<IntentState, 'sent'> & Partial<IntentState>,
	notBefore: string,
): ExchangeError {
	const { operation, kind } = plan;
	const { label } = operation;
	if (outcome.is === 'refused')
		return withStanding(operation, afterTries(outcome.error, state.attempts), 'no') as ExchangeError;
	const details = { ...identifiersOf(plan), attempts: state.sent };
	if (outcome.is === 'stopped') {
		return new ExchangeError('aborted', {
			operation: label,
			what: 'It was stopped before anything was sent',
			advice: `Run it again when it is wanted; ${standing[kind].no}`,
			done: 'no',
			details,
		});
	}
	const { error } = outcome;
	return new ExchangeError('outcome_unknown', {
		operation: label,
		status: error?.status,
		serviceMessage: error?.serviceMessage,
		serviceCode: error?.serviceCode,
		what: `${sentence(standing[kind].unknown)}: ${
			outcome.unseen
				? `an earlier run may have sent it, and this run sent nothing: ${error ? reasonOf(error, label) : 'it could not be looked up'}`
				: `${tries(state.sent)}, and no lookup could tell${error ? ` (last: ${reasonOf(error, label)})` : ''}`
		}`,
		advice: adviceFor(plan),
		done: 'unknown',
		details: {
			...details,
			...(plan.clientOrderId === undefined ? {} : { not_before: notBefore }),
			...(error ? { cause: error.code } : {}),
		},
	});
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The label of the operation begins the sentence, so the operation is named again only when another one failed. */
const reasonOf = ({ operation, summary, what }: ExchangeError, label: string): string =>
	operation === label ? what : summary;

/**
 * Advice that holds wherever the error is read: a new run may derive another identity, so the values to reuse are
 * named.
 */
function adviceFor({ kind, clientOrderId, context }: Plan): string {
	if (kind === 'cancel') return 'Read the order to see whether it was cancelled before you cancel it again';
	const lookup =
		clientOrderId === undefined
			? 'read the order list'
			: 'give the client_order_id, pair_id and not_before of this error to Resolve Order, which only reads';
	const name = context.options?.business_key
		? 'under the same business key, which is'
		: 'with the client_order_id and idempotency_key of this error, which are';
	return `Do not place it as a new order: ${lookup}. To go on with it, send it ${name} looked up first`;
}

/** The fields sent on the wire: Resolve Order needs them, and sending the same intent again needs them. */
function identifiersOf({ id, fields, context, key }: Plan): Record<string, string> {
	const { business_key } = context.options ?? {};
	return {
		intent_operation: id,
		...textsOf(fields, Object.keys(fields)),
		...(business_key === undefined ? {} : { business_key }),
		idempotency_key: key,
	};
}

const textsOf = (item: Item, names: readonly string[]): Record<string, string> =>
	Object.fromEntries(
		names.flatMap((name) => {
			const text = textOf(item, name);
			return text === undefined ? [] : [[name, text]];
		}),
	);

function tries(sent: number): string {
	if (sent === 0) return 'an earlier run may have sent it';
	return sent === 1 ? 'it was sent once' : `the same request was sent ${sent} times`;
}

/** An end of an order that a caller may choose to receive as an error, so that no flow takes it for a success. */
interface Unwanted {
	code: 'rejected' | 'unfilled' | 'time_limit';
	is: (item: Item) => boolean;
	/** Whether an order stands or stood. */
	done: (item: Item) => Standing;
	what: (item: Item) => string;
	/** What to do next where the order is all that there is of its intent. */
	advice: string;
}

const unfilled: Unwanted = {
	code: 'unfilled',
	// What was filled of an intent is spread over the orders that replaced each other.
	is: (item) => statusOf(item) === 'cancelled' && isUnfilled(item) && relativeOf(item) === undefined,
	done: () => 'yes',
	what: () => 'it was cancelled unfilled',
	advice:
		'If nobody has replaced it and you still want it, place it again later or with another price; this one is over',
};

/** Fail When names the last of these that is an error; those before it are errors too. */
const ends: readonly Unwanted[] = [
	{
		code: 'rejected',
		is: (item) => statusOf(item) === 'rejected',
		done: (item) => (relativeOf(item) === undefined ? 'no' : 'unknown'),
		what: ({ rejection }) => `the service took it and then rejected it${reason(rejection)}`,
		advice: 'Correct what the reason names and place it as a new order',
	},
	unfilled,
	{
		code: 'time_limit',
		// Whatever ended the wait, nobody saw what it was for.
		is: ({ wait }) => whyUnseen(wait) !== undefined,
		done: () => 'yes',
		what: ({ wait, status }) =>
			`it had the status ${typeof status === 'string' ? status : 'unknown'} ${whyUnseen(wait)}`,
		advice: 'It may be under way: read or cancel it by its order ID, and do not place it again',
	},
];

const unseenEnds: Partial<Record<WaitReport['ended'], string>> = {
	time_limit: 'at the end of the time limit',
	stopped: 'when the wait was stopped',
	expired: 'when the wait ended, which is not documented as the end of an order',
	unreadable: 'when it could not be read any more',
};

const whyUnseen = (wait: unknown): string | undefined =>
	unseenEnds[(wait as WaitReport | undefined)?.ended ?? 'reached'];

/**
 * What to do with an order that a wait left open: placed again for the whole quantity, it would trade too much. It also
 * says what to do after an end that looks well and is not what was asked for.
 */
function adviceOf(item: Item, kind: Plan['kind']): { advice?: string } {
	const left = textOf(item, 'remaining_quantity');
	if (whyUnseen(item.wait) === undefined) {
		const successor = kind === 'cancel' ? successorOf(item) : undefined;
		if (successor !== undefined)
			return { advice: `It was replaced by order ${successor}, which may be open: cancel that one` };
		if (kind === 'cancel' || statusOf(item) !== 'cancelled' || relativeOf(item) !== undefined) return {};
		if (unfilled.is(item)) return { advice: `It was cancelled unfilled. ${unfilled.advice}` };
		if (!left) return {};
		return { advice: `It was cancelled after a part of it was filled: place at most the remaining ${left} again` };
	}
	const isBegun = left !== undefined && left !== textOf(item, 'quantity') && !isUnfilled(item);
	const most = isBegun ? `at most what remains then (${left} now)` : 'at most what remains then';
	return {
		advice: `It may be open: wait for it with Get Order, or cancel it and place ${most}, never the whole quantity again`,
	};
}

const reason = (rejection: unknown): string => (typeof rejection === 'string' ? `: ${rejection}` : '');

/**
 * The error for an order that ended in a way the caller chose to treat as one, with the fields a flow needs to
 * continue.
 */
export function unwantedEnd(item: Item, { operation, kind, context }: Plan): ExchangeError | undefined {
	if (!operation.options?.includes('fail_when')) return undefined;
	const { fail_when: last = options.fail_when.default } = context.options ?? {};
	// An order that is over without a fill is what a cancel is for.
	const wanted = kind === 'cancel' ? ['rejected', 'unfilled'] : [];
	const end = ends
		.slice(0, ends.findIndex(({ code }) => code === last) + 1)
		.find((each) => !wanted.includes(each.code) && each.is(item));
	if (!end) return undefined;
	// What became of a cancel or of a replacement is seen at the other order.
	const done = kind === 'create' ? end.done(item) : 'unknown';
	return new ExchangeError(end.code, {
		operation: operation.label,
		what: `${sentence(standing[kind][done])}: ${end.what(item)}`,
		advice: adviceAfter(end, item),
		done,
		details: factsOf(item),
	});
}

/** The other order of a replacement, which may be open or filled whatever became of this one. */
const relativeOf = (item: Item): string | undefined =>
	textOf(item, 'replaced_by_order_id') ?? successorOf(item) ?? textOf(item, 'original_order_id');

/** Nothing is to be placed again while anything of the intent may live. */
function adviceAfter({ advice }: Unwanted, item: Item): string {
	const relative = relativeOf(item);
	if (relative === undefined) return advice;
	return `Read the order ${relative} too, which may be open or filled, before you do anything else`;
}

const factNames = [
	'original_order_id',
	'replaced_by_order_id',
	'client_order_id',
	'idempotency_key',
	'business_key',
	'pair_id',
	'side',
	'order_type',
	'quantity',
	'price',
	'filled_quantity',
	'remaining_quantity',
	'status',
	'rejection',
] as const;

function factsOf(item: Item): Record<string, string> {
	const orderId = orderIdOf(item);
	return { ...(orderId === undefined ? {} : { order_id: orderId }), ...textsOf(item, factNames) };
}

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
	const item: Item = { ...acknowledged(outcome), ...identity, ...repetitionOf(outcome.result, repeated) };
	const orderId = textOf(item, 'new_order_id') ?? orderIdOf(item);
	const wait = waitOf(plan);
	// The acknowledgement of a command carries no order status, so the order is read once.
	const isKnown = wait === 'none' && !isNothing(item.status);
	const answered = orderId === undefined || isKnown ? item : await withProgress(plan, { item, orderId, wait }, deps);
	const followed = withRemaining({ ...headOf(answered), ...sentFields(plan), ...answered });
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

/** The fields that were sent are put beside the answer, so that a later step can match a row to its input. */
function sentFields({ fields, context: { options: chosen } }: Plan): Item {
	// A replaced order has a new ID.
	const { order_id: _, ...sent } = fields;
	return { ...sent, ...(chosen?.business_key ? { business_key: chosen.business_key } : {}) };
}

/**
 * A reply says only of an open order how it is. `cancelling` and `replacing` acknowledge a command, and are no order status.
 * (Interface, part 3.) Only a read proves the end of an order, and what another word means. (Interface, part 1.)
 */
function acknowledged({ result, by }: Outcome & { is: 'accepted' }): Item {
	const { status, ...facts } = result;
	if (by === 'lookup' || isNothing(status) || openStatuses.some((open) => open === statusOf(result))) return result;
	return { ...without(facts, changing), acknowledgement: status, status: null };
}

const isNothing = (value: unknown): boolean => value === undefined || value === null;

const without = (item: Item, names: readonly string[]): Item =>
	Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

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
