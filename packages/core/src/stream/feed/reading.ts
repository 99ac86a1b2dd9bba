import { type ExchangeError, isExchangeError, isOfKey } from '../../errors';
import {
	LISTED_AFTER_MS,
	PAGE_TRIES_MAX,
	PAGES_PER_SLICE,
	READ_LAG_MS_MAX,
	READ_SPACING_MS,
	SLICE_MS_MAX,
	SLICE_PAUSE_MS,
	OUTDATED_AGAIN_MS,
	REFUSALS_CONFIRM,
	REFUSAL_AGAIN_MS,
	REFUSED_RETRY_MS,
	UNREADABLE_AFTER,
} from '../limits';
import { endFirstRead, isFirstReadLate, isNewTo, isFirstReadDue, mayMove, missFirstRead } from '../log/cursor';
import { type Cursor, append, endOf, isFull, readersOf } from '../log/log';
import { noticeTexts } from '../notice-text';
import { walkBack } from '../sources/list';
import { walkNumbers } from '../sources/numbered';
import { needsOf, type Needs, type Reading } from '../sources/source';
import type { TopicEvent } from '../topics/event';
import type { BookTopic, EventsTopic, SequenceTopic } from '../topics/topic';
import { type Feed, dateFirsts, handOut, lookAll, noteFailure, notify, readOverRest, resubscribe, warn } from './feed';
import { beginWith, readEnded, hold } from './live';
import { ensure, finish, request, requestForNewcomers, start } from './schedule';
import { explainJump } from './sequence';
import { tellCut } from './subscription-news';

/** Reads what is due. */
export async function readDue(feed: Feed): Promise<void> {
	const { state, ports, canRead, isBook, signal, topic } = feed;
	const now = ports.clock.now();
	if (!start(state.schedule, now)) return;
	const isStale = isBook && !state.book.isSound;
	if (!canRead || !topic) {
		// A confirmation may carry a snapshot where REST has none.
		finish(state.schedule, {}, { now, chance: 0, everyMs: undefined });
		return isStale ? resubscribe(feed) : undefined;
	}
	// Changes that arrive during the read are delivered after its snapshot.
	if (isStale) hold(feed, now);
	try {
		await (topic.keeps === 'book' ? readSnapshot(feed, topic) : readSlice(feed, topic));
	} catch (error) {
		if (!signal.aborted) readFailed(feed, error);
	}
	if (signal.aborted) return;
	lookAll(feed);
	feed.arm();
}

/** Rows enter the log; returns how many were new to somebody. */
export function appendRows(feed: Feed, rows: readonly TopicEvent[]): number {
	const { ports, state } = feed;
	if (rows.length === 0) return 0;
	ports.observed(rows);
	dateFirsts(feed);
	const arrival = readOverRest(feed);
	const told = new Map<Cursor, number>();
	let count = 0;
	for (const row of rows) {
		const entry = append(state.log, row, arrival, isNewTo);
		if (!entry) continue;
		count += 1;
		const all = [...(entry.only ?? state.log.cursors)];
		if (row.order && all.some((cursor) => mayMove(cursor, row))) ports.moved([row]);
		for (const cursor of all) if (cursor.passes(row, feed.name)) told.set(cursor, (told.get(cursor) ?? 0) + 1);
	}
	for (const [cursor, number] of told) notify(feed, cursor, 'reconciled', noticeTexts.backfilled(number));
	handOut(feed);
	return count;
}

/** A snapshot replaces everything that was missed, unless it is too old for that. */
async function readSnapshot(feed: Feed, { snapshot }: BookTopic): Promise<void> {
	const { state, ports, history, name, signal } = feed;
	const pair_id = await history!.pairOf(name, signal);
	const data = await history!.read(snapshot, { pair_id }, signal);
	if (signal.aborted) return;
	if (beginWith(feed, data)) return allRead(feed, false);
	// A stale book needs a newer snapshot; a sound book needs none.
	if (!state.book.isSound) request(state.schedule, ports.clock.now() + OUTDATED_AGAIN_MS);
	finishRead(feed, {});
}

