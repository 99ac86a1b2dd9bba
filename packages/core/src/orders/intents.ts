import type { Account } from '../account';
import type { OperationId } from '../catalogue';
import type { CallContext, Read } from '../context';
import type { Accepted } from '../wire/request';
import { textOf, type Item } from '../wire/payload';
import { ExchangeError } from '../errors';
import type { Ports } from '../ports';
import type { CommandChannel } from './handlers/command';
import { deedOf } from './handlers';
import { hintsAbout, type Hints, type OrderEvents } from './wakeup';
import { digestOf } from './identity';
import { settleIn, type IntentEntry, type IntentJournal } from './journal';
import { intentMachine, type Machine } from './machine';
import { createIntentMemory, goOn, type IntentMemory } from './in-flight';
import { outcomeError } from './outcome';
import { planOf, type Plan } from './plan';
import { preview } from './preview';
import { pursue, type Deed, type Pursued } from './run';
import { recallOnce, recover, type Recovery } from './recovery';
import { resolveOrder } from './resolve';
import { complete } from './result';
import { newIntent, type IntentState } from './state';

/** What a host adds to a client so that its orders are placed once. Everything is optional. */
export interface IntentExtras {
	/** Where cancel and replace commands go. Called when one is sent, so that no connection opens before. */
	commands?: () => CommandChannel;
	/** Tells early that an order moved; without it the order is read now and then. */
	orderEvents?: OrderEvents;
	journal?: IntentJournal;
	/** One per account, shared by all clients a host makes for it. */
	memory?: IntentMemory;
	machine?: Machine;
}

export interface Means {
	account: Account;
	ports: Ports;
	/** Reads once, without retry. */
	read: Read;
}

/** Everything that carrying out an intent needs besides the intent. */
export interface Workshop extends Means {
	extras: IntentExtras;
	memory: IntentMemory;
	machine: Machine;
	/** Takes what an earlier process left open into memory, once. */
	recall: () => Promise<IntentEntry[]>;
}

export interface IntentCall {
	id: OperationId;
	accepted: Accepted;
	context: CallContext;
	/** What the client holds against an order before it is sent. Throws what speaks against it. */
	check: () => Promise<unknown>;
}

export interface Intents {
	/** Carries out one order write and answers its item. Throws outcome_unknown when only that is certain. */
	carryOut(call: IntentCall): Promise<Item>;
	/** Whether an order with a client order id exists. */
	resolve(accepted: Accepted, context: CallContext): Promise<Item>;
	/**
	 * Finds out what became of the intents an earlier process left open. It only reads. Each is told until the one who
	 * asks comes back for the next, so a crash in between tells it again.
	 */
	recover(signal?: AbortSignal): AsyncGenerator<Recovery>;
}

export function createIntents(means: Means, extras: IntentExtras = {}): Intents {
	const { memory = createIntentMemory(), machine = intentMachine(), journal } = extras;
	const workshop: Workshop = {
		...means,
		extras,
		memory,
		machine,
		recall: recallOnce(journal, memory, means.ports.clock),
	};
	const { settleMs } = machine.policy;
	return {
		carryOut: (call) => carryOut(workshop, call),
		resolve: (accepted, context) => resolveOrder(accepted, { ...means, context, settleMs }),
		recover: (signal) => recover(workshop, signal),
	};
}

async function carryOut(workshop: Workshop, { id, accepted, context, check }: IntentCall): Promise<Item> {
	const plan = planOf(id, accepted, context, workshop);
	const deed = deedOf(plan, workshop, check);
	if (context.options?.dry_run) {
		await deed.check();
		return preview(plan, workshop.account);
	}
	await workshop.recall();
	const pursued = await workshop.memory.once({
		key: plan.key,
		digest: digestOf([id, plan.fields]),
		repeated: Boolean(context.repeated),
		signal: context.signal,
		run: (known) => follow(workshop, plan, deed, beginning(known, context, workshop.ports.clock.now())),
		otherwise: () => otherPayload(workshop, plan, deed),
	});
	const { outcome, state, repeated } = pursued;
	if (outcome.is !== 'accepted')
		throw outcomeError(outcome, { ...plan, label: plan.operation.label, attempts: state.attempts });
	return complete(plan, outcome, repeated, workshop);
}

/** Pursues it, and tells the journal what is no longer open. */
async function follow(
	{ ports, machine, extras }: Workshop,
	plan: Plan,
	deed: Deed,
	begun: IntentState,
): Promise<Pursued> {
	const { signal } = plan.context;
	const pursued = await pursue(begun, deed, { ports, machine, signal, hints: hintsOf(plan, extras) });
	const { is } = pursued.outcome;
	if (is !== 'unknown') await settleIn(extras.journal, plan.key, is === 'accepted' ? 'accepted' : 'refused');
	return pursued;
}

/** The intent names something else by now. Whether an earlier process sent this is read; it is not sent again. */
async function otherPayload(
	{ ports, machine }: Workshop,
	{ operation, key, context }: Plan,
	deed: Deed,
): Promise<Pursued> {
	const error = new ExchangeError('conflict', {
		operation: operation.label,
		what: 'The same intent was already used for something else',
		advice: 'Give every order a business key of its own; nothing was sent',
		details: { idempotency_key: key },
	});
	const begun = newIntent(ports.clock.now(), { earlier: true, readsOnly: true, error });
	if (!context.repeated) return { outcome: { is: 'refused', error }, state: begun };
	return pursue(begun, deed, { ports, machine, signal: context.signal });
}

function beginning(known: IntentState | undefined, { repeated, options }: CallContext, now: number): IntentState {
	if (known) return goOn(known, now);
	if (repeated) return newIntent(now, { earlier: true, lastAttemptAt: repeated === true ? now : repeated });
	return newIntent(now, { looksFirst: Boolean(options?.business_key) });
}

/** Only who waits, or already needs the stream for a command, listens to it. */
function hintsOf(
	{ operation, fields, clientOrderId, context }: Plan,
	{ orderEvents }: IntentExtras,
): Hints | undefined {
	const waits = (context.options?.wait ?? 'none') !== 'none';
	return operation.command || waits ? hintsAbout(orderEvents, [clientOrderId, textOf(fields, 'order_id')]) : undefined;
}
