import type { OperationId, Options } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError, isExchangeError, isOfKey } from '../errors';
import { assertKind, signal as aSignal } from '../given';
import { type Item, textOf } from '../wire/payload';
import type { Accepted } from '../wire/request';
import type { ClientAccess, OrderDependencies, OrderPorts } from './deps';
import { handlerOf } from './handlers';
import { type AccountMemory, OPEN_SHOWN_MAX, resumeState, type Rechecked } from './memory';
import { type IntentEntry, openElsewhere, ownerOf, closeIn, restoreOnce } from './journal';
import { createOrderList } from './log/order-list';
import { type Machine, orderMachine } from './machine/machine';
import { orderPolicy } from './machine/policy';
import { type IntentState, newIntent } from './machine/state';
import { outcomeError, resultOf } from './outcome';
import { termsDigest } from './identity';
import { intentNameOf } from './log/evidence';
import { type Plan, planOf, preview, sentAgain } from './plan';
import { certainTime, resolveOrder } from './resolve';
import { type Handler, orderIdIn, runIntent, type RunResult } from './run';
import { findElsewhere, lookUpLater, recover, type Recovery } from './reconciler';
import { wakeupsFor, type WakeupSource } from './wakeup';
import { isProduction } from '../environment';
import { readOrder } from './lookup';

interface OrderWrite {
	id: OperationId;
	accepted: Accepted;
	context: CallContext;
	/** Checks of the client before an order is sent. Throws when one fails. */
	check: () => Promise<unknown>;
}

export interface Intents {
	/** Carries out one order write and returns its item. Throws outcome_unknown when it may or may not have been done. */
	carryOut(write: OrderWrite): Promise<Item>;
	/** Whether an order with a client order id exists. */
	resolve(accepted: Accepted, context: CallContext): Promise<Item>;
	/**
	 * Intents of this process that are in progress or of unknown outcome, and those that its journal holds for another
	 * address or key.
	 */
	open(): { idempotency_key: string; state: 'under_way' | 'unknown' | 'elsewhere' }[];
	/**
	 * Looks up the intents an earlier process left open; never sends. An intent is closed when the consumer asks for
	 * the next one, so a crash in between reports it again.
	 */
	recover(signal?: AbortSignal): AsyncGenerator<Recovery>;
}

export function createIntents(
	access: ClientAccess,
	host: OrderPorts & { memory: AccountMemory; machine?: Machine },
): Intents {
	const { memory, machine = orderMachine(), journal } = host;
	const owner = ownerOf(access.account);
	const { read, service, ports } = access;
	const name = JSON.stringify(owner);
	const list = createOrderList({ read, service, clock: ports.clock, name, logs: memory.orderLogs });
	const deps: OrderDependencies = {
		...access,
		owner,
		list,
		host,
		memory,
		machine,
		restored: restoreOnce(journal, memory, { owner, clock: ports.clock }),
	};
	return {
		carryOut: (write) => carryOut(deps, write),
		resolve: (accepted, context) =>
			resolveOrder(accepted, {
				...access,
				list,
				context,
				policy: machine.policy,
				sentAt: memory.sentAt(intentNameOf(String(accepted.client_order_id)), access.ports.clock.elapsed()),
			}),
		open: () => [
			...[...deps.restored.others.keys()]
				.slice(-OPEN_SHOWN_MAX)
				.map((key) => ({ idempotency_key: key, state: 'elsewhere' as const })),
			...memory
				.open()
				.map(({ key, isRunning }) => ({ idempotency_key: key, state: isRunning ? 'under_way' : 'unknown' }) as const),
		],
		recover: (signal) => {
			if (signal !== undefined) assertKind(signal, aSignal, { of: 'What recover takes', field: 'signal' });
			return recover(deps, signal);
		},
	};
}

