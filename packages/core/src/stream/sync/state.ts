import type { LastFailure } from '../failure';
import type { Position } from '../position';
import type { Backlog } from './backlog';
import { noCopies, type Copies } from '../topics/copies';
import { noBook, type BookState } from './book-sequence';
import { nothingLearned, type LearnedList } from './learned-list';
import { noMessageTimes, type MessageTimes } from './message-times';
import { newSchedule, type Schedule } from './schedule';
import { noSequence, type SequenceState } from './sequence';
import type { Subscribers } from './subscribers';
import { emptyWindow, type EventWindow } from './window';

/** All that is known of one topic: a plain value, which the functions of this folder change in place. */
export interface TopicState {
	subscribers: Subscribers;
	isConfirmed: boolean;
	/** Since when it is not confirmed, after it was. */
	lostAt?: number;
	/** The service refused it: it is not subscribed again until somebody asks for it. */
	isRefused: boolean;
	/** The subscription that waits for its confirmation, and the oldest position of the subscribers at that time. */
	requested?: { from?: Position };
	sequence: SequenceState;
	/** What the sequence of the book shows. Unused by other topics. */
	book: BookState;
	times: MessageTimes;
	/** Its events without an identifier, which are counted. */
	copies: Copies;
	/** What was seen of its events. Empty again after each outage, because events of that time may be missing in it. */
	window: EventWindow;
	/** What reading its list has shown of the list. */
	list: LearnedList;
	/** How often it was confirmed again after an outage. */
	outages: number;
	/** Live messages that wait for a backfill. */
	backlog?: Backlog;
	schedule: Schedule;
	/** Since when messages may be missing that no backfill has looked for late enough. */
	missingSince?: number;
	/** Reads refused in a row, and until when no further one is tried. */
	refusals: { count: number; endsAt: number };
	/** Snapshots in a row that were too old. Pauses between reads grow with them. */
	outdated: number;
	/** Messages since the start, and when the counters of its subscribers were last brought up to that. */
	received: number;
	countedAt: number;
	/** The exact topics of its messages, if it is a wildcard. */
	exact: Set<string>;
	failure?: LastFailure;
	/** How its backfills ended since the start, by count, and when the latest was complete. For the status. */
	readings: { done: number; refused: number; failed: number; lastAt?: number };
}

/** `everyMs`: the interval of regular backfills. */
export const newTopic = (now: number, chance: number, everyMs: number | undefined): TopicState => ({
	subscribers: new Map(),
	isConfirmed: false,
	isRefused: false,
	sequence: noSequence(),
	book: noBook(),
	times: noMessageTimes(),
	copies: noCopies(),
	window: emptyWindow(),
	list: nothingLearned(),
	outages: 0,
	schedule: newSchedule(now, chance, everyMs),
	refusals: { count: 0, endsAt: Number.NEGATIVE_INFINITY },
	outdated: 0,
	received: 0,
	countedAt: Number.NEGATIVE_INFINITY,
	exact: new Set(),
	readings: { done: 0, refused: 0, failed: 0 },
});
