import type { Position, Step } from '../../../packages/core/src/stream/position';
import * as sequence from '../../../packages/core/src/stream/sequence';

/** The state of one topic's numbers, at a time that the test moves. */
function trackerAt(now = 1_000_000) {
	let time = now;
	const state = sequence.noSequence();
	const tracker = {
		advance: (next: Position | undefined) => sequence.advance(state, next, time),
		position: () => state.position,
		begin: (head: Position | undefined, resumedFrom: Position | undefined) =>
			sequence.begin(state, { head, resumedFrom }, time),
		isReplay: (at: Position | undefined) => sequence.isReplay(state, at, time),
		caughtUp: () => sequence.endReplay(state),
		read: (isFound: boolean) => sequence.explainJump(state, isFound, time),
		isSparse: () => sequence.isSparse(state),
	};
	const at = (seq: number, epoch: string | number = 'e1') => ({ epoch, seq });
	const advance = (...seqs: number[]): Step[] => seqs.map((seq) => tracker.advance(at(seq)));
	/** Numbers that jump, and a backfill that finds nothing once lists have caught up. */
	const jump = (seq: number): boolean => {
		advance(seq);
		time += 12_000;
		tracker.read(false);
		return tracker.isSparse();
	};
	return { tracker, at, advance, jump, pass: (ms: number) => void (time += ms) };
}

describe('the sequence of a topic', () => {
	it('a message is next, a gap, old or of another epoch by the position before it', () => {
		const { tracker, advance, at } = trackerAt();
		expect(tracker.advance(undefined)).toBe('unusable');
		expect(advance(5, 6, 8, 8, 7, 9)).toEqual(['next', 'next', 'gap', 'old', 'old', 'next']);
		expect(tracker.advance(at(1, 'e2'))).toBe('epoch');
		expect(tracker.position()).toEqual(at(1, 'e2'));
	});

	it('treats lower numbers of a replay as no restart', () => {
		const { tracker, advance, at } = trackerAt();
		advance(9);
		tracker.begin(at(9), at(1));
		expect(advance(2, 3, 4, 5, 9)).toEqual(['old', 'old', 'old', 'old', 'old']);
		expect(tracker.position()).toEqual(at(9));
	});

	it('begins at the resumed position, or else at the head, and does not move for a later one', () => {
		const resumed = trackerAt();
		resumed.tracker.begin(resumed.at(9), resumed.at(4));
		expect(resumed.tracker.position()).toEqual(resumed.at(4));
		resumed.tracker.begin(resumed.at(12), undefined);
		expect(resumed.tracker.position()).toEqual(resumed.at(4));
		const plain = trackerAt();
		plain.tracker.begin(plain.at(9), undefined);
		expect(plain.tracker.position()).toEqual(plain.at(9));
		const unknown = trackerAt();
		unknown.tracker.begin(undefined, undefined);
		expect(unknown.tracker.position()).toBeUndefined();
	});

	it('marks messages up to the head of the service as replayed', () => {
		const { tracker, at, pass } = trackerAt();
		expect(tracker.isReplay(at(1))).toBe(false);
		tracker.begin(at(9), at(4));
		pass(60_000);
		tracker.caughtUp();
		expect([at(5), at(9), at(10), at(5, 'e2')].map(tracker.isReplay)).toEqual([true, true, false, false]);
		tracker.begin(at(9), undefined);
		expect(tracker.isReplay(at(5))).toBe(false);
	});

	it('marks messages of the first two seconds as replayed if the service names no head', () => {
		const { tracker, at, pass } = trackerAt();
		tracker.begin(undefined, at(4));
		expect([tracker.isReplay(at(5)), tracker.isReplay(undefined)]).toEqual([true, true]);
		pass(1_999);
		expect(tracker.isReplay(at(5))).toBe(true);
		pass(1);
		expect(tracker.isReplay(at(5))).toBe(false);
		tracker.begin(undefined, at(4));
		tracker.caughtUp();
		expect(tracker.isReplay(at(5))).toBe(false);
		tracker.begin(at(9), at(4));
		expect(tracker.isReplay(undefined)).toBe(true);
		pass(2_000);
		expect(tracker.isReplay(undefined)).toBe(false);
	});
});

describe('jumps of the sequence', () => {
	it('treats jumps as normal after three backfills that found nothing behind them', () => {
		const { tracker, advance, jump } = trackerAt();
		expect([advance(1), jump(3), jump(5), jump(7)]).toEqual([['next'], false, false, true]);
		advance(9);
		tracker.read(true);
		expect(tracker.isSparse()).toBe(false);
	});

	it('counts a read as proof of no loss only after lists have caught up, and only once', () => {
		const { tracker, advance, jump, pass } = trackerAt();
		advance(1, 3);
		pass(11_999);
		tracker.read(false);
		advance(5);
		pass(1);
		for (let reading = 0; reading < 3; reading += 1) tracker.read(false);
		expect(tracker.isSparse()).toBe(false);
		expect([jump(7), jump(9)]).toEqual([false, true]);
	});

	it('explains a jump at once by a backfill that found events', () => {
		const { tracker, advance, jump } = trackerAt();
		for (const seq of [1, 3, 5]) jump(seq);
		advance(7);
		tracker.read(true);
		for (const seq of [9, 11]) jump(seq);
		expect(tracker.isSparse()).toBe(false);
	});
});
