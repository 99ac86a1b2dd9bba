import { backoff } from '../../backoff';
import { EARLY_MS, NEWCOMERS_SPACING_MS, READS_PER_MINUTE_MAX, READ_RETRY_MS, READ_SPACING_MS } from '../limits';

/** When the reads of a topic are due: one at a time, coalesced, rate limited, retried after a failure. */
export interface Schedule {
	/** The moments at which one is due, the earliest first, in milliseconds since 1970. */
	due: number[];
	/** When the reads of the last minute began: at most `READS_PER_MINUTE_MAX`, except urgent ones. */
	begun: number[];
	/** The next one bypasses the rate limit. */
	isUrgent: boolean;
	isRunning: boolean;
	/** When an unfinished read continues; `Infinity` without one. The rate limit does not apply to it. */
	continuesAt: number;
	/** Failures in a row, which lengthen the pause before the next try. */
	failures: number;
}

const MINUTE_MS = 60_000;

/** `everyMs`: the interval of regular reads. All functions change the schedule in place. */
export function newSchedule(now: number, chance: number, everyMs: number | undefined): Schedule {
	const due = everyMs === undefined ? [] : [now + regular(everyMs, chance)];
	return { due, begun: [], isUrgent: false, isRunning: false, continuesAt: Infinity, failures: 0 };
}

/** Jitter, so that many topics and many machines do not read at the same time. */
const regular = (everyMs: number, chance: number): number => everyMs * (0.9 + chance / 5);

/** Requests a read; those due at about the same time coalesce. */
export function request(schedule: Schedule, at: number, isUrgent = false): void {
	schedule.isUrgent ||= isUrgent;
	if (schedule.due.some((other) => Math.abs(other - at) <= READ_SPACING_MS)) return;
	schedule.due = [...schedule.due, at].sort((a, b) => a - b);
}

/** Requests a read at the end of a stretch of time, unless one is already due within it. */
export function ensure(schedule: Schedule, from: number, to: number): void {
	if (!schedule.due.some((at) => at >= from && at <= to)) request(schedule, to);
}

/** Requests a read for new subscribers, which those share that join soon after. */
export function requestForNewcomers(schedule: Schedule, now: number): void {
	const at = Math.max(now, (schedule.begun.at(-1) ?? -Infinity) + NEWCOMERS_SPACING_MS);
	ensure(schedule, now, at);
}

/** When a read may begin or continue: never while one is running, or if none is due. */
export const wakesAt = (schedule: Schedule, now: number): number =>
	schedule.isRunning ? Infinity : Math.min(beginsAt(schedule, now), schedule.continuesAt);

/** When the next read that is due may begin by the rate limit. */
function beginsAt({ due: [first = Infinity], begun, isUrgent }: Schedule, now: number): number {
	const latest = begun.filter((at) => at > now - MINUTE_MS);
	const spaced = (latest.at(-1) ?? -Infinity) + READ_SPACING_MS;
	const hasRoom = isUrgent || latest.length < READS_PER_MINUTE_MAX;
	return Math.max(first, spaced, hasRoom ? -Infinity : latest[0]! + MINUTE_MS);
}

/** Begins or continues a read that is due; returns whether one is. */
export function start(schedule: Schedule, now: number): boolean {
	const until = now + EARLY_MS;
	if (wakesAt(schedule, now) > until) return false;
	if (beginsAt(schedule, now) <= until) {
		schedule.due = schedule.due.filter((at) => at > until);
		schedule.begun = [...schedule.begun.filter((at) => at > now - MINUTE_MS), now];
		schedule.isUrgent = false;
	}
	schedule.continuesAt = Infinity;
	schedule.isRunning = true;
	return true;
}

/** A read ended. An unfinished one continues after `againMs`. */
export function finish(
	schedule: Schedule,
	{ againMs = Infinity, hasFailed = false }: { againMs?: number; hasFailed?: boolean },
	{ now, chance, everyMs }: { now: number; chance: number; everyMs: number | undefined },
): void {
	schedule.isRunning = false;
	schedule.continuesAt = now + againMs;
	schedule.failures = hasFailed ? schedule.failures + 1 : 0;
	if (hasFailed) request(schedule, now + READ_RETRY_MS.base + backoff(READ_RETRY_MS, schedule.failures, () => chance));
	if (everyMs !== undefined && schedule.due.length === 0) request(schedule, now + regular(everyMs, chance));
}

/** When the next one is due. */
export const nextReadAt = ({ due: [first = Infinity], continuesAt }: Schedule): number => Math.min(first, continuesAt);
