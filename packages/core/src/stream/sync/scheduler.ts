import { inBackground } from '../../background';
import { backoff, doubled } from '../../backoff';
import type { Clock } from '../../ports';
import { NEWCOMERS_SPACING_MS, READ_RETRY_MS, READ_SPACING_MS, READS_PER_MINUTE_MAX } from '../limits';

/** Runs backfills when they are due: one at a time, coalesced, rate limited, retried after a failure. */
export interface Scheduler {
	/** Requests a run after a delay; runs due at about the same time coalesce. Urgent ones bypass the rate limit. */
	request(delayMs: number, isUrgent?: boolean): void;
	/** Requests a run at the end of an interval, unless one is already due within it. */
	ensure(fromMs: number, toMs: number): void;
	/**
	 * Requests a run for a new subscriber: at once, or at growing intervals while many join one after another. Returns
	 * whether it is at once.
	 */
	requestForNewcomer(): boolean;
	/** When the next run is due. */
	nextAt(): number | undefined;
	stop(): void;
}

export interface SchedulerOptions {
	/** Runs a backfill; resolves to the delay before it continues if it is unfinished. */
	run(): Promise<number | undefined>;
	clock: Clock;
	random: () => number;
	/** The interval of regular runs; without it there are none. */
	everyMs?: number;
}

const MINUTE_MS = 60_000;
/** How much too early a timer may fire: those of Node drop fractions of a millisecond. */
const EARLY_MS = 10;

export function createScheduler({ run, clock, random, everyMs }: SchedulerOptions): Scheduler {
	let due: number[] = [];
	let begun: number[] = [];
	let cancel: (() => void) | undefined;
	let running = false;
	let stopped = false;
	let urgent = false;
	/** When to continue an unfinished backfill. The rate limit does not apply to it. */
	let continuesAt: number | undefined;
	let failures = 0;
	const newcomers = createNewcomersPace();

	function request(delayMs: number, isUrgent = false): void {
		const at = clock.now() + delayMs;
		urgent ||= isUrgent;
		const isDue = due.some((other) => Math.abs(other - at) <= READ_SPACING_MS);
		if (!isDue) due = [...due, at].sort((a, b) => a - b);
		if (!isDue || isUrgent) arm();
	}

	function arm(): void {
		cancel?.();
		cancel = undefined;
		if (running || stopped) return;
		const now = clock.now();
		const next = due[0] === undefined ? undefined : Math.max(0, due[0] - now, roomIn());
		const further = continuesAt === undefined ? undefined : Math.max(0, continuesAt - now);
		const delayMs = Math.min(next ?? Number.POSITIVE_INFINITY, further ?? Number.POSITIVE_INFINITY);
		if (Number.isFinite(delayMs)) cancel = clock.after(delayMs, () => inBackground(start(delayMs === next)));
	}

	/** Jitter, so that many topics and many machines do not read at the same time. */
	const regular = (intervalMs: number): number => intervalMs * (0.9 + random() / 5);

	/** How long until the rate limit allows another run. */
	function roomIn(): number {
		const now = clock.now();
		begun = begun.filter((at) => at > now - MINUTE_MS);
		const spaced = (begun.at(-1) ?? Number.NEGATIVE_INFINITY) + READ_SPACING_MS - now;
		const mayBegin = urgent || begun.length < READS_PER_MINUTE_MAX;
		return Math.max(0, spaced, mayBegin ? 0 : begun[0]! + MINUTE_MS - now);
	}

	async function start(isNew: boolean): Promise<void> {
		const now = clock.now();
		if (isNew) {
			due = due.filter((at) => at > now + EARLY_MS);
			begun.push(now);
			urgent = false;
		}
		continuesAt = undefined;
		running = true;
		try {
			const delayMs = await run();
			if (delayMs !== undefined) continuesAt = clock.now() + delayMs;
			// What a service that was away never answered takes no room from the readings that follow its return.
			if (failures > 0) begun = begun.slice(-1);
			failures = 0;
		} catch {
			failures += 1;
			request(READ_RETRY_MS.base + backoff(READ_RETRY_MS, failures, random));
		}
		running = false;
		if (everyMs !== undefined && due.length === 0) request(regular(everyMs));
		arm();
	}

	if (everyMs !== undefined) request(regular(everyMs));
	return {
		request,
		ensure: (fromMs, toMs) => {
			const now = clock.now();
			if (!due.some((at) => at >= now + fromMs && at <= now + toMs)) request(toMs);
		},
		requestForNewcomer: () => {
			const now = clock.now();
			const at = newcomers.next(now);
			// A run due before then serves this subscriber too. An overdue one does not: the rate limit is delaying it.
			if (due.some((other) => other >= now && other <= at)) return false;
			newcomers.asked(at);
			request(at - now, true);
			return at === now;
		},
		nextAt: () => (continuesAt === undefined || (due[0] ?? continuesAt) < continuesAt ? due[0] : continuesAt),
		stop: () => {
			stopped = true;
			cancel?.();
		},
	};
}

/** Paces the runs for new subscribers: each such run in the last minute doubles the pause before the next one. */
function createNewcomersPace() {
	let asked: number[] = [];
	return {
		next: (now: number): number => {
			asked = asked.filter((at) => at > now - MINUTE_MS);
			const last = asked.at(-1);
			if (last === undefined) return now;
			return Math.max(now, last + doubled(NEWCOMERS_SPACING_MS, asked.length - 1));
		},
		asked: (at: number): void => void asked.push(at),
	};
}
