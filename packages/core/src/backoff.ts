/**
 * Full jitter: any time from nothing up to an exponentially growing bound, so that many clients that lost the service
 * together do not come back together. `tries` counts from 1.
 */
export const backoff = ({ base, cap }: { base: number; cap: number }, tries: number, random: () => number): number =>
	Math.round(random() * Math.min(cap, base * 2 ** Math.min(tries, 30)));
