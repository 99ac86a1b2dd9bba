/** How many pieces of work run at once. */
export interface Lanes {
	/** How many run at first. Each that ends lets one more begin, so the number doubles in the time that one takes. */
	first: number;
	most: number;
	/** Asked after each piece of work. Where it says no, only `first` run, and the number grows again from there. */
	mayGrow(): boolean;
}

/**
 * Runs `work` for the indexes 0 to count-1 with limited concurrency, and returns the results in index order. After a
 * failure no new work is started; when the running work has ended, the failure with the lowest index is thrown.
 */
export async function mapConcurrently<T>(
	count: number,
	{ first, most, mayGrow }: Lanes,
	work: (index: number) => Promise<T>,
): Promise<T[]> {
	const results = new Array<T>(count);
	const failures = new Map<number, unknown>();
	const begun: Promise<void>[] = [];
	let next = 0;
	let running = 0;
	let unhindered = 0;
	const isOver = (): boolean => next >= count || failures.size > 0;
	const lanes = (): number => Math.min(most, first + unhindered);

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
	// A worker adds to `begun` before it ends, so this loop also awaits the workers that were added later.
	for (const each of begun) await each;
	if (failures.size > 0) throw failures.get([...failures.keys()].sort((a, b) => a - b)[0]!);
	return results;
}

/**
 * Reads values in batches of `ahead`, because n8n evaluates a form faster in a batch than between requests. Each value
 * is returned once; a failed read rejects only for its own index.
 */
export function aheadOf<T>(ahead: number, count: number, read: (index: number) => T): (index: number) => Promise<T> {
	const prepared = new Map<number, Promise<T>>();
	return (index) => {
		if (!prepared.has(index)) {
			for (let next = index; next < Math.min(index + ahead, count); next += 1) {
				const value = new Promise<T>((resolve) => resolve(read(next)));
				// The caller for this index handles the rejection later; until then Node must not report it as unhandled.
				value.catch(() => undefined);
				prepared.set(next, value);
			}
		}
		const value = prepared.get(index)!;
		prepared.delete(index);
		return value;
	};
}
