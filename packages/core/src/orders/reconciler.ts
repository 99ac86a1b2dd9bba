import { tell } from '../background';
import { sleep } from '../ports';
import type { Item } from '../wire/payload';
import type { OrderDependencies, Resolution } from './deps';
import { handlerOf } from './handlers';
import { type IntentEntry, type OpenIntent, closeIn } from './journal';
import { orderMachine } from './machine/machine';
import { orderPolicy } from './machine/policy';
import { newIntent, type IntentState, type Outcome } from './machine/state';
import { termsDigest } from './identity';
import { planOf } from './plan';
import { runIntent, type Handler, type RunResult } from './run';

/** How long an intent of unknown outcome is looked up, at growing intervals. */
const backgroundPolicy = { deadlineMs: 30 * 60_000, lookupPauseMs: { base: 5_000, cap: 30_000 } };
/** The list, which may not show yet what was just sent: the first lookup after a call waits this long. */
const BEGINS_AFTER_MS = 5_000;

/** Looks up an intent of unknown outcome after its call. Never sends; reports each intent once. */
export function lookUpLater(deps: OrderDependencies, intent: OpenIntent): void {
	const { onResolved, signal } = deps.host;
	if (onResolved && !signal?.aborted) deps.memory.backgroundLookups(intent.key, () => reconcile(deps, intent));
}

async function reconcile(deps: OrderDependencies, intent: OpenIntent): Promise<void> {
	const { host, memory, ports } = deps;
	const { onResolved, signal } = host;
	const { key, operation, fields } = intent;
	// The caller may retry at once, and that run takes precedence over this lookup.
	await sleep(ports.clock, BEGINS_AFTER_MS, signal);
	if (signal?.aborted) return;
	const { conclusiveMs, lateArrivalMs, pauseMinMs } = deps.machine.policy;
	const machine = orderMachine(orderPolicy({ conclusiveMs, lateArrivalMs, pauseMinMs, ...backgroundPolicy }));
	const handler = withoutLastingFailures(lookupOf(intent, deps, signal));
	const result = await runIntent(lookupOnly(deps), handler, { ports, machine, signal });
	const { outcome } = result;
	if (signal?.aborted || !memory.isOpen(key)) return;
	const found = foundBy(outcome);
	if (found.outcome !== 'unknown') {
		if (!memory.conclude(key, termsDigest(operation, fields), result)) return;
		await closeIn(host.journal, { key, account: deps.owner }, found.outcome);
	}
	const reason = 'error' in outcome && outcome.error ? { error: outcome.error } : {};
	tell(() => onResolved?.({ key, operation, fields, ...found, ...reason }));
}

/** What looks for an intent that is not sent again, so nothing has to be checked. */
const lookupOf = (
	{ operation, fields }: Pick<OpenIntent, 'operation' | 'fields'>,
	deps: OrderDependencies,
	signal: AbortSignal | undefined,
): Handler => handlerOf(planOf(operation, fields, { signal }, deps), deps, () => Promise.resolve());

const lookupOnly = ({ ports }: OrderDependencies): IntentState =>
	newIntent(ports.clock.elapsed(), { earlier: true, sendsNoMore: 'looks_only' });

/** No caller waits for this lookup, so even a refused API key, which may be temporary, does not end it. */
const withoutLastingFailures = (handler: Handler): Handler => ({
	...handler,
	lookup: async (look) => {
		const lookup = await handler.lookup(look);
		return lookup.is === 'failed' ? { ...lookup, lasting: false } : lookup;
	},
});

/**
 * The outcome of an intent that an earlier process left open. `elsewhere`: it was sent under another address or key and
 * is not found here, which proves nothing; the journal keeps it.
 */
export interface Recovery {
	/** What the journal holds of the intent. */
	entry: IntentEntry;
	/** What a lookup found out about it. */
	outcome: 'accepted' | 'refused' | 'unknown' | 'elsewhere';
	/** The order that was found, when the outcome is accepted. */
	result?: Item;
}

/** The same promises, in the order in which they settle: what is known at once never waits for what takes longer. */
function asSettled<T>(work: readonly Promise<T>[]): Promise<T>[] {
	const promised: ((settled: Promise<T>) => void)[] = [];
	const answers = work.map(() => new Promise<T>((resolve) => promised.push(resolve)));
	let next = 0;
	for (const each of work) {
		const take = (): void => promised[next++]!(each);
		each.then(take, take);
	}
	// A consumer may stop before it has heard of a failure, which then concerns nobody.
	for (const each of answers) each.catch(() => undefined);
	return answers;
}

/** Looks up all open intents at once and reports each as soon as its outcome is known. */
export async function* recover(deps: OrderDependencies, signal: AbortSignal | undefined): AsyncGenerator<Recovery> {
	const { memory, host, ports, machine } = deps;
	const lookups = (await deps.restored.entries()).map(async (entry) => ({
		entry,
		result: deps.restored.others.has(entry.key)
			? await findElsewhere(deps, entry, signal)
			: await runIntent(lookupOnly(deps), lookupOf(entry, deps, signal), { ports, machine, signal }),
	}));
	for (const lookup of asSettled(lookups)) {
		const { entry, result } = await lookup;
		if (!result) {
			yield { entry, outcome: 'elsewhere' };
			continue;
		}
		const found = foundBy(result.outcome);
		yield { entry, ...found };
		if (found.outcome === 'unknown') lookUpLater(deps, entry);
		else if (memory.conclude(entry.key, termsDigest(entry.operation, entry.fields), result))
			await closeIn(host.journal, entry, found.outcome);
	}
}

/** Looks once for an intent that was sent under another address or key, which may lead to the same account. */
export async function findElsewhere(
	deps: OrderDependencies,
	entry: IntentEntry,
	signal: AbortSignal | undefined,
): Promise<RunResult | undefined> {
	const lookup = await lookupOf(entry, deps, signal).lookup({ isThorough: true, isEarlier: true });
	if (lookup.is !== 'found') return undefined;
	deps.restored.others.delete(entry.key);
	const state = newIntent(deps.ports.clock.elapsed(), { earlier: true });
	return { outcome: { is: 'accepted', result: lookup.result, by: 'lookup' }, state };
}

/** What a run that only looked has found out. */
function foundBy(outcome: Outcome): Pick<Resolution, 'outcome' | 'result'> {
	if (outcome.is === 'accepted') return { outcome: 'accepted', result: outcome.result };
	return { outcome: outcome.is === 'refused' ? 'refused' : 'unknown' };
}

const outcomeWords = {
	accepted: 'Done',
	refused: 'Not done',
	unknown: 'Still unknown, use Resolve Order to find out',
} as const satisfies Record<Resolution['outcome'], string>;

/** The outcome of an intent that was unknown, for a log. It comes first, because Node-RED's sidebar cuts what is long. */
export function resolutionText({ key, fields, outcome, result }: Resolution): string {
	const id = String(fields.client_order_id ?? fields.order_id ?? key);
	const order = typeof result?.order_id === 'string' ? ` (order ${result.order_id})` : '';
	return `${outcomeWords[outcome]}${order}: an order write whose outcome was unknown (${id}) was looked for`;
}
