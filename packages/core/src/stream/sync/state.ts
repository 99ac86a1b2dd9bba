import type { Position } from '../position';
import { noBook, type BookState } from './book-sequence';
import type { Backlog } from './backlog';
import { newSchedule, type Schedule } from './schedule';
import { noSequence, type SequenceState } from './sequence';
import { noMessageTimes, type MessageTimes } from './message-times';
import { noneSkipped, type Skipped } from './skipped';

/** All that is known of one topic, apart from its subscribers: a plain value, which `step` alone changes. */
export interface TopicState {
	isConfirmed: boolean;
	/** It was confirmed before, so that a new subscription follows an earlier one. */
	wasConfirmed: boolean;
	/** The service refused it: it is not subscribed again until somebody asks for it. */
	isRefused: boolean;
	/** The subscription that waits for its confirmation, and the oldest position of the subscribers at that time. */
	requested?: { from?: Position };
	sequence: SequenceState;
	/** Of an order book. */
	book: BookState;
	times: MessageTimes;
	/** Live messages that wait for a backfill. */
	backlog?: Backlog;
	schedule: Schedule;
	/** Since when messages may be missing that no backfill has looked for late enough. */
	missingSince?: number;
	/** Reads refused in a row, and until when no further one is tried. */
	refusals: { count: number; endsAt: number };
	/** Snapshots in a row that were too old. */
	outdated: number;
	/** Messages that concern none of its bystanders. */
	skipped: Skipped;
	/** What became of its backfills. */
	readings: { done: number; refused: number; failed: number; lastAt?: number };
}

/** `everyMs`: the interval of regular backfills. */
export const newTopic = (now: number, chance: number, everyMs: number | undefined): TopicState => ({
	isConfirmed: false,
	wasConfirmed: false,
	isRefused: false,
	sequence: noSequence(),
	book: noBook(),
	times: noMessageTimes(),
	schedule: newSchedule(now, chance, everyMs),
	refusals: { count: 0, endsAt: Number.NEGATIVE_INFINITY },
	outdated: 0,
	skipped: noneSkipped(),
	readings: { done: 0, refused: 0, failed: 0 },
});
