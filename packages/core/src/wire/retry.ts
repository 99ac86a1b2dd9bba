import { backoff } from '../backoff';
import { type ExchangeError } from '../errors';
import { sleep, type Ports } from '../ports';
import type { Attempt, Proof } from './exchange';

const ATTEMPTS_MAX = 5;
const DEADLINE_MS = 60_000;
/** The shortest pause, whatever the service asks for. */
const PAUSE_MS_MIN = 250;
const backoffMs = { base: 500, cap: 8_000 };
/** How long a record may take to be found after the write that made it, and how often it is looked for. */
const APPEARS_WITHIN_MS = 2_000;
const APPEARS_EVERY_MS = 400;

/** Repeats an attempt that may be repeated, with full jitter, until it is decided or the limits are reached. */
export async function withRetry(
	ports: Ports,
	signal: AbortSignal | undefined,
	attempt: () => Promise<Attempt>,
	repeats: readonly Proof[] = ['unsent', 'limited', 'unknown'],
): Promise<Attempt> {
	const endsAt = ports.clock.elapsed() + DEADLINE_MS;
	for (let tries = 1; ; tries += 1) {
		const made = await attempt();
		if (!mayRepeat(made, repeats) || tries >= ATTEMPTS_MAX || signal?.aborted) return made;
		const asked = 'error' in made.response ? (made.response.error.retryAfterMs ?? 0) : 0;
		const delayMs = Math.max(PAUSE_MS_MIN, asked, backoff(backoffMs, tries, ports.random));
		if (ports.clock.elapsed() + delayMs > endsAt) return made;
		await sleep(ports.clock, delayMs, signal);
		if (signal?.aborted) return made;
	}
}

const mayRepeat = ({ proof, response }: Attempt, repeats: readonly Proof[]): boolean =>
	repeats.includes(proof) && !('error' in response && isStopped(response.error));

const isStopped = (error: ExchangeError): boolean =>
	['aborted', 'limit_reached', 'malformed_response'].includes(error.code);

/** Looks again for a moment when a read finds nothing: writes are processed after they were answered. (Interface, part 1.) */
export async function untilItAppears(
	ports: Ports,
	signal: AbortSignal | undefined,
	attempt: () => Promise<Attempt>,
): Promise<Attempt> {
	const endsAt = ports.clock.elapsed() + APPEARS_WITHIN_MS;
	for (;;) {
		const made = await attempt();
		const absent = 'error' in made.response && made.response.error.code === 'not_found';
		if (!absent || signal?.aborted || ports.clock.elapsed() + APPEARS_EVERY_MS > endsAt) return made;
		await sleep(ports.clock, APPEARS_EVERY_MS, signal);
	}
}
