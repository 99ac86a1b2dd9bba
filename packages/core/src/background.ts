/**
 * Lets work run whose result nobody waits for. A rejection ends here: a host exits on one that nobody handles, so work
 * that must be told of or tried again has its own catch.
 */
export const inBackground = (work: Promise<unknown>): void => void work.catch(() => undefined);

/**
 * Tells a callback of the caller, which cannot harm what it is told of: an order that was placed is no failure because
 * whoever listened threw, now or by its promise. `failed` hears of that.
 */
export function tell(callback: () => unknown, failed: (error: unknown) => void = () => undefined): void {
	try {
		const told = callback();
		// Few callbacks are asynchronous, and some are called for every event.
		if (isThenable(told)) inBackground(Promise.resolve(told).catch(failed));
	} catch (error) {
		failed(error);
	}
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
	typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
