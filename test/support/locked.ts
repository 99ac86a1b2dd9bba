/**
 * What a piece of work fails with that waits for a lock; undefined where it succeeds. A second passes after each look at the
 * lock.
 */
export async function failureWhileLocked(
	work: () => Promise<unknown>,
	each: (second: number) => void = () => undefined,
): Promise<unknown> {
	const doNotFake = ['setImmediate', 'nextTick', 'queueMicrotask', 'Date', 'setInterval', 'clearInterval'] as const;
	jest.useFakeTimers({ doNotFake: [...doNotFake] });
	try {
		let ended: { error?: unknown } | undefined;
		work().then(
			() => (ended = {}),
			(error: unknown) => (ended = { error }),
		);
		for (let second = 1; !ended; await new Promise(setImmediate)) {
			if (jest.getTimerCount() === 0) continue;
			each(second);
			second += 1;
			jest.advanceTimersByTime(1_000);
		}
		return ended.error;
	} finally {
		jest.useRealTimers();
	}
}
