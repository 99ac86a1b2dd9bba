/**
 * Lets work run whose result nobody waits for. A rejection ends here, because a host exits on one that nobody handles.
 * Work whose failure must be reported or tried again has its own catch.
 */
export const inBackground = (work: Promise<unknown>): void => void work.catch(() => undefined);

/**
 * Calls a callback of the caller. A callback that throws, or whose promise rejects, does not harm what it reports: an
 * order that was placed stays placed. `failed` gets the error.
 */
export function tell(callback: () => unknown, failed: (error: unknown) => void = () => undefined): void {
	try {
		const result = callback();
		// Few callbacks are asynchronous, and some are called for every event.
		if (isThenable(result)) inBackground(Promise.resolve(result).catch(failed));
	} catch (error) {
		failed(error);
	}
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
	typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
