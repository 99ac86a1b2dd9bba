import { createCoverage, NOTHING_KNOWN, type StoredCoverage } from './coverage';

/** Which sequences of a topic one consumer was offered, and which of those the host acknowledged. */
export interface SequenceMemory {
	/** Whether a number is new. Asking makes it known. `isRepeated` says that the key of its event is known. */
	admit(sequence: number, isRepeated: boolean): boolean;
	/** The topic has shown a number. */
	isUsed(): boolean;
	/** Every number up to here is known; nothing if the topic has shown no number yet. */
	floor(): number | undefined;
	isCovered(sequence: number): boolean;
	/** The last number of the known stretch that holds this one. */
	endOfKnown(sequence: number): number;
	cover(after: number, upTo: number): void;
	/** The service counts anew: what it numbers now is something else. */
	restart(): void;
	/** The stream tells another epoch, so known numbers may come again for something else. */
	mayRestart(): void;
	/** It goes on counting as before. */
	confirmRun(): void;
	acknowledge(sequence: number): void;
	acknowledgeStretch(after: number, upTo: number): void;
	/** The numbers acknowledged before belong to an earlier run. */
	forgetAcknowledged(): void;
	stored(): { coverage?: StoredCoverage };
}

export function createSequenceMemory(given: StoredCoverage | undefined): SequenceMemory {
	const offered = createCoverage(structuredClone(given));
	const acknowledged = createCoverage(given);
	let isUsed = given !== undefined;
	let isDoubtful = false;

	return {
		admit: (sequence, isRepeated) => {
			isUsed = true;
			// Without doubt a number is one event. In doubt only its key is, until a reading says whether the service restarted.
			if (isDoubtful ? isRepeated : offered.has(sequence)) return false;
			offered.add(sequence);
			return true;
		},
		isUsed: () => isUsed,
		floor: () => (isUsed ? offered.floor() : undefined),
		isCovered: offered.has,
		endOfKnown: offered.endOf,
		cover: (after, upTo) => {
			isUsed = true;
			offered.cover(after, upTo);
		},
		restart: () => {
			isDoubtful = false;
			offered.reset(NOTHING_KNOWN);
		},
		mayRestart: () => void (isDoubtful = isUsed),
		confirmRun: () => void (isDoubtful = false),
		acknowledge: acknowledged.add,
		acknowledgeStretch: acknowledged.cover,
		forgetAcknowledged: () => acknowledged.reset(NOTHING_KNOWN),
		stored: () => (isUsed ? { coverage: acknowledged.stored() } : {}),
	};
}