async function carryOut(deps: OrderDependencies, { id, accepted, context, check }: OrderWrite): Promise<Item> {
	const planned = planOf(id, accepted, context, deps);
	const calledAt = deps.ports.clock.elapsed();
	if (context.options?.dry_run) {
		await handlerOf(planned, deps, check).check();
		return preview(planned, deps.account);
	}
	if (!deps.restored.isDone && !deps.memory.knows(planned.key)) await restoreFor(planned, deps);
	// What the process before had done is looked for, because the service may answer it as new, or have forgotten its key.
	const isPlaced = planned.kind !== 'cancel' && deps.restored.placed.has(planned.key);
	const plan: Plan = isPlaced ? { ...planned, isShared: true } : planned;
	const handler = handlerOf(plan, deps, check);
	const other = deps.restored.others.get(plan.key);
	if (other) await resumeElsewhere(plan, other, deps);
	const result = await deps.memory.once({
		key: plan.key,
		digest: plan.digest,
		isCancel: plan.kind === 'cancel',
		repeated: Boolean(context.repeated),
		recheck: (ended) => recheckInSandbox(ended, plan, deps),
		signal: context.signal,
		run: (state) => {
			const begun = initialState(state, plan, { calledAt, now: deps.ports.clock.elapsed() });
			const sending = begun.acknowledged ? handlerOf(sentAgain(plan, begun.acknowledged), deps, check) : handler;
			return runAndReconcile(deps, { plan, handler: sending, begun });
		},
		onPayloadMismatch: (before) => payloadMismatch(deps, plan, handler, before),
	});
	const { outcome, state, repeated } = result;
	if (outcome.is !== 'accepted') throw outcomeError(outcome, plan, state, certainAt(state, deps));
	const isEarlier = repeated || (outcome.by === 'lookup' && state.sent === 0);
	try {
		return await resultOf(plan, outcome, isEarlier, deps);
	} finally {
		// The entry is closed only now: if the process dies while the caller waits for the end of the order, the next one
		// finds the entry open and reports it.
		if (!repeated) await closeIn(deps.host.journal, { key: plan.key, account: deps.owner }, 'accepted');
	}
}

/** From when on Resolve Order can say that it was not done. An earlier run may have sent it a moment ago. */
const certainAt = ({ lastAttemptAt, sent = 0 }: Partial<IntentState>, deps: OrderDependencies): string =>
	certainTime(deps, deps.machine.policy, (sent > 0 ? lastAttemptAt : undefined) ?? deps.ports.clock.elapsed());

/** When an earlier run may have sent this intent, an unreadable journal is no reason to call it refused. */
async function restoreFor(plan: Plan, deps: OrderDependencies): Promise<void> {
	try {
		await deps.restored.entries();
	} catch (error) {
		if (!plan.context.repeated || !isExchangeError(error)) throw error;
		throw outcomeError({ is: 'unknown', error, unseen: true }, plan, { sent: 0 }, certainAt({}, deps));
	}
}

/** An intent left open under another address or key: found here it is done, and otherwise nothing is sent. */
async function resumeElsewhere(plan: Plan, entry: IntentEntry, deps: OrderDependencies): Promise<void> {
	const { key, operation, fields } = entry;
	const elsewhere = await findElsewhere(deps, entry, plan.context.signal);
	if (!elsewhere) {
		const error = new ExchangeError('invalid_account', { operation: plan.operation.label, what: openElsewhere(entry) });
		throw outcomeError({ is: 'unknown', error, unseen: true }, plan, { sent: 0 }, certainAt({}, deps));
	}
	deps.memory.conclude(key, termsDigest(operation, fields), elsewhere);
	await closeIn(deps.host.journal, entry, 'accepted');
}

/** Runs the intent, and closes its journal entry when it was refused; one without an outcome is looked up further. */
async function runAndReconcile(
	deps: OrderDependencies,
	{ plan, handler, begun }: { plan: Plan; handler: Handler; begun: IntentState },
): Promise<RunResult> {
	const { owner, ports, machine, host } = deps;
	const { signal, progress, options } = plan.context;
	const ownMachine = withDeadline(machine, options);
	const result = await runIntent(begun, handler, {
		ports,
		signal,
		progress,
		machine: ownMachine,
		wakeups: wakeupsOf(plan, host),
	});
	const { is } = result.outcome;
	if (is === 'unknown') lookUpLater(deps, { key: plan.key, operation: plan.id, fields: plan.fields });
	else if (is !== 'accepted') await closeIn(host.journal, { key: plan.key, account: owner }, 'refused');
	return result;
}