/** Continues the walk under way, or begins one, and reads some pages of it. After a failure it goes on where it stopped. */
async function readSlice(feed: Feed, topic: EventsTopic | SequenceTopic): Promise<void> {
	// The rows before a page that fails for good have changed meanwhile.
	if ((feed.reading?.failures ?? 0) >= PAGE_TRIES_MAX) feed.reading = undefined;
	const reading = (feed.reading ??= newReading(feed, topic));
	if (!reading) {
		// Nobody needs a read, as while only commands are sent. The consumer that joins next does not wait for a pause
		// after this one.
		feed.state.schedule.begun.pop();
		finishRead(feed, {});
		return readEnded(feed);
	}
	const isRead = await readPages(feed, reading);
	if (feed.signal.aborted) return;
	if (!isRead) return finishRead(feed, { againMs: isHeldUp(feed) ? READ_SPACING_MS : SLICE_PAUSE_MS });
	feed.reading = undefined;
	reading.walk.end();
	walkEnded(feed, reading, feed.ports.clock.now());
	allRead(feed, reading.news > 0);
}

function newReading(feed: Feed, topic: EventsTopic | SequenceTopic): Reading | undefined {
	const { state, ports } = feed;
	const needs = needsOf(state);
	if (!needs) return undefined;
	const walk = topic.keeps === 'sequence' ? walkNumbers(feed, topic, needs) : walkBack(feed, topic, needs);
	return { needs, walk, beganAt: ports.clock.now(), news: 0, failures: 0 };
}

/** Returns whether nothing is left to read. Pages read before a failure are kept. */
async function readPages(feed: Feed, reading: Reading): Promise<boolean> {
	const { ports, signal, isNumbered } = feed;
	const endsAt = ports.clock.now() + SLICE_MS_MAX;
	let rows: TopicEvent[] = [];
	let isRead = false;
	const enterRows = (): void => {
		// A list that is newest first has those of one moment in that order, too.
		if (!isNumbered && feed.state.list.shape.order === 'newest_first') rows.reverse();
		reading.news += appendRows(feed, isNumbered ? rows : rows.sort((a, b) => (a.time ?? 0) - (b.time ?? 0)));
		reading.walk.entered?.(reading.news);
		rows = [];
	};
	for (let pages = 0; pages < PAGES_PER_SLICE && ports.clock.now() <= endsAt && !isHeldUp(feed); pages += 1) {
		let page: readonly TopicEvent[] | undefined;
		try {
			page = await reading.walk.next();
		} catch (error) {
			reading.failures += 1;
			if (pages === 0) throw error;
			break;
		}
		if (signal.aborted) return false;
		reading.failures = 0;
		isRead = page === undefined;
		if (!page) break;
		for (const row of page) rows.push(row);
		// What was read does not wait for what is looked up next.
		if (isNumbered || page.length === 0) enterRows();
	}
	if (!isNumbered) enterRows();
	return isRead;
}

/** Whether every consumer has as much waiting as it may have. */
function isHeldUp({ state: { log } }: Feed): boolean {
	const readers = readersOf(log);
	return readers.length > 0 && readers.every((cursor) => isFull(log, cursor));
}

/** Ends a walk: the consumers that waited for it have what they missed. */
function walkEnded(feed: Feed, { needs, beganAt }: Reading, now: number): void {
	const { state, subscribers, isNumbered } = feed;
	const { log, schedule } = state;
	// Only what has been known for longer than lists lag shows that one no longer has what is missing.
	const lagMs = isNumbered ? LISTED_AFTER_MS : READ_LAG_MS_MAX;
	if (beganAt - (state.cut?.endedAt ?? Infinity) >= READ_LAG_MS_MAX) state.cut = undefined;
	state.readings.beganAt = beganAt;
	if (state.isConfirmed && beganAt < state.confirmedAt) requestForNewcomers(schedule, now);
	for (const [cursor, subscriber] of subscribers) {
		const { first, catchingUp } = cursor;
		// A cursor that joined in the middle of a walk lacks its first pages, which may tell what happened since its own start.
		if (isFirstReadDue(first) && (first.newSinceByService === undefined || needs.firsts.includes(cursor))) {
			// What happened since may be missing, and lists lag.
			if (isFirstReadLate(first)) for (const delayMs of [0, READ_LAG_MS_MAX]) request(schedule, now + delayMs);
			endFirstRead(cursor);
			subscriber.storable();
		}
		if (!catchingUp || (catchingUp.reads && !wasFor(needs, cursor))) continue;
		// What came before this cursor joined, to others or to itself, may appear later in the list.
		const from = isNumbered ? (catchingUp.firstReadAt ??= beganAt) : catchingUp.servedFrom;
		const isEarly = beganAt - from < lagMs;
		if (isEarly && !catchingUp.reads) continue;
		if (isEarly) ensure(schedule, from + lagMs, from + lagMs + READ_LAG_MS_MAX);
		else if (catchingUp.reads?.unseen?.size) ensure(schedule, now, now + READ_LAG_MS_MAX);
		else catchingUp.until = endOf(log);
	}
	handOut(feed);
}

