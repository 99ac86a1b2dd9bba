interface Pauses {
	base: number;
	cap: number;
}

/** A pause that doubles with each try, up to the cap. `tries` counts from 0. */
export const doubled = ({ base, cap }: Pauses, tries: number): number => Math.min(cap, base * 2 ** Math.min(tries, 30));

/**
 * Full jitter: a random time from zero up to an exponentially growing bound, so that clients that failed together do
 * not retry together. `tries` counts from 1.
 */
export const backoff = (pauses: Pauses, tries: number, random: () => number): number =>
	Math.round(random() * doubled(pauses, tries));
