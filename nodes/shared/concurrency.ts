/** How many things are worked on at the same time. */
export interface Lanes {
	first: number;
	/** As many as it comes to while nothing speaks against it. */
	most: number;
	/** Asked after each thing. Where it says no, it goes on with as many as at first. */
	mayGrow(): boolean;
}

/** Things after which one more is worked on at the same time. A limit that is met early is met with few under way. */
const ITEMS_A_LANE = 10;

/**
 * Runs `work` for the indexes 0 to count-1, a few at a time, and returns the results in their order. After a failure
 * nothing new is started, what is running is awaited, and the first failure is thrown.
 */
export async function mapConcurrently<T>(
	count: number,
	{ first, most, mayGrow }: Lanes,
	work: (index: number) => Promise<T>,
): Promise<T[]> {
	const results = new Array<T>(count);
	const failures = new Map<number, unknown>();
	const begun: Promise<void>[] = [];
	let [next, running, unhindered] = [0, 0, 0];
	const isOver = (): boolean => next >= count || failures.size > 0;
	const lanes = (): number => Math.min(most, first + Math.floor(unhindered / ITEMS_A_LANE));

	function fill(): void {
		while (!isOver() && running < lanes()) {
			running += 1;
			begun.push(lane());
		}
	}
	async function lane(): Promise<void> {
		while (!isOver() && running <= lanes()) {
			const index = next;
			next += 1;
			try {
				results[index] = await work(index);
			} catch (error) {
				failures.set(index, error);
			}
			unhindered = mayGrow() ? unhindered + 1 : 0;
			fill();
		}
		running -= 1;
	}

	fill();
	// A lane begins others before it ends, so none is missed.
	for (const each of begun) await each;
	if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
	return results;
}

/**
 * Works so many values out in one go, when the first of them is asked for, which is much quicker than between other things.
 * Each is handed out once; one that cannot be worked out rejects for whoever asks for it.
 */
export function aheadOf<T>(ahead: number, count: number, read: (index: number) => T): (index: number) => Promise<T> {
	const known = new Map<number, Promise<T>>();
	return (index) => {
		if (!known.has(index)) {
			for (let next = index; next < Math.min(index + ahead, count); next += 1) {
				const value = new Promise<T>((resolve) => resolve(read(next)));
				// Whoever asks for it hears of it; until then it is no fault that nobody looked after.
				value.catch(() => undefined);
				known.set(next, value);
			}
		}
		const value = known.get(index)!;
		known.delete(index);
		return value;
	};
}
