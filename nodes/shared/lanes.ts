/**
 * Runs `work` for 0 to count-1, a few at a time, and answers in the order of the numbers. After a failure nothing new
 * is started, what is under way is waited for, and the first failure is thrown.
 */
export async function inOrder<T>(count: number, atOnce: number, work: (number: number) => Promise<T>): Promise<T[]> {
	const results = new Array<T>(count);
	const failures = new Map<number, unknown>();
	let next = 0;
	const lane = async (): Promise<void> => {
		while (next < count && failures.size === 0) {
			const number = next;
			next += 1;
			try {
				results[number] = await work(number);
			} catch (error) {
				failures.set(number, error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
	if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
	return results;
}
