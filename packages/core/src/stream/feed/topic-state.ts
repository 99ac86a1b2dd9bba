import { unknownShape, type ListShape } from '../../wire/list-shape';
import { instantOf } from '../../wire/payload';
import type { DataMessage } from '../connection/messages';
import type { LastFailure } from '../failure';
import { HELD_LENGTH_MAX, HELD_MAX, HOLD_MS_MAX, TIME_READ_EVERY_MS } from '../limits';
import type { Log } from '../log/log';
import type { Position } from '../position';
import { noCopies, type Copies } from '../topics/copies';
import { noBook, type BookState } from './book-sequence';
import { newSchedule, type Schedule } from './schedule';
import { noSequence, type SequenceState } from './sequence';

/** All that is known of one topic beside its log: a plain value, which its feed changes in place. */
export interface TopicState {
	readonly log: Log;
	isConfirmed: boolean;
	/** Since when it is, without an outage. What a read shows that began before may lack what happened until then. */
	confirmedAt: number;
	/** The last thing heard before it was lost, while it is not confirmed after it was. */
	lostAt?: number;
	/** An outage that no read has looked back over late enough: since the last thing heard, until the topic was confirmed. */
	cut?: { since: number; endedAt: number };
	/** The subscription that waits for its confirmation: the oldest position at that time, and from where it asked for a replay. */
	requested?: { from?: Position; resumeFrom?: Position };
	sequence: SequenceState;
	/** What the sequence of the book shows. Unused by other topics. */
	book: BookState;
	times: MessageTimes;
	/** Its events without an identifier, which are counted. */
	copies: Copies;
	/** What reading its list has shown of the list. */
	list: LearnedList;
	/** Live messages that wait for a read. */
	backlog?: Backlog;
	schedule: Schedule;
	/** Reads refused in a row, and until when no further one is tried. */
	refusals: { count: number; endsAt: number };
	/** Its list cannot be read, so every cut of it is a gap. */
	isLiveOnly: boolean;
	failure?: LastFailure;
	/** How its reads ended since the start, by count, and when the latest complete one began and ended. */
	readings: { done: number; refused: number; failed: number; beganAt?: number; lastAt?: number };
}

/** `everyMs`: the interval of regular reads. */
export const newTopic = (log: Log, now: number, chance: number, everyMs: number | undefined): TopicState => ({
	log,
	isConfirmed: false,
	confirmedAt: Infinity,
	isLiveOnly: false,
	sequence: noSequence(),
	book: noBook(),
	times: { readAt: Number.NEGATIVE_INFINITY, latest: null, lagMs: null },
	copies: noCopies(),
	list: { shape: unknownShape(), pageLength: 0, isReported: false },
	schedule: newSchedule(now, chance, everyMs),
	refusals: { count: 0, endsAt: Number.NEGATIVE_INFINITY },
	readings: { done: 0, refused: 0, failed: 0 },
});

/** What reading a list has shown of it, because the interface shows neither its order nor its length. */
interface LearnedList {
	/** Its sort order, and its length. */
	shape: ListShape;
	/** Rows of the longest page of a list that is read by number. */
	pageLength: number;
	/** Consumers were told that its order is unknown, or that its rows have no numbers. */
	isReported: boolean;
}

/** The clock of the service and the network lag, as the timestamps of messages show them. */
export interface MessageTimes {
	/** How far the clock of the service is ahead, by the message that arrived fastest. */
	aheadMs?: number;
	readAt: number;
	/** The latest timestamp, as the service wrote it, and how much longer its message took than the fastest one. */
	latest: string | null;
	lagMs: number | null;
}

/** `ts`: when the service sent a message, as it wrote it; `at`: when it arrived, on our clock. */
export function observeTime(times: MessageTimes, ts: string | null, at: number): void {
	if (at - times.readAt < TIME_READ_EVERY_MS) return;
	const sentAt = instantOf(ts);
	if (sentAt === undefined) return;
	const ahead = sentAt - at;
	const aheadMs = Math.max(times.aheadMs ?? ahead, ahead);
	Object.assign(times, { readAt: at, aheadMs, lagMs: aheadMs - ahead, latest: ts });
}

/** A message that arrived. */
export interface Heard {
	message: DataMessage;
	/** Decided on arrival, because the connection may be another one later. */
	isReplayed: boolean;
	at: number;
}

/** Live messages that wait for a read, where events have an order. Limited in time, number and size. */
export interface Backlog {
	/** In order of arrival. */
	waiting: Heard[];
	length: number;
	/** They wait no longer, however slow the read is. */
	endsAt: number;
}

export const newBacklog = (now: number): Backlog => ({ waiting: [], length: 0, endsAt: now + HOLD_MS_MAX });

/** Adds a message; returns whether the backlog is full. */
export function addToBacklog(backlog: Backlog, arrived: Heard): boolean {
	backlog.waiting.push(arrived);
	backlog.length += arrived.message.length;
	return backlog.waiting.length >= HELD_MAX || backlog.length >= HELD_LENGTH_MAX;
}