/** The state machine, with the caller's own deadline if one is given. */
const withDeadline = (machine: Machine, { unknown_after_seconds: seconds }: Options = {}): Machine =>
	seconds === undefined ? machine : orderMachine(orderPolicy({ deadlineMs: seconds * 1_000 }));

/**
 * The key already belongs to another payload. Says what became of that one, looks up whether an earlier process sent
 * this one, and sends nothing.
 */
async function payloadMismatch(
	{ ports, machine }: OrderDependencies,
	{ operation, key, context }: Plan,
	handler: Handler,
	before: RunResult | undefined,
): Promise<RunResult> {
	const orderId = before && orderIdIn(before);
	const error = new ExchangeError('conflict', {
		operation: operation.label,
		what:
			orderId === undefined
				? 'This key was already used for an order with other values'
				: `This key already stands for the order ${orderId}, which has other values`,
		advice: `${orderId === undefined ? '' : 'Read that order; '}give every order a business key of its own`,
		details: { idempotency_key: key, ...(orderId === undefined ? {} : { order_id: orderId }) },
	});
	const begun = newIntent(ports.clock.elapsed(), { earlier: true, sendsNoMore: 'looks_only', error });
	// An order tried under this key a moment ago may exist, whatever became of its values since.
	if (before?.outcome.is === 'unknown' || (before === undefined && !context.repeated))
		return { outcome: { is: 'unknown', error, unseen: true }, state: begun };
	if (!context.repeated) return { outcome: { is: 'refused', error }, state: begun };
	return runIntent(begun, handler, { ports, machine, signal: context.signal });
}

/**
 * The state a run starts from. Ages are measured on the monotonic clock, because the wall clock may be set between two
 * runs.
 */
function initialState(
	state: IntentState | undefined,
	{ context, isShared }: Plan,
	{ calledAt, now }: { calledAt: number; now: number },
): IntentState {
	// A caller that waited for a shared run has used up that part of its own deadline.
	const begun = { lookupFirst: isShared, startedAt: calledAt };
	if (state) return { ...resumeState(state, now), ...begun };
	return newIntent(calledAt, { ...begun, ...(context.repeated ? { earlier: true, lastAttemptAt: now } : {}) });
}

/** Subscribes to order events only for a caller that waits, or for a command that needs the stream anyway. */
function wakeupsOf(
	{ kind, fields, clientOrderId, context }: Plan,
	{ orderEvents }: OrderPorts,
): WakeupSource | undefined {
	const waits = (context.options?.wait ?? 'none') !== 'none';
	const orderId = textOf(fields, 'order_id');
	return kind !== 'create' || waits ? wakeupsFor(orderEvents, { orderId, clientOrderId }) : undefined;
}

/** A restarted sandbox has closed the kept connections, so the first read may fail on a dead one. */
const READS_MAX = 2;

/**
 * Whether a sandbox was reset or restarted since it accepted an intent: then the order is gone and its key is free
 * again. Only a sandbox loses orders; elsewhere a missing order is no reason to send a second one. A create that goes out
 * again has the same key, so an order that a sandbox only hides for a moment is not doubled.
 */
async function recheckInSandbox(
	ended: RunResult,
	{ context: { signal } }: Plan,
	{ account, read }: Pick<OrderDependencies, 'account' | 'read'>,
): Promise<Rechecked> {
	const orderId = orderIdIn(ended);
	if (account.environment !== 'sandbox' || isProduction(account) || orderId === undefined) return 'exists';
	for (let reads = 1; ; reads += 1) {
		try {
			await readOrder(read, orderId, { signal });
			return 'exists';
		} catch (error) {
			if (!isExchangeError(error)) throw error;
			if (error.code === 'not_found') return 'gone';
			if (isOfKey(error)) return 'exists';
			if (!error.retryable || reads === READS_MAX) return 'unclear';
		}
	}
}
