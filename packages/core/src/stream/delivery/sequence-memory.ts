/** Which sequence numbers of a topic a consumer was offered, and which of them the host acknowledged. */
export interface SequenceMemory {
	/** Returns whether a number is new, and remembers it as known. `isRepeated`: the key of its event is known. */
	admit(sequence: number, isRepeated: boolean): boolean;
	/** The topic has shown a number. */
	isUsed(): boolean;
	/** Every number up to here is known; undefined if the topic has shown no number yet. */
	floor(): number | undefined;
	isCovered(sequence: number): boolean;
	/** The last number of the known stretch that holds this one. */
	endOfKnown(sequence: number): number;
	cover(after: number, upTo: number): void;
	/** Whether the service may have restarted its numbers, so that only keys identify events. */
	isDoubtful(): boolean;
	/** The service restarted its numbers: they now identify other events. */
	restart(): void;
	/** The epoch may have changed, so the service may use known numbers for other events. */
	mayRestart(): void;
	/** The service did not restart its numbers. */
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
			// A number identifies an event, but while a restart is suspected only the event's key does.
			if (isDoubtful ? isRepeated : offered.has(sequence)) return false;
			offered.add(sequence);
			return true;
		},
		isUsed: () => isUsed,
		isDoubtful: () => isDoubtful,
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

/** Which numbers of a sequence are known: everything up to a floor, and stretches above it. */
interface Coverage {
	has(sequence: number): boolean;
	add(sequence: number): void;
	/** Everything after one number up to another is known, whether or not each number exists. */
	cover(after: number, upTo: number): void;
	/** Everything up to here is known. */
	floor(): number;
	/** The last number of the known stretch that holds this one, or the number itself. */
	endOf(sequence: number): number;
	/** Begins again from a floor. */
	reset(floor: number): void;
	stored(): StoredCoverage;
}

/** The floor, then the stretches above it, oldest first. Plain JSON. */
export type StoredCoverage = [floor: number, ...stretches: [from: number, to: number][]];

/** Beyond this many stretches, the oldest gaps are taken for numbers that do not exist. */
const STRETCHES_MAX = 500;

/** Sequences begin with zero or one. */
const NOTHING_KNOWN = -1;

function createCoverage(given: StoredCoverage = [NOTHING_KNOWN]): Coverage {
	let [floor, ...stretches] = given;

	/** Index of the last stretch that begins at or before a number, found from the end, where most numbers belong. */
	function indexOf(sequence: number): number {
		let index = stretches.length - 1;
		while (index >= 0 && stretches[index]![0] > sequence) index -= 1;
		return index;
	}

	function add(from: number, to: number): void {
		if (to <= floor) return;
		const last = stretches[stretches.length - 1];
		// Most numbers follow the latest.
		if (last && from === last[1] + 1) return void (last[1] = to);
		let index = indexOf(from);
		const before = stretches[index];
		if (before && before[1] >= from - 1) before[1] = Math.max(before[1], to);
		else stretches.splice((index += 1), 0, [from, to]);
		const stretch = stretches[index]!;
		while (stretches[index + 1] && stretches[index + 1]![0] <= stretch[1] + 1) {
			stretch[1] = Math.max(stretch[1], stretches.splice(index + 1, 1)[0]![1]);
		}
		raise();
	}

	/** Raises the floor over the stretches that touch it. */
	function raise(): void {
		while (stretches[0] && (stretches[0][0] <= floor + 1 || stretches.length > STRETCHES_MAX)) {
			floor = Math.max(floor, stretches.shift()![1]);
		}
	}

	function endOf(sequence: number): number {
		if (sequence <= floor) return floor;
		const stretch = stretches[indexOf(sequence)];
		return stretch && sequence <= stretch[1] ? stretch[1] : sequence;
	}

	return {
		has: (sequence) => {
			const stretch = stretches[indexOf(sequence)];
			return sequence <= floor || (stretch !== undefined && sequence <= stretch[1]);
		},
		add: (sequence) => add(sequence, sequence),
		cover: (after, upTo) => {
			if (upTo > after) add(after + 1, upTo);
		},
		floor: () => floor,
		endOf,
		reset: (next) => {
			floor = next;
			stretches = [];
		},
		stored: () => [floor, ...stretches.map(([from, to]): [number, number] => [from, to])],
	};
}

export function readCoverage(given: unknown): StoredCoverage | undefined {
	if (!Array.isArray(given) || !Number.isSafeInteger(given[0])) return undefined;
	const isStretch = (stretch: unknown): stretch is [number, number] =>
		Array.isArray(stretch) && stretch.length === 2 && stretch.every(Number.isSafeInteger) && stretch[0] <= stretch[1];
	return [given[0] as number, ...given.filter(isStretch)];
}
