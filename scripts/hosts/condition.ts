/** Waiting without sleeping blindly: a condition is asked again until it holds or its deadline has passed. */

export interface Patience {
	/** What is awaited, for the message. */
	what: string;
	/** When it is certain that it will not come. */
	timeoutMs?: number;
	everyMs?: number;
	/** What was there instead, for the message. */
	seen?: () => unknown;
}

/** A wait ends when its condition holds, so this limit costs nothing and may suit the slowest machine. */
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

/** The end says most: it is what came last. */
const SEEN_LENGTH_MAX = 2_000;

function describe(seen: (() => unknown) | undefined): string {
	if (!seen) return '';
	const text = JSON.stringify(seen()) ?? '';
	return `; saw ${text.length > SEEN_LENGTH_MAX ? `…${text.slice(-SEEN_LENGTH_MAX)}` : text}`;
}
