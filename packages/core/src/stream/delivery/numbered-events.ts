import { REMEMBERED_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import { createBoundedSet, type BoundedSet } from './bounded';
import { storedRun, type ServiceRun, type RunMark, type StoredRun } from './run-mark';
import type { SequenceMemory } from './sequence-memory';

/** Events that are known by their numbers, as long as the service goes on counting. */
export interface NumberedEvents extends Pick<SequenceMemory, 'mayRestart' | 'confirmRun'> {
	admit(event: TopicEvent, sequence: number, isRead: boolean): TopicEvent | undefined;
	/** By which the run known is known again. */
	mark(): RunMark | undefined;
	/** The numbers restarted; returns the new run. */
	restart(): ServiceRun;
	/** What is acknowledged from here on is of this run. */
	forgetAcknowledged(run: ServiceRun): void;
	stored(): StoredRun;
}

interface SeenKeys {
	add(key: string, isNew: boolean): void;
	clear(): void;
	note(event: TopicEvent): boolean;
	/** Whether it was acknowledged before this process started. */
	had(key: string): boolean;
}

/**
 * A number tells whether an event is new; keys are asked only while numbers may have begun anew. What is read may be of a
 * run that no message has shown yet, so it proves nothing of the one known.
 */
export function createNumberedEvents(
	sequences: SequenceMemory,
	seen: SeenKeys,
	restored: { mark?: RunMark; isDoubtful?: boolean } = {},
): NumberedEvents {
	/** Told while nobody knew whose numbers they were, and read once more under the same. */
	let toldInDoubt: BoundedSet | undefined;
	/** Whether some of that may be of the run known, whose numbers were forgotten when it was told. */
	let isToldBefore = false;
	/** Delivered by backfills since the latest message. */
	let readUnproved: BoundedSet | undefined;
	let run: ServiceRun = { mark: restored.mark };
	/** The run of what the host acknowledged: another, until it has acknowledged all of the one before. */
	let acknowledgedRun = run;
	/** Of the messages that came in doubt: it is of the run known once that is confirmed. */
	let markInDoubt: TopicEvent | undefined;

	function note(event: TopicEvent, sequence: number, isRead: boolean): void {
		if (!isRead) readUnproved = undefined;
		else (readUnproved ??= createBoundedSet(REMEMBERED_MAX)).add(event.key);
		if (!run.mark || (!isRead && sequence >= run.mark.sequence!)) run.mark = event;
	}

	/** Where nothing else is known of a run, it is known by the first that came of it, whatever run that was. */
	function noteDoubtful(event: TopicEvent, isRead: boolean): void {
		run.mark ??= event;
		if (!isRead) markInDoubt = event;
	}

	/** Whether it was told while numbers were in doubt, perhaps before this process began. */
	const wasToldInDoubt = ({ key }: TopicEvent): boolean =>
		toldInDoubt !== undefined && (!toldInDoubt.add(key) || seen.had(key));

	function mayRestart(): void {
		const wasDoubtful = sequences.isDoubtful();
		markInDoubt = undefined;
		sequences.mayRestart();
		if (wasDoubtful || !sequences.isDoubtful()) return;
		// What was told in an earlier doubt may not have been read since.
		if (!isToldBefore) toldInDoubt = readUnproved ?? createBoundedSet(REMEMBERED_MAX);
		readUnproved = undefined;
	}

	if (restored.isDoubtful) mayRestart();

	return {
		admit: (event, sequence, isRead) => {
			const isDoubtful = sequences.isDoubtful();
			// Its key may be forgotten by now. If the service counts anew, all of that is read once more.
			if (isDoubtful && isRead && sequences.isCovered(sequence)) return undefined;
			const isNew = sequences.admit(sequence, isDoubtful && seen.note(event));
			if (!isDoubtful) seen.add(event.key, isNew);
			if (!isNew) return undefined;
			if (!isDoubtful) note(event, sequence, isRead);
			else noteDoubtful(event, isRead);
			return wasToldInDoubt(event) ? undefined : event;
		},
		mark: () => run.mark,
		mayRestart,
		confirmRun: () => {
			sequences.confirmRun();
			if (!isToldBefore) toldInDoubt = undefined;
			readUnproved = undefined;
			run.mark = markInDoubt ?? run.mark;
			markInDoubt = undefined;
		},
		restart: () => {
			sequences.restart();
			seen.clear();
			isToldBefore = toldInDoubt !== undefined;
			markInDoubt = undefined;
			run = {};
			return run;
		},
		forgetAcknowledged: (next) => {
			sequences.forgetAcknowledged();
			acknowledgedRun = next;
		},
		stored: () => storedRun(acknowledgedRun, sequences.isDoubtful() || acknowledgedRun !== run),
	};
}
