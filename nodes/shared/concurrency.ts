/**
 * Runs `work` for the indexes 0 to count-1, at most `limit` at a time, and returns the results in their order. After a
 * failure nothing new is started, what is running is awaited, and the first failure is thrown.
 */
export async function mapConcurrently<T>(
	count: number,
	limit: number,
	work: (index: number) => Promise<T>,
): Promise<T[]> {
	const results = new Array<T>(count);
	const failures = new Map<number, unknown>();
	let next = 0;
	const worker = async (): Promise<void> => {
		while (next < count && failures.size === 0) {
			const index = next;
			next += 1;
			try {
				results[index] = await work(index);
			} catch (error) {
				failures.set(index, error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, count) }, worker));
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
