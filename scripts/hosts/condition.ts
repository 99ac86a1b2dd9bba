/** Waits by polling a condition until it holds or a deadline passes. */

export interface Patience {
	/** What is awaited, for the error message. */
	what: string;
	/** When to give up. */
	timeoutMs?: number;
	everyMs?: number;
	/** The actual state, for the error message. */
	seen?: () => unknown;
}

/** Default timeout. A wait ends as soon as its condition holds, so a high limit only matters on slow machines. */
const TIMEOUT_MS = 120_000;
const ASK_EVERY_MS = 20;

/** Resolves with the first value of `condition` that is neither false, null nor undefined. */
export async function until<Value>(
	condition: () => Value | false | null | undefined | Promise<Value | false | null | undefined>,
	{ what, timeoutMs = TIMEOUT_MS, everyMs = ASK_EVERY_MS, seen }: Patience,
): Promise<Value> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const value = await condition();
		if (value !== false && value !== null && value !== undefined) return value;
		if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms for ${what}${describe(seen)}`);
		await new Promise((resolve) => setTimeout(resolve, everyMs));
	}
}

/** Only the end of a long text is quoted, because it is the most recent. */
const SEEN_LENGTH_MAX = 2_000;

function describe(seen: (() => unknown) | undefined): string {
	if (!seen) return '';
	const text = JSON.stringify(seen()) ?? '';
	return `; saw ${text.length > SEEN_LENGTH_MAX ? `…${text.slice(-SEEN_LENGTH_MAX)}` : text}`;
}
