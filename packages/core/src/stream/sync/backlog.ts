import type { DataFrame } from '../connection/frames';
import { HELD_LENGTH_MAX, HELD_MAX, HOLD_MS_MAX } from '../limits';

/** Live messages that wait for a backfill, where events have an order. Limited in time, number and size. */
export interface Backlog {
	/** In order of arrival. Whether it is a replay is decided then, because the connection may be another one later. */
	frames: BackloggedFrame[];
	length: number;
	/** They wait no longer, however slow the backfill is. */
	endsAt: number;
}

export type BackloggedFrame = readonly [frame: DataFrame, isReplay: boolean];

export const newBacklog = (now: number): Backlog => ({ frames: [], length: 0, endsAt: now + HOLD_MS_MAX });

/** Adds a message; returns whether the backlog is full. It is changed in place. */
export function addFrame(backlog: Backlog, frame: DataFrame, isReplay: boolean): boolean {
	backlog.frames.push([frame, isReplay]);
	backlog.length += frame.length;
	return backlog.frames.length >= HELD_MAX || backlog.length >= HELD_LENGTH_MAX;
}
