import type { Item } from '../wire/payload';
import type { Clock } from '../ports';
import { handlerOf } from './handlers';
import { digestOf } from './identity';
import type { OrderDependencies } from './deps';
import { openIn, settleIn, type IntentEntry, type IntentJournal } from './journal';
import type { InFlightIntents } from './in-flight';
import { planOf } from './plan';
import type { Settler } from './settlement';
import { runIntent, type RunResult } from './run';
import { newIntent, type Outcome } from './state';

/** What became of an intent an earlier process left open. */
export interface Recovery {
	entry: IntentEntry;
	outcome: 'accepted' | 'refused' | 'unknown';
	/** What was found, where it was accepted. */
	result?: Item;
}

/** Takes what an earlier process left open into memory, the first time it is asked. */
export function restoreOnce(
	journal: IntentJournal | undefined,
	inFlight: InFlightIntents,
	clock: Clock,
): () => Promise<IntentEntry[]> {
	// What could not be read for a moment is read again by whoever asks next.
	let restored: Promise<IntentEntry[]> | undefined;
	const restore = async (): Promise<IntentEntry[]> => {
		const entries = await openIn(journal);
		const now = clock.elapsed();
		for (const { key, operation, fields } of entries) {
			inFlight.restore(key, digestOf([operation, fields]), newIntent(now, { lastAttemptAt: now }));
		}
		return entries;
	};
	return () => {
		restored ??= restore().catch((error: unknown) => {
			restored = undefined;
			throw error;
		});
		return restored;
	};
}

/** Reads what became of everything left open, all at once, and tells it one by one. */
export async function* recover(
	deps: OrderDependencies,
	settler: Settler,
	signal: AbortSignal | undefined,
): AsyncGenerator<Recovery> {
	const { inFlight, host } = deps;
	const lookups = (await deps.restore()).map(async (entry) => ({
		entry,
		result: await lookUpEntry(deps, entry, signal),
	}));
	for (const lookup of lookups) {
		const { entry, result } = await lookup;
		const recovery = recoveryOf(entry, result.outcome);
		yield recovery;
		if (recovery.outcome === 'unknown') {
			settler.follow(entry);
			continue;
		}
		const concluded = inFlight.conclude(entry.key, digestOf([entry.operation, entry.fields]), result);
		if (concluded) await settleIn(host.journal, entry.key, recovery.outcome);
	}
}

function lookUpEntry(deps: OrderDependencies, entry: IntentEntry, signal: AbortSignal | undefined): Promise<RunResult> {
	const { ports, machine } = deps;
	const plan = planOf(entry.operation, entry.fields, { signal }, deps);
	const handler = handlerOf(plan, deps, () => Promise.resolve());
	return runIntent(newIntent(ports.clock.elapsed(), { earlier: true, lookupOnly: true }), handler, {
		ports,
		machine,
		signal,
	});
}

function recoveryOf(entry: IntentEntry, outcome: Outcome): Recovery {
	if (outcome.is === 'accepted') return { entry, outcome: 'accepted', result: outcome.result };
	return { entry, outcome: outcome.is === 'refused' ? 'refused' : 'unknown' };
}
