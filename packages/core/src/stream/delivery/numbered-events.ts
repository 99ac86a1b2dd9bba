import { REMEMBERED_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import { createBoundedSet, type BoundedSet } from './bounded';
import { sameEpoch, type Epoch } from '../position';
import { storedRun, type ServiceRun, type RunMark, type StoredRun } from './run-mark';
import type { SequenceMemory } from './sequence-memory';

/** Tells by sequence number which events are known, as long as the service does not restart its numbers. */
export interface NumberedEvents extends Pick<SequenceMemory, 'confirmRun'> {
	/** `epoch`: that of the event's message, if it came in one. */
	admit(event: TopicEvent, sequence: number, isRead: boolean, epoch?: Epoch): TopicEvent | undefined;
	/**
	 * A restart is suspected. `epoch`: that of the known numbers. Its messages with known numbers are repetitions, or a
	 * backfill will read their events again.
	 */
	mayRestart(epoch?: Epoch): void;
	/** The event that identifies the present run. */
	mark(): RunMark | undefined;
	/** The numbers restarted; returns the new run. */
	restart(): ServiceRun;
	/** Events acknowledged from here on belong to this run. */
	forgetAcknowledged(run: ServiceRun): void;
	stored(): StoredRun;
}

interface SeenKeys {
	add(key: string, isNew: boolean): void;
	clear(): void;
	note(event: TopicEvent): boolean;
	/** Whether the event of a key was acknowledged before this process started. */
	had(key: string): boolean;
}

/**
 * A sequence number decides whether an event is new; keys decide only while a restart of the numbers is suspected.
 * Events read over REST may belong to a run that no message has shown yet, so they do not replace the mark.
 */
export function createNumberedEvents(
	sequences: SequenceMemory,
	seen: SeenKeys,
	restored: { mark?: RunMark; isDoubtful?: boolean } = {},
): NumberedEvents {
	/** Keys of events delivered while a restart was suspected; a backfill reads these events again. */
	let unconfirmedKeys: BoundedSet | undefined;
	/** Whether those keys may belong to the present run: they were delivered before the restart cleared their numbers. */
	let isCarriedOver = false;
	/** Keys of events delivered by backfills since the latest message. */
	let backfilledKeys: BoundedSet | undefined;
	let run: ServiceRun = { mark: restored.mark };
	/** The run of the acknowledged numbers: the earlier run, until the host has acknowledged all of its events. */
	let acknowledgedRun = run;
	/** The latest message while a restart is suspected; it becomes the mark once the run is confirmed. */
	let unconfirmedMark: TopicEvent | undefined;
	/** The epoch of the known numbers while a restart is suspected. */
	let knownEpoch: Epoch | undefined;

	function note(event: TopicEvent, sequence: number, isRead: boolean): void {
		if (!isRead) backfilledKeys = undefined;
		else (backfilledKeys ??= createBoundedSet(REMEMBERED_MAX)).add(event.key);
		if (!run.mark || (!isRead && sequence >= run.mark.sequence!)) run.mark = event;
	}

	/** A run without a mark gets the first event as its mark, even if that event may belong to another run. */
	function noteUnconfirmed(event: TopicEvent, isRead: boolean): void {
		run.mark ??= event;
		if (!isRead) unconfirmedMark = event;
	}

	/** Whether an event was delivered while a restart was suspected, perhaps by an earlier process. */
	const wasDelivered = ({ key }: TopicEvent): boolean =>
		unconfirmedKeys !== undefined && (!unconfirmedKeys.add(key) || seen.had(key));

	function mayRestart(epoch?: Epoch): void {
		const wasDoubtful = sequences.isDoubtful();
		unconfirmedMark = undefined;
		sequences.mayRestart();
		if (wasDoubtful || !sequences.isDoubtful()) return;
		knownEpoch = epoch;
		// Events delivered during an earlier suspicion may not have been read again yet, so their keys are kept.
		if (!isCarriedOver) unconfirmedKeys = backfilledKeys ?? createBoundedSet(REMEMBERED_MAX);
		backfilledKeys = undefined;
	}

	if (restored.isDoubtful) mayRestart();
	return {
		admit: (event, sequence, isRead, epoch) => {
			const isDoubtful = sequences.isDoubtful();
			// The number is known, but the key may be forgotten by now. If the restart is proved, the event is read again.
			if (isDoubtful && (isRead || areSame(epoch, knownEpoch)) && sequences.isCovered(sequence)) return undefined;
			const isNew = sequences.admit(sequence, isDoubtful && seen.note(event));
			if (!isDoubtful) seen.add(event.key, isNew);
			if (!isNew) return undefined;
			if (!isDoubtful) note(event, sequence, isRead);
			else noteUnconfirmed(event, isRead);
			return wasDelivered(event) ? undefined : event;
		},
		mark: () => run.mark,
		mayRestart,
		confirmRun: () => {
			sequences.confirmRun();
			if (!isCarriedOver) unconfirmedKeys = undefined;
			backfilledKeys = undefined;
			run.mark = unconfirmedMark ?? run.mark;
			unconfirmedMark = undefined;
		},
		restart: () => {
			sequences.restart();
			seen.clear();
			isCarriedOver = unconfirmedKeys !== undefined;
			unconfirmedMark = undefined;
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

const areSame = (one: Epoch | undefined, other: Epoch | undefined): boolean =>
	one !== undefined && other !== undefined && sameEpoch(one, other);
