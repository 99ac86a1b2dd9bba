import type { Item } from '../wire/payload';
import type { Clock } from '../ports';
import { deedOf } from './handlers';
import { digestOf } from './identity';
import type { Workshop } from './intents';
import { settleIn, type IntentEntry, type IntentJournal } from './journal';
import type { IntentMemory } from './in-flight';
import { planOf } from './plan';
import { pursue, type Pursued } from './run';
import { newIntent, type Outcome } from './state';

/** What became of an intent an earlier process left open. */
export interface Recovery {
	entry: IntentEntry;
	outcome: 'accepted' | 'refused' | 'unknown';
	/** What was found, where it was accepted. */
	result?: Item;
}

/** Takes what an earlier process left open into memory, the first time it is asked. */
export function recallOnce(
	journal: IntentJournal | undefined,
	memory: IntentMemory,
	clock: Clock,
): () => Promise<IntentEntry[]> {
	let recalled: Promise<IntentEntry[]> | undefined;
	const recall = async (): Promise<IntentEntry[]> => {
		const entries = (await journal?.open()) ?? [];
		const now = clock.now();
		for (const { key, operation, fields } of entries) {
			memory.recall(key, digestOf([operation, fields]), newIntent(now, { lastAttemptAt: now }));
		}
		return entries;
	};
	return () => (recalled ??= recall());
}

/** Reads what became of everything left open, all at once, and tells it one by one. */
export async function* recover(workshop: Workshop, signal: AbortSignal | undefined): AsyncGenerator<Recovery> {
	const { memory, extras } = workshop;
	const readings = (await workshop.recall()).map(async (entry) => ({
		entry,
		pursued: await readBack(workshop, entry, signal),
	}));
	for (const reading of readings) {
		const { entry, pursued } = await reading;
		const recovery = recoveryOf(entry, pursued.outcome);
		yield recovery;
		if (recovery.outcome === 'unknown') continue;
		const concluded = memory.conclude(entry.key, digestOf([entry.operation, entry.fields]), pursued);
		if (concluded) await settleIn(extras.journal, entry.key, recovery.outcome);
	}
}

function readBack(workshop: Workshop, entry: IntentEntry, signal: AbortSignal | undefined): Promise<Pursued> {
	const { ports, machine } = workshop;
	const plan = planOf(entry.operation, entry.fields, { signal }, workshop);
	const deed = deedOf(plan, workshop, () => Promise.resolve());
	return pursue(newIntent(ports.clock.now(), { earlier: true, readsOnly: true }), deed, { ports, machine, signal });
}

function recoveryOf(entry: IntentEntry, outcome: Outcome): Recovery {
	if (outcome.is === 'accepted') return { entry, outcome: 'accepted', result: outcome.result };
	return { entry, outcome: outcome.is === 'refused' ? 'refused' : 'unknown' };
}
