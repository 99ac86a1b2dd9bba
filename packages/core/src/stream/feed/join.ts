import { instant } from '../../wire/payload';
import { boundedMap } from '../../bounded';
import { NOTICES_TOLD_MAX, READ_LAG_MS_MAX, REUSED_MS_MAX } from '../limits';
import { restore } from '../log/checkpoint';
import { catchUp, isFirstReadDue } from '../log/cursor';
import { endOf, type Cursor } from '../log/log';
import { noticeTexts } from '../notice-text';
import type { Subscriber } from '../subscriber';
import { resubscribe, tellGap, timeOfService, warn, type Feed } from './feed';
import { ensure, request, requestForNewcomers } from './schedule';
import { resumesFrom } from './subscription-news';

/** A consumer joins a topic: with an offset, and with what its checkpoint knew. */
export function join(feed: Feed, subscriber: Subscriber): void {
	const { state, name, topic, isBook } = feed;
	const { isConfirmed, requested } = state;
	const cursor = newCursor(feed, subscriber);
	feed.subscribers.set(cursor, subscriber);
	state.log.cursors.add(cursor);
	subscriber.cursors.set(name, cursor);
	const isBehind = beginCatchingUp(feed, cursor, subscriber);
	// A returning consumer needs a replay, and a book begins with a snapshot.
	const isAsked = isConfirmed && (isBook || isBehind);
	cursor.isUnconfirmed = !isConfirmed || isAsked;
	cursor.needsSnapshot = isBook && isConfirmed;
	// The replay of a pending subscription does not cover an older position.
	const from = requested && resumesFrom(feed);
	if (isAsked || (from !== undefined && from.seq !== requested?.from?.seq)) resubscribe(feed);
	requestRead(feed, cursor, isBehind);
	if (!isFirstReadDue(cursor.first)) subscriber.storable();
	if (!topic) warn(feed, [cursor], noticeTexts.wildcardLiveOnly);
}

function newCursor({ state, ports, name }: Feed, subscriber: Subscriber): Cursor {
	const { log } = state;
	const topics = new Set(subscriber.consumer.topics);
	const { received, duplicates } = log;
	const position = state.isConfirmed ? state.sequence.position : undefined;
	return {
		log,
		offset: endOf(log),
		acknowledged: endOf(log),
		joined: { at: ports.clock.now(), offset: endOf(log), received, duplicates, position },
		isUnconfirmed: true,
		isTooSlow: false,
		needsSnapshot: false,
		hearsOnly: subscriber.hearsOnly,
		told: boundedMap(NOTICES_TOLD_MAX),
		tally: { delivered: { live: 0, replayed: 0, reconciled: 0 }, filtered: 0, gaps: 0 },
		passes: subscriber.passes,
		isElsewhere: (exact) => exact !== name && topics.has(exact),
	};
}

/** Takes up what an earlier run stored. Returns whether the log may have lost what it needs. */
function beginCatchingUp(feed: Feed, cursor: Cursor, { stored }: Subscriber): boolean {
	const { state, name, canRead, isBook, ports, topic } = feed;
	const { log } = state;
	const before = stored.get(name);
	if (isBook || !topic) return false;
	if (cursor.hearsOnly) {
		cursor.first = { read: 'done' };
		return false;
	}
	if (before === undefined || before === 'lost') {
		if (before === 'lost') tellLost(feed, cursor);
		// The gap of a lost position ends where it joined, so what happened since is new, whatever the first read shows.
		const first = before === 'lost' ? 'late' : 'awaited';
		if (canRead) cursor.first = isEstablished(feed) ? { read: 'done', number: log.numbers.highest } : { read: first };
		return false;
	}
	const { known, newSinceByService, newSinceByList } = restore(before.value, log, cursor.joined.at);
	cursor.joined.settled = known.settled;
	cursor.joined.position = undefined;
	if (newSinceByService !== undefined) cursor.first = { read: 'late', newSinceByService };
	else if (newSinceByList !== undefined) cursor.first = { read: 'done', newSinceByList };
	const isRetained =
		isEstablished(feed) && newSinceByService === undefined && log.reachesTo !== undefined && !log.isFollowed;
	// A consumer that left while the list was empty has missed all of it.
	if (isRetained && (known.settled ?? -Infinity) >= log.reachesTo!) {
		cursor.offset = cursor.acknowledged = log.base;
		cursor.catchingUp = { known, servedFrom: ports.clock.now() };
		return false;
	}
	catchUp(cursor, known, ports.clock.now());
	return true;
}

/** Reports that a consumer begins from now, because what was stored cannot be read. */
function tellLost(feed: Feed, cursor: Cursor): void {
	const { ports } = feed;
	warn(feed, [cursor], noticeTexts.checkpointLost);
	const gap = { before_created_at: instant(timeOfService(feed, ports.clock.now())) };
	tellGap(feed, new Set([cursor]), gap, 'checkpoint_lost');
}

/** Whether the log has everything up to now, as a read has shown. */
function isEstablished({ state, ports }: Feed): boolean {
	const { beganAt = -Infinity, lastAt = -Infinity } = state.readings;
	return state.isConfirmed && beganAt >= state.confirmedAt && ports.clock.now() - lastAt < REUSED_MS_MAX;
}

/** Consumers that join one after another share reads. */
function requestRead(feed: Feed, { first }: Cursor, isBehind: boolean): void {
	const { state, ports, canRead } = feed;
	if (!canRead || !state.isConfirmed) return;
	const now = ports.clock.now();
	if (!isFirstReadDue(first) && (!isBehind || ports.policy.readAfterMs.length === 0)) return;
	requestForNewcomers(state.schedule, now);
	if (isBehind) ensure(state.schedule, now + READ_LAG_MS_MAX, now + 2 * READ_LAG_MS_MAX);
	feed.arm();
}

/** A consumer that was too slow has room again. */
export function rejoin(feed: Feed, cursor: Cursor): void {
	const { state, ports, isBook, canRead } = feed;
	if (!feed.subscribers.has(cursor)) return;
	const now = ports.clock.now();
	if (isBook) {
		if (!cursor.isUnconfirmed) resubscribe(feed);
		cursor.isUnconfirmed = true;
		return;
	}
	cursor.isTooSlow = false;
	if (cursor.catchingUp) cursor.catchingUp.servedFrom = now;
	if (!canRead) return resubscribe(feed);
	request(state.schedule, now);
	ensure(state.schedule, now + READ_LAG_MS_MAX, now + 2 * READ_LAG_MS_MAX);
	feed.arm();
}

export function leave({ name, subscribers, state: { log } }: Feed, { cursors }: Subscriber): void {
	const cursor = cursors.get(name)!;
	subscribers.delete(cursor);
	log.cursors.delete(cursor);
	log.behind.delete(cursor);
}
