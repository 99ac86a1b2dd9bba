/**
 * Lets work run whose result nobody waits for. A rejection ends here: a host exits on one that nobody handles, so work
 * that must be told of or tried again has its own catch.
 */
export const inBackground = (work: Promise<unknown>): void => void work.catch(() => undefined);

/**
 * Tells a callback of the caller, which cannot harm what it is told of: an order that was placed is no failure because
 * whoever listened threw, now or by its promise.
 */
export function tell(callback: () => unknown): void {
	try {
		inBackground(Promise.resolve(callback()));
	} catch {
		// The callback that failed is the one that would be told.
	}
}
