import type { Clock } from '../../ports';
import { DATED_AHEAD_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/**
 * The clock of the service as the rows of one list show it. Marks in the list come from it alone: the clock of this
 * machine may be hours apart, and rows may be dated in another zone, so it only measures how long something took.
 */
export interface RowClock {
	/** The mark up to which a backfill that began at `beganAt`, by the monotonic clock, settled the history. */
	settledBefore(rows: NewestRows, beganAt: number): number | undefined;
}

export function createRowClock(clock: Pick<Clock, 'elapsed'>, overlapMs: number): RowClock {
	/** How far the clock of the service is ahead of the monotonic one, at least. */
	let aheadMs = Number.NEGATIVE_INFINITY;
	return {
		settledBefore: (rows, beganAt) => {
			const newest = rows.time();
			if (newest === undefined) return undefined;
			aheadMs = Math.max(aheadMs, newest - clock.elapsed());
			// Lists lag and rows overtake each other. In a quiet list, time passes although no row shows it.
			return Math.min(newest, aheadMs + beganAt - overlapMs);
		},
	};
}

/** The newest rows of one backfill, each counted once although pages overlap. */
export interface NewestRows {
	observe(events: readonly TopicEvent[]): void;
	/** The time of the newest row, apart from a few that may be dated ahead; undefined if no row carries a time. */
	time(): number | undefined;
}

export function createNewestRows(): NewestRows {
	/** Newest first. */
	let rows: { key: string; time: number }[] = [];

	function observe({ key, time }: TopicEvent): void {
		if (time === undefined || rows.some((row) => row.key === key)) return;
		if (rows.length > DATED_AHEAD_MAX && time <= rows.at(-1)!.time) return;
		rows = [...rows, { key, time }].sort((a, b) => b.time - a.time).slice(0, DATED_AHEAD_MAX + 1);
	}

	return { observe: (events) => events.forEach(observe), time: () => rows.at(-1)?.time };
}
