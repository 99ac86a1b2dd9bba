import { Refusal } from '../engine/refusal';

/** Default rate limit of one key or connection. The interface states none; this one is generous. */
export const REQUESTS_PER_SECOND_DEFAULT = 2_000;
export const MESSAGES_PER_SECOND_DEFAULT = 500;

interface Bucket {
	tokens: number;
	filledAt: number;
}

/** Most buckets in memory; when exceeded, all are dropped and so start full again. */
const BUCKETS_MAX = 10_000;

export interface RateLimit {
	perSecond: number;
	buckets: Map<string, Bucket>;
}

export const createRateLimit = (perSecond: number): RateLimit => ({ perSecond, buckets: new Map() });

/** Token bucket: takes one token; the bucket refills evenly up to one second of tokens. */
export function spend({ perSecond, buckets }: RateLimit, caller: string, now: number): void {
	if (buckets.size > BUCKETS_MAX) buckets.clear();
	const bucket = buckets.get(caller) ?? { tokens: perSecond, filledAt: now };
	bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.filledAt) * perSecond) / 1_000);
	bucket.filledAt = now;
	buckets.set(caller, bucket);
	if (bucket.tokens < 1)
		throw new Refusal('rate_limited', 'rate_limited', 'Too many requests. Slow down and try again.');
	bucket.tokens--;
}
