import { REMEMBERED_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import { createBoundedSet, type BoundedSet } from './bounded';
import type { SequenceMemory } from './sequence-memory';

/** Events that are known by their numbers, as long as the service goes on counting. */
export interface NumberedEvents extends Pick<SequenceMemory, 'mayRestart' | 'confirmRun' | 'restart'> {
	admit(event: TopicEvent, sequence: number, isRead: boolean): TopicEvent | undefined;
	/** The latest that surely belongs to the run known: where its number stands for another event, the service counts anew. */
	latest(): TopicEvent | undefined;
}

interface SeenKeys {
	add(key: string, isNew: boolean): void;
	clear(): void;
	note(event: TopicEvent): boolean;
}

/**
 * A number tells whether an event is new; keys are asked only while numbers may have begun anew. What is read may be of a
 * run that no message has shown yet, so it proves nothing of the one known.
 */
export function createNumberedEvents(sequences: SequenceMemory, seen: SeenKeys): NumberedEvents {
	/** Told while nobody knew whose numbers they were, and read once more under the same. */
	let toldInDoubt: BoundedSet | undefined;
	/** Told by readings since the latest message. */
	let readUnproved: BoundedSet | undefined;
	let latest: TopicEvent | undefined;
	/** Of the messages that came in doubt: it is of the run known once that is confirmed. */
	let latestInDoubt: TopicEvent | undefined;

	function note(event: TopicEvent, sequence: number, isRead: boolean): void {
		if (!isRead) readUnproved = undefined;
		else (readUnproved ??= createBoundedSet(REMEMBERED_MAX)).add(event.key);
		if (!latest || (!isRead && sequence >= latest.sequence!)) latest = event;
	}

	return {
		admit: (event, sequence, isRead) => {
			const isDoubtful = sequences.isDoubtful();
			const isNew = sequences.admit(sequence, isDoubtful && seen.note(event));
			if (!isDoubtful) seen.add(event.key, isNew);
			if (!isNew || toldInDoubt?.add(event.key) === false) return undefined;
			if (!isDoubtful) note(event, sequence, isRead);
			else if (!isRead) latestInDoubt = event;
			return event;
		},
		latest: () => latest,
		mayRestart: () => {
			const wasDoubtful = sequences.isDoubtful();
			latestInDoubt = undefined;
			sequences.mayRestart();
			if (wasDoubtful || !sequences.isDoubtful()) return;
			toldInDoubt = readUnproved ?? createBoundedSet(REMEMBERED_MAX);
			readUnproved = undefined;
		},
		confirmRun: () => {
			sequences.confirmRun();
			toldInDoubt = readUnproved = undefined;
			latest = latestInDoubt ?? latest;
		},
		restart: () => {
			sequences.restart();
			seen.clear();
			latest = undefined;
		},
	};
}
