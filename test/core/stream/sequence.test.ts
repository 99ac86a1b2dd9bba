import type { Position, Step } from '../../../packages/core/src/stream/position';
import * as sequence from '../../../packages/core/src/stream/sync/sequence';

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
		reached: (number: number) => sequence.reach(state, number, time),
		note: (events: Parameters<typeof sequence.reachAll>[1], at: number) => sequence.reachAll(state, events, at),
		restart: () => sequence.restartNumbers(state),
		highest: () => state.highest,
		settledSequence: () => sequence.settledSequence(state, time),
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

	it('treats three lower numbers in a row as a restart of the numbers', () => {
		const { tracker, advance, at } = trackerAt();
		expect(advance(9, 1, 2, 10, 1, 2, 3)).toEqual(['next', 'old', 'old', 'next', 'old', 'old', 'epoch']);
		expect(tracker.position()).toEqual(at(3));
		expect(advance(4, 1, 2, 3)).toEqual(['next', 'old', 'old', 'epoch']);
	});

	it('counts the highest number of half a minute ago as complete, however late lower ones come', () => {
		const { tracker, pass } = trackerAt();
		const note = (sequence: number) => tracker.note([{ key: 'k', data: {}, sequence }], 1_000_000 + passed);
		let passed = 0;
		const wait = (ms: number) => (pass(ms), (passed += ms));
		note(10);
		wait(2_000);
		note(5);
		wait(27_999);
		expect(tracker.settledSequence()).toBeUndefined();
		wait(1);
		expect(tracker.settledSequence()).toBe(10);
		wait(2_000);
		expect([tracker.settledSequence(), tracker.highest()]).toEqual([10, 10]);
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

	it('explains a jump by no backfill before lists have caught up, and by none twice', () => {
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

describe('the numbers of public trades', () => {
	it('counts a number of trades as complete once it is half a minute old', () => {
		const { tracker, pass } = trackerAt();
		expect([tracker.highest(), tracker.settledSequence()]).toEqual([0, undefined]);
		tracker.reached(5);
		pass(29_999);
		expect(tracker.settledSequence()).toBeUndefined();
		pass(1);
		expect(tracker.settledSequence()).toBe(5);
		tracker.reached(4);
		expect(tracker.highest()).toBe(5);
	});

	it('records the highest number of trades once a second, and only where it rose', () => {
		const { tracker, pass } = trackerAt();
		for (const [sequence, ms] of [
			[1, 999],
			[2, 1],
			[3, 1_000],
			[3, 1_000],
			[2, 1_000],
		] as const) {
			tracker.reached(sequence);
			pass(ms);
		}
		expect(tracker.highest()).toBe(3);
		pass(30_000 - 4_000);
		expect(tracker.settledSequence()).toBe(1);
		pass(1_000);
		expect(tracker.settledSequence()).toBe(3);
		tracker.reached(4);
		pass(30_000);
		expect(tracker.settledSequence()).toBe(4);
	});

	it('reads the highest number from events at their arrival, some of which have none', () => {
		const { tracker, pass } = trackerAt();
		const event = (sequence?: number) => ({ key: 'k', data: {}, sequence });
		tracker.note([event(3), event(), event(7)], 1_000_000);
		expect(tracker.highest()).toBe(7);
		pass(30_000);
		expect(tracker.settledSequence()).toBe(3);
	});

	it('remembers the highest numbers of a hundred seconds, and forgets them at a restart', () => {
		const { tracker, pass } = trackerAt();
		for (let second = 1; second <= 140; second += 1) {
			tracker.reached(second);
			pass(1_000);
		}
		expect(tracker.settledSequence()).toBe(111);
		tracker.restart();
		expect([tracker.highest(), tracker.settledSequence()]).toEqual([0, undefined]);
	});
});
