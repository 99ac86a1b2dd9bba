/**
 * Full jitter: a random time from zero up to an exponentially growing bound, so that clients that failed together do
 * not retry together. `tries` counts from 1.
 */
export const backoff = ({ base, cap }: { base: number; cap: number }, tries: number, random: () => number): number =>
	Math.round(random() * Math.min(cap, base * 2 ** Math.min(tries, 30)));
