import { later, plus, sooner, type Whole } from '../../whole';
import type { DataMessage } from '../connection/messages';
import { READ_EVERY_MS, READ_LAG_MS_MAX } from '../limits';
import { knowsItsStart, isFirstReadLate, isNewTo } from '../log/cursor';
import { countAnew, knows } from '../log/known';
import { append, endOf, type Arrival, type Concerns } from '../log/log';
import { noNumbers } from '../log/numbers';
import { noticeTexts } from '../notice-text';
import { isUpTo, sameEpoch, type Position, type Step } from '../position';
import { eventsOf, topicOf } from '../topics';
import { numberCopies } from '../topics/copies';
import { sequenceOf, type TopicEvent } from '../topics/event';
import { bookEvent } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import { follow, isOutdated, passChange } from './book-sequence';
import { dateFirsts, tellAll, tellGap, handOut, warn, type Feed } from './feed';
import { ensure, request } from './schedule';
import { advance, endReplay, isReplay, isSparse } from './sequence';
import { addToBacklog, newBacklog, observeTime, type Heard, type TopicState } from './topic-state';

/** A message arrived: its events enter the log, and where others may be missing the list is read soon. */
export function heard(feed: Feed, topic: Topic, message: DataMessage, at: number): void {
	const { state, isBook } = feed;
	const { sequence } = state;
	// Changes before a confirmation belong to no book.
	if (isBook && !state.isConfirmed) return;
	state.log.received += 1;
	const follows = followsBy(feed, message, at);
	const isReplayed = isReplay(sequence, message.position, at);
	// Replayed messages were sent long ago, so their times say nothing about the lag.
	if (!isReplayed) observeTime(state.times, message.ts, at);
	if (follows !== 'next') onSign(feed, follows, at);
	const arrived = { message, isReplayed, at };
	if (!state.backlog) return deliver(feed, topic, arrived);
	if (addToBacklog(state.backlog, arrived)) giveUpWaiting(feed);
}

/** A message of a wildcard such as `trades.*`: each event is delivered under its exact topic. */
export function heardByWildcard(feed: Feed, message: DataMessage, at: number): void {
	const { state } = feed;
	state.log.received += 1;
	observeTime(state.times, message.ts, at);
	const topic = topicOf(message.topic);
	if (!topic) {
		for (const { seen } of feed.subscribers.values()) seen.ignored += 1;
		return;
	}
	// Numbers do not identify the events, because nothing tells here whether the service has restarted them.
	const events = eventsIn(topic, message, state).map((event) => ({ ...event, sequence: undefined }));
	const arrival = arrivalOf(message, events.length, at);
	arrival.stale = topic.keeps === 'book';
	for (const event of events) append(state.log, event, arrival);
	handOut(feed);
}

/** How a message follows the one before it; a change of a book, how it follows the change before. */
function followsBy({ isBook, state: { sequence, book } }: Feed, message: DataMessage, now: number): Step {
	const follows = advance(sequence, message.position, now);
	return isBook ? follow(book, sequenceOf(message.data), follows) : follows;
}

/** Something about a message says that others may be missing. */
function onSign(feed: Feed, follows: Step, now: number): void {
	const { state } = feed;
	if (feed.ports.policy.impliesGap(follows)) doubt(feed, follows, now);
	// The messages that wait belong to the book before, and say nothing about the snapshot that this one needs.
	if (feed.isBook && follows === 'epoch' && state.backlog) Object.assign(state.backlog, { waiting: [], length: 0 });
}

function deliver(feed: Feed, topic: Topic, { message, isReplayed, at }: Heard): void {
	const { state, isBook, ports } = feed;
	const { log } = state;
	const { position } = message;
	const events = eventsIn(topic, message, state);
	if (isBook && !passChange(state.book, events[0]?.sequence)) return;
	if (topic.keeps === 'events') ports.observed(events);
	if (events[0]?.order) ports.moved(events);
	const arrival = arrivalOf(message, events.length, at);
	arrival.stale = isBook && !state.book.isSound;
	if (isReplayed) {
		arrival.delivery = 'replayed';
		dateFirsts(feed);
	}
	const firstAgain = countedAgainFrom(feed, events, position);
	if (firstAgain !== undefined) countAgain(feed, firstAgain, at);
	for (const event of events) append(log, event, arrival, isReplayed ? isReplayFor : undefined);
	for (const { sequence } of events)
		if (sequence !== undefined) log.numbers.highest = later(log.numbers.highest, sequence)!;
	if (position) {
		// A replay repeats earlier positions, which must not move it back.
		if (!isUpTo(position, log.known.position)) log.known.position = position;
		log.changes += 1;
	}
	handOut(feed);
}

