import { backoff } from '../backoff';
import { ExchangeError, factsIn } from '../errors';
import { sleep, type Ports } from '../ports';
import type { Attempt, Failed } from './attempt';

/**
 * A request is repeated this often, so that a service in trouble is not asked more and more. Then the error is given to
 * the caller.
 */
const RETRIES_MAX = 4;
/** No further try begins after this time, so that a caller does not wait for ever. */
const DEADLINE_MS = 60_000;
/** The shortest pause, even when the service asks for a shorter one. */
const PAUSE_MS_MIN = 250;
const backoffMs = { base: 500, cap: 8_000 };
/** How long a record may take to become readable after its write, and the pause between reads. */
const APPEARS_WITHIN_MS = 2_000;
const APPEARS_EVERY_MS = 400;

/**
 * Repeats an attempt whose proof allows it, with full jitter, until another result or a limit is reached. A read of what
 * `appearsLater` is also repeated for a moment where it finds nothing: the service processes writes after it has answered
 * them. (Interface, part 1.)
 */
export async function withRetry(
	ports: Ports,
	signal: AbortSignal | undefined,
	attempt: () => Promise<Attempt>,
	{
		retries = RETRIES_MAX,
		after = ['unsent', 'limited', 'unknown'],
		appearsLater = false,
	}: { retries?: number; after?: readonly Failed['proof'][]; appearsLater?: boolean } = {},
): Promise<Attempt> {
	const began = ports.clock.elapsed();
	for (let tries = 1; ;) {
		const made = await attempt();
		if (made.proof === 'done') return made;
		const tookMs = ports.clock.elapsed() - began;
		const mayAppear = appearsLater && made.error.code === 'not_found' && tookMs + APPEARS_EVERY_MS <= APPEARS_WITHIN_MS;
		if (!mayAppear && (!mayRepeat(made, after) || tries > retries)) return toldTries(made, tries);
		const delayMs = mayAppear
			? APPEARS_EVERY_MS
			: Math.max(PAUSE_MS_MIN, made.error.retryAfterMs ?? 0, backoff(backoffMs, tries, ports.random));
		if (tookMs + delayMs > DEADLINE_MS) return toldTries(made, tries);
		await sleep(ports.clock, delayMs, signal);
		if (signal?.aborted) return toldTries(made, tries);
		if (!mayAppear) tries += 1;
	}
}

const toldTries = (made: Failed, tries: number): Failed => ({ ...made, error: afterTries(made.error, tries) });

/** The error of the last try, which says how often it was tried if that was more than once. */
export const afterTries = (error: ExchangeError, tries = 1): ExchangeError =>
	tries < 2 ? error : new ExchangeError(error.code, { ...factsIn(error), what: `${error.what}, tried ${tries} times` });

const mayRepeat = ({ proof, error }: Failed, repeats: readonly Failed['proof'][]): boolean =>
	repeats.includes(proof) && !['aborted', 'limit_reached', 'malformed_response'].includes(error.code);
