/** State of sfc32, a small and fast generator whose four integers fit into a snapshot. */
export type RandomState = [number, number, number, number];

const WARM_UP_DRAWS = 12;

/** `stream` selects an independent sequence, so that drawing one more id does not change the next price. */
export function seedRandom(seed: number, stream: number): RandomState {
	const random: RandomState = [seed | 0, Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b), stream | 0, 1];
	for (let draw = 0; draw < WARM_UP_DRAWS; draw++) drawInteger(random);
	return random;
}

/** A random 32-bit integer. */
function drawInteger(random: RandomState): number {
	const [a, b, c, counter] = random;
	const result = (((a + b) | 0) + counter) | 0;
	random[3] = (counter + 1) | 0;
	random[0] = b ^ (b >>> 9);
	random[1] = (c + (c << 3)) | 0;
	random[2] = (((c << 21) | (c >>> 11)) + result) | 0;
	return result >>> 0;
}

/** A random integer from 0 up to, but not including, `bound`. */
export const drawBelow = (random: RandomState, bound: number): number => drawInteger(random) % bound;

/**
 * Twelve hexadecimal digits that identify one exchange. Every identifier ends in them, so no two exchanges share one.
 */
export type RunId = string;

export const FIRST_RUN: RunId = '000000000001';
const RUN_ID = /^[0-9a-f]{12}$/;

export const isRunId = (text: string): text is RunId => RUN_ID.test(text);

/** The run id after a reset. */
export const nextRun = (run: RunId): RunId =>
	((BigInt(`0x${run}`) + 1n) & 0xffffffffffffn).toString(16).padStart(12, '0');

const hex = (value: number): string => value.toString(16).padStart(8, '0');

/** An identifier in the format of a version 4 UUID: drawn from the seed, and ending in the run id. */
export function drawUuid({ random: { ids }, run }: { random: { ids: RandomState }; run: RunId }): string {
	const middle = hex(drawInteger(ids));
	const variant = hex(((drawInteger(ids) & 0x3fffffff) | 0x80000000) >>> 0);
	return `${hex(drawInteger(ids))}-${middle.slice(0, 4)}-4${middle.slice(5)}-${variant.slice(0, 4)}-${run}`;
}