const arrivalOf = ({ topic, ts, position, length }: DataMessage, events: number, now: number): Arrival => ({
	topic,
	delivery: 'live',
	ts,
	position,
	length: length / events,
	isRead: false,
	now,
});

/**
 * The number with which a service that was reset begins to count its trades again: the first message of another epoch brings
 * an unknown one under a number that was settled. Nothing else tells, so whoever comes back when the count has passed what
 * was settled is read what follows that.
 */
function countedAgainFrom(
	{
		isNumbered,
		state: {
			log: { known },
		},
	}: Feed,
	events: readonly TopicEvent[],
	position: Position | undefined,
): Whole | undefined {
	if (!isNumbered || !position || !known.position || sameEpoch(position.epoch, known.position.epoch)) return undefined;
	const isSettled = ({ sequence }: TopicEvent) => sequence !== undefined && sequence <= (known.settled ?? 0);
	return events.find((event) => isSettled(event) && !knows(known, event))?.sequence;
}

/** What the service has numbered before this message is a gap, because older trades may have the same numbers. */
function countAgain(feed: Feed, number: Whole, now: number): void {
	const { log, schedule } = feed.state;
	const before = plus(number, -1);
	countAnew(log.known, before);
	Object.assign(log.numbers, noNumbers());
	log.reachesTo = log.droppedTo = undefined;
	for (const { first, catchingUp } of log.cursors) {
		if (first) first.number = sooner(first.number ?? before, before);
		if (!catchingUp) continue;
		countAnew(catchingUp.known, before);
		if (catchingUp.reads) catchingUp.reads.to = undefined;
	}
	warn(feed, log.cursors, noticeTexts.renumbered);
	if (before > 0) tellGap(feed, log.cursors, { after_sequence: 0, before_sequence: number }, 'out_of_reach');
	request(schedule, now);
	feed.arm();
}

/** A replay begins where another consumer was. */
const isReplayFor: Concerns = (cursor, event, before, arrival): boolean => {
	// To a first start whose reads failed the same is new as of rows.
	if (isFirstReadLate(cursor.first)) return isNewTo(cursor, event, before);
	return (!cursor.isUnconfirmed || knowsItsStart(cursor)) && !isUpTo(arrival.position, cursor.joined.position);
};

const eventsIn = (topic: Topic, message: DataMessage, { copies }: TopicState): readonly TopicEvent[] =>
	numberCopies(eventsOf(topic, message), copies, message.position);

/** A book begins with a snapshot; returns whether it is new enough. The same one may come again, so its key names its place. */
export function beginWith(feed: Feed, data: unknown): boolean {
	const { name, state, ports } = feed;
	const snapshot = bookEvent(name, data, `snapshot:${ports.clock.now()}:${endOf(state.log)}`);
	if (isOutdated(state.book, snapshot.sequence)) return false;
	tellAll(feed, snapshot);
	Object.assign(state.book, { needed: snapshot.sequence, isSound: true });
	return true;
}

/** Events may be missing: requests reads, soon and again later. The first after a subscription is urgent. */
export function doubt(feed: Feed, reason: Step | 'subscribed' | undefined, now: number): void {
	const { schedule, sequence, book } = feed.state;
	const isUrgent = reason === 'subscribed';
	const isHole = reason === 'gap' || reason === 'unusable';
	if (feed.isBook) {
		// Changes may be missing, so the book starts over.
		book.isSound = false;
		hold(feed, now);
		request(schedule, now, isUrgent);
	} else if (feed.canRead && isHole && isSparse(sequence)) ensure(schedule, now + READ_LAG_MS_MAX, now + READ_EVERY_MS);
	else if (feed.canRead)
		for (const delayMs of feed.ports.policy.readAfterMs) request(schedule, now + delayMs, isUrgent && delayMs === 0);
	feed.arm();
}

/** Live messages wait for the read where events have an order. A second read does not extend the limit. */
export function hold({ canRead, isBook, isNumbered, state }: Feed, now: number): void {
	if (canRead && (isBook || isNumbered)) state.backlog ??= newBacklog(now);
}

/** A read is done: what waited for it enters the log. */
export function readEnded(feed: Feed): void {
	endReplay(feed.state.sequence);
	release(feed);
}

/** The read takes too long, or too much waits for it. Changes of a book are then delivered without a snapshot. */
export function giveUpWaiting(feed: Feed): void {
	if (feed.isBook) warn(feed, feed.subscribers.keys(), noticeTexts.staleBook);
	release(feed);
}

function release(feed: Feed): void {
	const { topic, state, ports } = feed;
	const { waiting = [] } = state.backlog ?? {};
	state.backlog = undefined;
	for (const arrived of waiting) if (topic) deliver(feed, topic, { ...arrived, at: ports.clock.now() });
}
