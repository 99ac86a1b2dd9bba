import { REMEMBERED_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import { createBoundedSet } from './bounded';
import type { SequenceMemory } from './sequence-memory';

/** Events that are known by their numbers, as long as the service goes on counting. */
export interface NumberedEvents extends Pick<SequenceMemory, 'mayRestart' | 'confirmRun' | 'restart'> {
	admit(event: TopicEvent, sequence: number): TopicEvent | undefined;
	/** The latest that was told: where its number stands for another event, the service counts anew. */
	latest(): TopicEvent | undefined;
}

interface SeenKeys {
	add(key: string, isNew: boolean): void;
	clear(): void;
	note(event: TopicEvent): boolean;
}

/** A number tells whether an event is new; keys are asked only while numbers may have begun anew. */
export function createNumberedEvents(sequences: SequenceMemory, seen: SeenKeys): NumberedEvents {
	/** Told while nobody knew whose numbers they were, and read once more under the same. */
	const toldInDoubt = createBoundedSet(REMEMBERED_MAX);
	let hasDoubted = false;
	let latest: TopicEvent | undefined;

	function settle(): void {
		hasDoubted = false;
		toldInDoubt.clear();
	}

	return {
		admit: (event, sequence) => {
			const isDoubtful = sequences.isDoubtful();
			const isNew = sequences.admit(sequence, isDoubtful && seen.note(event));
			if (!isDoubtful) seen.add(event.key, isNew);
			if (!isNew || (hasDoubted && !toldInDoubt.add(event.key))) return undefined;
			if (!isDoubtful && sequence >= (latest?.sequence ?? 0)) latest = event;
			return event;
		},
		latest: () => latest,
		mayRestart: () => {
			if (!sequences.isDoubtful()) settle();
			sequences.mayRestart();
			hasDoubted = sequences.isDoubtful();
		},
		confirmRun: () => {
			sequences.confirmRun();
			settle();
		},
		restart: () => {
			sequences.restart();
			seen.clear();
			latest = undefined;
		},
	};
}
