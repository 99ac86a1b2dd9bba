import type { Account } from '../account';
import { perAccount } from '../per-account';
import { sleep, TransportError, type Clock, type HttpRequest, type HttpResponse, type SendHttp } from '../ports';
import { retryAfter } from './response';

/** Priority of a request while the account is rate limited. Writes always go first. */
export type Priority = 'first' | 'later';

/** Shares the request rate of one account among all its clients in this process. */
export interface RateLimiter {
	/** The transport with each request queued behind the others of the account. */
	send(send: SendHttp, priority: Priority): SendHttp;
	/** Whether requests have to wait, because the service recently answered 429. */
	isHindered(): boolean;
}

/** Requests never become rarer than this, so that callers go on even while the service refuses again and again. */
const PER_SECOND_MIN = 0.5;
/** Above this rate requests are no longer delayed. */
const PER_SECOND_MAX = 100;
/** Time without a 429 after which the rate is raised. */
const RAISE_EVERY_MS = 5_000;
const RAISE_FACTOR = 1.25;
/** A service that asks for a longer pause is asked again after this one. */
export const RETRY_AFTER_MS_MAX = 600_000;
/** The pause when the service names none. */
const PAUSE_MS = 1_000;

/** One limiter for each account, shared by all callers. */
export function createRateLimiters(clock: Clock): (account: Pick<Account, 'baseUrl' | 'apiKey'>) => RateLimiter {
	const rateLimiterOf = perAccount(() => createRateLimiter(clock));
	return ({ baseUrl, apiKey }) => rateLimiterOf(JSON.stringify([baseUrl, apiKey]));
}

/**
 * Delays nothing until the service answers 429. Then all requests pause as long as it asks and continue at half the
 * rate that was refused, which grows again slowly. (Interface, part 8: numeric limits are not shown.)
 */
function createRateLimiter(clock: Clock): RateLimiter {
	const waiting: Record<Priority, (() => void)[]> = { first: [], later: [] };
	let perSecond = Number.POSITIVE_INFINITY;
	let raisedAt = 0;
	let nextAt = 0;
	let sent: number[] = [];
	let isTimed = false;

	function raise(now: number): void {
		if (perSecond === Number.POSITIVE_INFINITY || now - raisedAt < RAISE_EVERY_MS) return;
		perSecond = perSecond * RAISE_FACTOR > PER_SECOND_MAX ? Number.POSITIVE_INFINITY : perSecond * RAISE_FACTOR;
		raisedAt = now;
	}

	function serve(): void {
		for (;;) {
			const now = clock.elapsed();
			raise(now);
			if (now < nextAt) break;
			const next = waiting.first.shift() ?? waiting.later.shift();
			if (!next) return;
			sent = [...sent.filter((at) => at > now - 1_000), now];
			nextAt = Math.max(nextAt, now) + 1_000 / perSecond;
			next();
		}
		if (isTimed || waiting.first.length + waiting.later.length === 0) return;
		isTimed = true;
		clock.after(Math.max(1, Math.ceil(nextAt - clock.elapsed())), () => {
			isTimed = false;
			serve();
		});
	}

	/** Resolves to whether the request got its turn before it would have timed out. */
	async function turn(priority: Priority, { timeoutMs, signal }: HttpRequest): Promise<boolean> {
		// A request that would time out before its turn fails at once, and the error says when to try again.
		if (nextAt - clock.elapsed() > timeoutMs) return false;
		const over = new AbortController();
		let isServed = false;
		const served = new Promise<void>((resolve) => {
			const start = (): void => {
				isServed = true;
				resolve();
			};
			waiting[priority].push(start);
			over.signal.addEventListener('abort', () => {
				const index = waiting[priority].indexOf(start);
				if (index >= 0) waiting[priority].splice(index, 1);
			});
		});
		const stop = (): void => over.abort();
		signal?.addEventListener('abort', stop, { once: true });
		serve();
		if (!isServed) await Promise.race([served, sleep(clock, timeoutMs, over.signal)]);
		signal?.removeEventListener('abort', stop);
		over.abort();
		return isServed;
	}

	function refused(retryAfterMs: number, at: number): void {
		const now = clock.elapsed();
		nextAt = Math.max(nextAt, now + retryAfterMs);
		// Requests in flight together are refused together, which counts as one refusal.
		if (at < raisedAt) return;
		const rate = Math.min(perSecond, Math.max(1, sent.length));
		perSecond = Math.max(PER_SECOND_MIN, rate / 2);
		raisedAt = now;
	}

	const isHindered = (): boolean => perSecond !== Number.POSITIVE_INFINITY || clock.elapsed() < nextAt;
	return {
		isHindered,
		send: (send, priority) => async (request) => {
			const isUnhindered = !isHindered();
			const mayGo = isUnhindered || (await turn(request.method === 'GET' ? priority : 'first', request));
			if (!mayGo && request.signal?.aborted) throw new TransportError('aborted', 'never');
			if (!mayGo) return tooMany(nextAt - clock.elapsed());
			if (!isUnhindered && !(await isStillWanted(request))) throw new TransportError('aborted', 'never');
			const at = clock.elapsed();
			if (isUnhindered) sent = [...sent.slice(-PER_SECOND_MAX).filter((other) => other > at - 1_000), at];
			const response = await send(request);
			if (response.status === 429) {
				refused(Math.min(retryAfter(response, clock.now()) ?? PAUSE_MS, RETRY_AFTER_MS_MAX), at);
			}
			return response;
		},
	};
}

const isStillWanted = ({ assertWanted }: HttpRequest): Promise<boolean> =>
	assertWanted === undefined
		? Promise.resolve(true)
		: assertWanted().then(
				() => true,
				() => false,
			);

const tooMany = (waitMs: number): HttpResponse => ({
	status: 429,
	headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
	body: '',
	isHeldBack: true,
});
