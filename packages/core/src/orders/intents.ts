import type { OperationId, Options } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError, isExchangeError } from '../errors';
import { type Item, textOf } from '../wire/payload';
import type { Accepted } from '../wire/request';
import type { ClientAccess, OrderDependencies, OrderPorts } from './deps';
import { handlerOf } from './handlers';
import { createInFlightIntents, resumeState } from './in-flight';
import { settleIn } from './journal';
import { createOrderList } from './lookup/list';
import { type Machine, orderMachine } from './machine/machine';
import { orderPolicy } from './machine/policy';
import { type IntentState, newIntent } from './machine/state';
import { outcomeError } from './outcome';
import { digestOf, type Plan, planOf, preview } from './plan';
import { resolveOrder } from './resolve';
import { resultOf } from './result';
import { type Handler, runIntent, type RunResult } from './run';
import { recheckInSandbox } from './sandbox-reset';
import { createSettler, recover, type Recovery, restoreOnce, type Settler } from './settlement';
import { wakeupsFor, type WakeupSource } from './wakeup';

interface IntentCall {
	id: OperationId;
	accepted: Accepted;
	context: CallContext;
	/** Checks of the client before an order is sent. Throws when one fails. */
	check: () => Promise<unknown>;
}

export interface Intents {
	/** Carries out one order write and answers its item. Throws outcome_unknown when only that is certain. */
	carryOut(call: IntentCall): Promise<Item>;
	/** Whether an order with a client order id exists. */
	resolve(accepted: Accepted, context: CallContext): Promise<Item>;
	/** Intents of unknown outcome in this process. */
	open(): { idempotency_key: string; state: 'under_way' | 'unknown' }[];
	/**
	 * Finds out what became of the intents an earlier process left open. It only reads. Each is told until the one who
	 * asks comes back for the next, so a crash in between tells it again.
	 */
	recover(signal?: AbortSignal): AsyncGenerator<Recovery>;
}

export function createIntents(access: ClientAccess, host: OrderPorts = {}): Intents {
	const { inFlight = createInFlightIntents(), machine = orderMachine(), journal } = host;
	const { baseUrl, apiKey } = access.account;
	const list = createOrderList({ ...access, name: [baseUrl, apiKey], readings: inFlight.readings });
	const deps: OrderDependencies = {
		...access,
		list,
		host,
		inFlight,
		machine,
		restore: restoreOnce(journal, inFlight, access.ports.clock),
	};
	const settler = createSettler(deps);
	const { settleMs } = machine.policy;
	return {
		carryOut: (call) => carryOut(deps, settler, call),
		resolve: (accepted, context) => resolveOrder(accepted, { ...access, list, context, settleMs }),
		open: () =>
			inFlight
				.open()
				.map(({ key, isRunning }) => ({ idempotency_key: key, state: isRunning ? 'under_way' : 'unknown' })),
		recover: (signal) => recover(deps, settler, signal),
	};
}

async function carryOut(
	deps: OrderDependencies,
	settler: Settler,
	{ id, accepted, context, check }: IntentCall,
): Promise<Item> {
	const plan = planOf(id, accepted, context, deps);
	const handler = handlerOf(plan, deps, check);
	const calledAt = deps.ports.clock.elapsed();
	if (context.options?.dry_run) {
		await handler.check();
		return preview(plan, deps.account);
	}
	if (!deps.inFlight.knows(plan.key)) await restoreFor(plan, deps);
	const result = await deps.inFlight.once({
		key: plan.key,
		digest: digestOf([id, plan.fields]),
		isCancel: plan.kind === 'cancel',
		repeated: Boolean(context.repeated),
		recheck: (ended) => recheckInSandbox(ended, plan, deps),
		signal: context.signal,
		run: async (known) => {
			const begun = initialState(known, plan, { calledAt, now: deps.ports.clock.elapsed() });
			const ended = await runAndSettle(deps, plan, handler, begun);
			if (ended.outcome.is === 'unknown') settler.follow({ key: plan.key, operation: id, fields: plan.fields });
			return ended;
		},
		onPayloadMismatch: () => payloadMismatch(deps, plan, handler),
	});
	const { outcome, state, repeated } = result;
	if (outcome.is !== 'accepted') throw outcomeError(outcome, plan, state);
	const isEarlier = repeated || (outcome.by === 'lookup' && state.attempts === 0);
	return resultOf(plan, outcome, isEarlier, deps);
}

/** Where an earlier run is known of, what cannot be read is no refusal: that run may have sent it. */
async function restoreFor(plan: Plan, { restore }: OrderDependencies): Promise<void> {
	try {
		await restore();
	} catch (error) {
		if (!plan.context.repeated || !isExchangeError(error)) throw error;
		throw outcomeError({ is: 'unknown', error, unseen: true }, plan, { attempts: 0 });
	}
}

/** Runs it, and removes it from the journal once it has an outcome. */
async function runAndSettle(
	{ ports, machine, host }: OrderDependencies,
	plan: Plan,
	handler: Handler,
	begun: IntentState,
): Promise<RunResult> {
	const { signal, progress, options } = plan.context;
	const patience = asPatientAs(machine, options);
	const result = await runIntent(begun, handler, {
		...{ ports, signal, progress },
		machine: patience,
		wakeups: wakeupsOf(plan, host),
	});
	const { is } = result.outcome;
	if (is !== 'unknown') await settleIn(host.journal, plan.key, is === 'accepted' ? 'accepted' : 'refused');
	return result;
}

/** The state machine, with the caller's own deadline if it has one. */
const asPatientAs = (machine: Machine, { unknown_after_seconds: seconds }: Options = {}): Machine =>
	seconds === undefined ? machine : orderMachine(orderPolicy({ deadlineMs: seconds * 1_000 }));

/** The intent names something else by now. Whether an earlier process sent this is read; it is not sent again. */
async function payloadMismatch(
	{ ports, machine }: OrderDependencies,
	{ operation, key, context }: Plan,
	handler: Handler,
): Promise<RunResult> {
	const error = new ExchangeError('conflict', {
		operation: operation.label,
		what: 'The same intent key was already used with other values',
		advice: 'Give every order a business key of its own; nothing was sent',
		details: { idempotency_key: key },
	});
	const begun = newIntent(ports.clock.elapsed(), { earlier: true, lookupOnly: true, error });
	if (!context.repeated) return { outcome: { is: 'refused', error }, state: begun };
	return runIntent(begun, handler, { ports, machine, signal: context.signal });
}

/**
 * Where an intent begins. An earlier run may have ended a moment ago whatever the wall clock says about it: only what
 * passes on the clock that nobody sets is time that has passed.
 */
function initialState(
	known: IntentState | undefined,
	{ context, isShared }: Plan,
	{ calledAt, now }: { calledAt: number; now: number },
): IntentState {
	// Whoever waited for somebody else's run has waited all the same.
	const begun = { lookupFirst: isShared, startedAt: calledAt };
	if (known) return { ...resumeState(known, now), ...begun };
	return newIntent(calledAt, { ...begun, ...(context.repeated ? { earlier: true, lastAttemptAt: now } : {}) });
}

/** Only who waits, or already needs the stream for a command, listens to it. */
function wakeupsOf(
	{ kind, fields, clientOrderId, context }: Plan,
	{ orderEvents }: OrderPorts,
): WakeupSource | undefined {
	const waits = (context.options?.wait ?? 'none') !== 'none';
	return kind !== 'create' || waits ? wakeupsFor(orderEvents, [clientOrderId, textOf(fields, 'order_id')]) : undefined;
}