const wasFor = ({ parties }: Needs, cursor: Cursor): boolean =>
	parties.some(({ cursors, catchingUp }) => catchingUp !== undefined && cursors.has(cursor));

function allRead(feed: Feed, hasNews: boolean): void {
	const { state, ports } = feed;
	const now = ports.clock.now();
	explainJump(state.sequence, hasNews, now);
	state.readings.done += 1;
	state.readings.lastAt = now;
	state.refusals = { count: 0, endsAt: Number.NEGATIVE_INFINITY };
	state.isLiveOnly = false;
	finishRead(feed, {});
	readEnded(feed);
}

function finishRead({ state, ports }: Feed, outcome: { againMs?: number; hasFailed?: boolean }): void {
	const { clock, random, policy } = ports;
	finish(state.schedule, outcome, { now: clock.now(), chance: random(), everyMs: policy.readEveryMs });
}

/** A key without read permission is tried again at growing pauses; any other failure is retried soon. */
function readFailed(feed: Feed, error: unknown): void {
	const { state, ports, subscribers } = feed;
	const now = ports.clock.now();
	const isRefused = isOfKey(error);
	state.readings[isRefused ? 'refused' : 'failed'] += 1;
	noteFailure(feed, error);
	const firsts = [...subscribers].filter(([{ first }]) => isFirstReadDue(first));
	const againMs = isRefused ? countRefusal(feed, firsts.length > 0, now) : undefined;
	finishRead(feed, { againMs, hasFailed: !isRefused });
	const reason = isExchangeError(error) ? error.summary : 'unknown reason';
	warn(feed, subscribers.keys(), noticeTexts.backfillFailed(reason, againMs));
	const isConfirmedRefusal = isRefused && state.refusals.count >= REFUSALS_CONFIRM;
	for (const [cursor, subscriber] of firsts) {
		const mayFail = !subscriber.consumer.retriesFirstConnection && (!isRefused || isConfirmedRefusal);
		missFirstRead(cursor, isConfirmedRefusal && isExchangeError(error, 'forbidden'));
		if (mayFail && cursor.first!.read === 'late') ports.fail(subscriber, error as ExchangeError);
		// The time since which events are new is stored, so that a process that ends before the first read continues from
		// then.
		subscriber.storable();
	}
	if (state.refusals.count >= UNREADABLE_AFTER && !feed.isBook) becomeLiveOnly(feed);
	if (isRefused) readEnded(feed);
}

/** The list cannot be read, so what a cut of the stream loses is a gap. */
function becomeLiveOnly(feed: Feed): void {
	const { state, subscribers } = feed;
	if (!state.isLiveOnly) warn(feed, subscribers.keys(), noticeTexts.liveOnly);
	state.isLiveOnly = true;
	if (state.isConfirmed) tellCut(feed);
}

/** Counts a refusal, and returns the pause after it. One during a pause is not counted. A first read is soon repeated, to confirm it. */
function countRefusal({ state: { refusals } }: Feed, isFirst: boolean, now: number): number {
	if (now < refusals.endsAt) return refusals.endsAt - now;
	refusals.count += 1;
	if (isFirst && refusals.count < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * refusals.count;
	const growth = 3 ** Math.max(0, refusals.count - REFUSALS_CONFIRM);
	const pauseMs = Math.min(REFUSED_RETRY_MS.cap, REFUSED_RETRY_MS.base * growth);
	refusals.endsAt = now + pauseMs;
	return pauseMs;
}
