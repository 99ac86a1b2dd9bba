import type { Clock } from '../../ports';
import type { Audience } from './subscribers';
import { createBookTrack } from '../topics/order-book';
import type { StreamNotice } from '../contract';
import type { DataFrame } from '../connection/frames';
import { bookHappening, happeningsIn, kindOfTopic, sequenceOf, type Happening } from '../topics/event';
import { createHold } from './backfill-buffer';
import type { Receiver } from '../delivery/subscriber';
import { oldestPosition, sameEpoch, type Position } from '../connection/position';
import type { Step, Track } from './sequence';

/** Takes the messages of one topic in and offers what they hold to everybody. */
export interface Intake {
	take(frame: DataFrame): void;
	/** Public trades and books have one order, so what is new waits until what was before is read. */
	hold(): void;
	release(): void;
	/** One who comes for the first time begins where the topic stands, even if nothing ever happens on it. */
	place(receiver: Receiver): void;
	/** Where to resume from, for the next subscription. */
	resumeFrom(): Position | undefined;
	/** A book as a confirmation tells it. */
	takeBook(snapshot: unknown): void;
	/** The book was read: changes up to this sequence, where it tells one, are in it. */
	startBook(sequence: number | undefined): void;
	/** Changes of the book may be missing until it begins anew. */
	doubtBook(): void;
	isDoubted(): boolean;
	/** Nothing is known of the book any more, so changes from before are of no use. */
	forgetBook(): void;
	/** Whether a book that was read is too old for the changes there were, or no newer than a sound one. */
	lacks(sequence: number | undefined): boolean;
	stop(): void;
}

export interface IntakePorts {
	topic: string;
	clock: Clock;
	track: Track;
	audience: Audience;
	seen(happenings: readonly Happening[]): void;
	/** How a message follows the one before it, before anybody gets it. */
	stepped(step: Step): void;
	notice(receiver: Receiver, notice: Omit<StreamNotice, 'state'>): void;
}

export function createIntake({ topic, clock, track, audience, seen, stepped, notice }: IntakePorts): Intake {
	const isBook = kindOfTopic(topic) === 'book';
	const hold = createHold(clock, deliver, callStale);
	const book = createBookTrack();

	function deliver({ epoch, seq, ts, topic: exact, data }: DataFrame): void {
		const position = epoch === null || seq === null ? undefined : { epoch, seq };
		const isOfBook = kindOfTopic(exact) === 'book';
		const happenings = happeningsIn(exact, data, ts, isOfBook ? markOf(position, ts, data) : '');
		if (isBook && !book.pass(happenings[0]?.sequence)) return;
		track.note(happenings);
		seen(happenings);
		const delivery = track.isReplay(position) ? 'replayed' : 'live';
		const stale = isOfBook && !book.isSound();
		const behind = audience.late();
		for (const receiver of audience.receivers()) {
			receiver.offer(happenings, { topic: exact, delivery, ts, position, stale });
			// What one who is late misses is yet to be replayed, so it does not stand here yet.
			if (position && !behind.has(receiver)) receiver.move(exact, position);
		}
	}

	/** What was held passes although nothing was read in time. */
	function callStale(): void {
		if (!isBook) return;
		for (const receiver of audience.receivers())
			notice(receiver, { kind: 'degraded', topic, text: 'The order book may be stale' });
	}

	return {
		take: (frame) => {
			audience.count('received');
			const before = track.position();
			const step = track.advance(frame);
			stepped(isBook ? book.hear(sequenceOf(frame.data), stepOfBook(step, frame, before)) : step);
			if (!hold.keep(frame)) deliver(frame);
		},
		hold: hold.begin,
		release: () => {
			hold.release();
			track.caughtUp();
		},
		place: (receiver) => {
			const position = track.position();
			if (position && !receiver.ledger(topic).offered()) receiver.move(topic, position);
		},
		resumeFrom: () => {
			// A book starts from a snapshot, and the positions of a wildcard are those of its exact topics.
			if (isBook || topic.endsWith('*')) return undefined;
			const present = audience.receivers().filter(({ behind }) => !behind.has(topic));
			return oldestPosition(
				track.position(),
				present.map(({ ledger }) => ledger(topic).offered()),
			);
		},
		takeBook: (snapshot) => {
			const whole = bookHappening(topic, snapshot, `snapshot:${clock.now()}`);
			for (const receiver of audience.receivers()) receiver.offer([whole], { topic, delivery: 'reconciled', ts: null });
			book.begin(whole.sequence);
		},
		startBook: book.begin,
		doubtBook: book.doubt,
		isDoubted: () => !book.isSound(),
		forgetBook: () => {
			hold.stop();
			book.forget();
		},
		lacks: book.lacks,
		stop: hold.stop,
	};
}

/**
 * What tells one change of a book from another. The place on the stream may come again where a service counts anew, the
 * book's own sequence with it not.
 */
const markOf = (position: Position | undefined, ts: string | null, data: unknown): string =>
	[position ? `${position.epoch}:${position.seq}` : String(ts), sequenceOf(data) ?? []].flat().join(':');

/** Changes that are told again look like numbers that begin anew, but their epoch is the same. */
const stepOfBook = (step: Step, { epoch }: DataFrame, before: Position | undefined): Step =>
	step === 'epoch' && before && epoch !== null && sameEpoch(before.epoch, epoch) ? 'gap' : step;
