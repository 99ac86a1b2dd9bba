import type { Clock } from '../../ports';
import type { Bystanders } from './bystanders';
import type { Subscribers } from './subscribers';
import { bookEvent, bookMark } from '../topics/order-book';
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

/** Receives the messages of one topic and offers their events to its subscribers. */
export interface Inbox extends Pick<MessageTimes, 'serviceTime' | 'lag'> {
	/** A message and its time of arrival. */
	receive(frame: DataFrame, at: number): void;
	/** Whether a message can be dropped unread. Counts it if so. */
	drops(isRepeated: boolean, at: number): boolean;
	/** The first subscription on a connection is about to be confirmed, or the connection is lost. */
	confirmed(): void;
	lost(): void;
	/** Updates the counters and positions of the bystanders. */
	settleBystanders(): void;
	/** Buffers live messages while a topic whose events have an order is backfilled. */
	buffer(): void;
	flush(): void;
	/** Gives a new subscriber the position of the topic, so that it can resume even if no event ever arrives. */
	setInitialPosition(subscriber: Subscriber): void;
	/** The position the next subscription resumes from. */
	resumeFrom(): Position | undefined;
	/** Offers the snapshot of a book that a confirmation carries, unless it is outdated. Returns whether it did. */
	takeBook(snapshot: unknown): boolean;
	/** A snapshot was read over REST. It includes every change up to `sequence`, if it carries one. */
	startBook(sequence: number | undefined): void;
	/** Changes of the book may be missing until the next snapshot. */
	markStale(): void;
	isStale(): boolean;
	/** Restarts the book and drops buffered changes, which belong to the book before. */
	resetBook(isOtherRun: boolean): void;
	/** Whether a snapshot is too old for the changes there were, or no newer than a sound book. */
	isOutdated(sequence: number | undefined): boolean;
	stop(): void;
}

export interface InboxPorts {
	name: string;
	topic: Topic;
	clock: Clock;
	tracker: SequenceTracker;
	/** The clock of the service, by its replies: they show it before any message does. */
	serviceTime(): number | undefined;
	subscribers: Subscribers;
	bystanders: Bystanders;
	/** Events arrived. */
	heard(events: readonly TopicEvent[]): void;
	/** The same of records alone. */
	observed(events: readonly TopicEvent[]): void;
	moved(events: readonly TopicEvent[]): void;
	/** How a message follows the one before it. Called before the message is delivered. */
	stepped(step: Step): void;
	/** The first message that carries a position, where no confirmation carried one. */
	placed(position: Position): void;
	/** Whether a newer snapshot can be read where a confirmation carries an old one. */
	canReadBook(): boolean;
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

export function createInbox({ name, topic, clock, tracker, subscribers, bystanders, ...ports }: InboxPorts): Inbox {
	const isBook = topic.order === 'snapshot';
	/** Orders and fills, which are also observed by listeners and sums, not only by subscribers. */
	const isRecord = topic.order === 'none';
	const buffer = createBackfillBuffer(clock, (...held) => deliver(...held, clock.now()), callStale);
	const book = createOrderBookSequence(clock);
	const copies = createCopyCounter();
	const times = createMessageTimes(() => (ports.serviceTime() ?? clock.now()) - clock.now());
	let snapshots = 0;
	/** Subscribers that joined before the present subscription was confirmed, without a position of their own. */
	let joined: ReadonlySet<Subscriber> = new Set();
	const isNew = (one: Subscriber, behind: ReadonlySet<Subscriber>): boolean => behind.has(one) && !one.wasStored(name);

	function deliver({ position, ts, data, length }: DataFrame, isReplay: boolean, at: number): void {
		const events = copies(eventsOf(topic, name, data, ts, isBook ? bookMark(position, ts, data) : ''), position);
		if (isBook && !book.pass(events[0]?.sequence)) return;
		ports.heard(events);
		if (isRecord) ports.observed(events);
		else tracker.note(events, at);
		if (events[0]?.order) ports.moved(events);
		const delivery = isReplay ? 'replayed' : 'live';
		const arrival = { topic: name, delivery, ts, position, stale: isBook && !book.isSound(), length, at } as const;
		const behind = subscribers.lagging();
		for (const subscriber of subscribers.interested()) {
			// A replay begins where another one was; what this one missed since it joined, its reading shows.
			if (isReplay && (joined.has(subscriber) || isNew(subscriber, behind))) continue;
			subscriber.offer(events, arrival);
			// A lagging subscriber still has to get a replay of what it missed, so its position stays.
			if (position && !behind.has(subscriber)) subscriber.advance(name, position);
		}
		bystanders.skipped(at, events);
	}

	/** Buffered changes are delivered without a snapshot, because none was read in time. */
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
			// Replayed messages were sent long ago, so their times say nothing about the lag.
			if (!isReplay) times.note(frame.ts, at);
			if (!buffer.keep(frame, isReplay)) deliver(frame, isReplay, at);
		},
		drops: (isRepeated, at) => subscribers.drops(isRepeated) && (bystanders.skipped(at), true),
		confirmed: () => {
			const behind = subscribers.lagging();
			joined = new Set([...behind].filter((one) => isNew(one, behind)));
		},
		lost: () => void (joined = new Set()),
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
			const cursor = subscriber.cursor(name);
			if (!position || cursor.offered()) return;
			// Buffered messages are not delivered yet, so this is not stored as taken, but it tells which run of the service it is.
			if (buffer.isHolding()) cursor.reach(position);
			else subscriber.advance(name, position);
		},
		resumeFrom: () => {
			// A book starts from a snapshot, so it is never resumed.
			if (isBook) return undefined;
			bystanders.settle();
			const present = subscribers.all().filter(({ lagging }) => !lagging.has(name));
			return oldestPosition(
				tracker.position(),
				present.map(({ cursor }) => cursor(name).offered()),
			);
		},
		takeBook: (snapshot) => {
			// After a pause, several confirmations may arrive in the same millisecond.
			const whole = bookEvent(name, snapshot, `snapshot:${clock.now()}:${(snapshots += 1)}`);
			if (ports.canReadBook() && book.isOutdated(whole.sequence)) return false;
			for (const subscriber of subscribers.all())
				subscriber.offer([whole], { topic: name, delivery: 'reconciled', ts: null });
			book.begin(whole.sequence);
			return true;
		},
		startBook: book.begin,
		markStale: book.markStale,
		isStale: () => !book.isSound(),
		resetBook: (isOtherRun) => {
			buffer.stop();
			book.restart(isOtherRun);
		},
		isOutdated: book.isOutdated,
		stop: buffer.stop,
	};
}

/** Repeated changes look like restarted sequence numbers, but within the same epoch they are only a gap. */
const stepOfBook = (step: Step, { position }: DataFrame, before: Position | undefined): Step =>
	step === 'epoch' && before && position && sameEpoch(before.epoch, position.epoch) ? 'gap' : step;
