import type { Clock } from '../../ports';
import type { Bystanders } from './bystanders';
import type { Subscribers } from './subscribers';
import { bookEvent } from '../topics/order-book';
import { createOrderBookSequence } from './book-sequence';
import { createCopyCounter } from '../topics/copies';
import type { StreamNotice } from '../contract';
import type { DataFrame } from '../connection/frames';
import { eventsOf } from '../topics';
import { sequenceOf, type TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createBackfillBuffer } from './backfill-buffer';
import type { Subscriber } from '../delivery/subscriber';
import { createMessageTimes, type MessageTimes } from './message-times';
import { oldestPosition, sameEpoch, type Position, type Step } from '../position';
import type { SequenceTracker } from './sequence';
import { noticeTexts } from '../notice-text';

/** Takes the messages of one topic in and offers what they hold to everybody. */
export interface Inbox extends Pick<MessageTimes, 'serviceTime' | 'lag'> {
	/** A message, and when it came. */
	receive(frame: DataFrame, at: number): void;
	/** Whether a message need not be read, which counts it. */
	drops(isRepeated: boolean, at: number): boolean;
	/** Those whose filters let nothing pass are counted and moved to where the topic stands. */
	settleBystanders(): void;
	/** Topics with one order hold live messages back while what was before is read. */
	buffer(): void;
	flush(): void;
	/** One who comes for the first time begins where the topic stands, even if nothing ever happens on it. */
	setInitialPosition(subscriber: Subscriber): void;
	/** Where to resume from, for the next subscription. */
	resumeFrom(): Position | undefined;
	/** A book as a confirmation tells it. */
	takeBook(snapshot: unknown): void;
	/** The book was read: changes up to this sequence, where it tells one, are in it. */
	startBook(sequence: number | undefined): void;
	/** Changes of the book may be missing until it begins anew. */
	markStale(): void;
	isStale(): boolean;
	/** Nothing is known of the book any more, so changes from before are of no use. */
	resetBook(): void;
	/** Whether a book that was read is too old for the changes there were, or no newer than a sound one. */
	isOutdated(sequence: number | undefined): boolean;
	stop(): void;
}

export interface InboxPorts {
	name: string;
	topic: Topic;
	clock: Clock;
	tracker: SequenceTracker;
	subscribers: Subscribers;
	bystanders: Bystanders;
	observed(events: readonly TopicEvent[]): void;
	moved(events: readonly TopicEvent[]): void;
	/** How a message follows the one before it, before anybody gets it. */
	stepped(step: Step): void;
	/** The first message that says where it stands, where no confirmation did. */
	placed(position: Position): void;
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

export function createInbox({ name, topic, clock, tracker, subscribers, bystanders, ...ports }: InboxPorts): Inbox {
	const isBook = topic.order === 'snapshot';
	/** Orders and fills, which others than the subscribers hear of, too. */
	const isRecord = topic.order === 'none';
	const buffer = createBackfillBuffer(clock, (...held) => deliver(...held, clock.now()), callStale);
	const book = createOrderBookSequence();
	const copies = createCopyCounter();
	const times = createMessageTimes();

	function deliver({ position, ts, data, length }: DataFrame, isReplay: boolean, at: number): void {
		const events = copies(eventsOf(topic, name, data, ts, isBook ? markOf(position, ts, data) : ''), position);
		if (isBook && !book.pass(events[0]?.sequence)) return;
		if (isRecord) ports.observed(events);
		else tracker.note(events, at);
		if (events[0]?.order) ports.moved(events);
		const delivery = isReplay ? 'replayed' : 'live';
		const arrival = { topic: name, delivery, ts, position, stale: isBook && !book.isSound(), length, at } as const;
		const behind = subscribers.lagging();
		for (const subscriber of subscribers.interested()) {
			subscriber.offer(events, arrival);
			// What one who is late misses is yet to be replayed, so it does not stand here yet.
			if (position && !behind.has(subscriber)) subscriber.advance(name, position);
		}
		bystanders.skipped(at, events);
	}

	/** What was held passes although nothing was read in time. */
	function callStale(): void {
		if (!isBook) return;
		for (const subscriber of subscribers.all())
			ports.notice(subscriber, { kind: 'degraded', topic: name, text: noticeTexts.staleBook });
	}

	return {
		receive: (frame, at) => {
			subscribers.arrived();
			const before = tracker.position();
			let step = tracker.advance(frame.position);
			if (isBook) step = book.hear(sequenceOf(frame.data), stepOfBook(step, frame, before));
			if (step !== 'next') ports.stepped(step);
			if (!before && frame.position) ports.placed(frame.position);
			const isReplay = tracker.isReplay(frame.position);
			// What is replayed was sent long ago.
			if (!isReplay) times.note(frame.ts, at);
			if (!buffer.keep(frame, isReplay)) deliver(frame, isReplay, at);
		},
		drops: (isRepeated, at) => subscribers.drops(isRepeated) && (bystanders.skipped(at), true),
		settleBystanders: bystanders.settle,
		serviceTime: times.serviceTime,
		lag: times.lag,
		buffer: buffer.begin,
		flush: () => {
			buffer.release();
			tracker.caughtUp();
		},
		setInitialPosition: (subscriber) => {
			const position = tracker.position();
			if (position && !subscriber.cursor(name).offered()) subscriber.advance(name, position);
		},
		resumeFrom: () => {
			// A book starts from a snapshot.
			if (isBook) return undefined;
			bystanders.settle();
			const present = subscribers.all().filter(({ lagging }) => !lagging.has(name));
			return oldestPosition(
				tracker.position(),
				present.map(({ cursor }) => cursor(name).offered()),
			);
		},
		takeBook: (snapshot) => {
			const whole = bookEvent(name, snapshot, `snapshot:${clock.now()}`);
			for (const subscriber of subscribers.all())
				subscriber.offer([whole], { topic: name, delivery: 'reconciled', ts: null });
			book.begin(whole.sequence);
		},
		startBook: book.begin,
		markStale: book.markStale,
		isStale: () => !book.isSound(),
		resetBook: () => {
			buffer.stop();
			book.forget();
		},
		isOutdated: book.isOutdated,
		stop: buffer.stop,
	};
}

/**
 * What tells one change of a book from another. The place on the stream may come again where a service counts anew, the
 * book's own sequence with it not.
 */
const markOf = (position: Position | undefined, ts: string | null, data: unknown): string =>
	[position ? `${position.epoch}:${position.seq}` : String(ts), sequenceOf(data) ?? []].flat().join(':');

/** Changes that are told again look like numbers that begin anew, but their epoch is the same. */
const stepOfBook = (step: Step, { position }: DataFrame, before: Position | undefined): Step =>
	step === 'epoch' && before && position && sameEpoch(before.epoch, position.epoch) ? 'gap' : step;
