import type { Step } from '../../../packages/core/src/stream/position';
import * as books from '../../../packages/core/src/stream/book-sequence';

/** The state of a book that received nothing yet. */
function newBook() {
	const state = books.noBook();
	return {
		begin: (sequence: number | undefined) => books.beginBook(state, sequence),
		restart: (isOtherRun: boolean) => books.restartBook(state, isOtherRun),
		hear: (sequence: number | undefined, step: Step) => books.follow(state, sequence, step),
		pass: (sequence: number | undefined) => books.passChange(state, sequence),
		isOutdated: (sequence: number | undefined, now = 0) => books.isOutdated(state, sequence, now),
		isSound: () => state.isSound,
		markStale: () => void (state.isSound = false),
	};
}

/** A book that began with a snapshot and received these changes. */
function bookAt(begins: number | undefined, ...heard: number[]) {
	const book = newBook();
	book.begin(begins);
	for (const sequence of heard) book.hear(sequence, 'next');
	return book;
}

describe('the sequence of an order book', () => {
	it.each<[string, number | undefined, number[], [number | undefined, Step], Step]>([
		['consecutive numbers prove that nothing is missing', 5, [6], [7, 'gap'], 'next'],
		['others prove nothing where the messages follow each other', 5, [6], [9, 'next'], 'next'],
		['others are a gap where the message is an old one', 5, [6], [9, 'old'], 'gap'],
		['a first change has to follow the snapshot', 5, [], [8, 'next'], 'gap'],
		['a first change that follows it is the next', 5, [], [6, 'old'], 'next'],
		['a first change that is in it already proves nothing', 5, [], [4, 'next'], 'next'],
		['an old change stays old', 5, [6, 7], [6, 'old'], 'old'],
		['a gap of the messages stays one where numbers jump', 5, [6], [9, 'gap'], 'gap'],
		['another epoch stays one', 5, [6], [7, 'epoch'], 'epoch'],
		['a change without a number follows as its message does', 5, [6], [undefined, 'gap'], 'gap'],
		['a book without a number proves nothing', undefined, [], [9, 'next'], 'next'],
	])('says how a change of a book follows: %s', (_, begins, heard, [sequence, step], follows) => {
		expect(bookAt(begins, ...heard).hear(sequence, step)).toBe(follows);
	});

	describe('whose numbers and those of its messages jump', () => {
		const stepping = (by: number, times: number) =>
			bookAt(100, ...Array.from({ length: times }, (_, index) => 100 + by * (index + 1)));
		const follows = (book: ReturnType<typeof bookAt>, ...heard: number[]) =>
			heard.map((index) => book.hear(index, 'gap'));

		it('learns the smallest step of a book once NEIGHBOURS_MIN changes had it', () => {
			expect(follows(stepping(4, 8), 136, 140, 144)).toEqual(['gap', 'next', 'next']);
			expect(follows(stepping(4, 10), 144, 152, 156)).toEqual(['next', 'gap', 'next']);
		});

		it('treats a larger step of a book as a gap once a smaller one was seen', () => {
			expect(follows(stepping(4, 10), 144, 146, 150, 152)).toEqual(['next', 'gap', 'gap', 'gap']);
		});

		it('keeps the learned step of a book over a restart', () => {
			const book = stepping(4, 10);
			book.restart(true);
			book.begin(200);
			expect(follows(book, 204, 212)).toEqual(['next', 'gap']);
			expect(book.hear(4, 'epoch')).toBe('epoch');
			expect(follows(book, 8, 16)).toEqual(['next', 'gap']);
		});

		it('learns no step from a change of a book that was overtaken or repeated', () => {
			const book = stepping(4, 10);
			book.hear(139, 'old');
			book.hear(140, 'old');
			expect(follows(book, 144)).toEqual(['next']);
		});
	});

	it('compares a change of a book with the highest number that arrived', () => {
		const book = bookAt(5, 6, 9);
		book.hear(7, 'old');
		expect(book.hear(10, 'gap')).toBe('next');
		book.begin(7);
		expect(book.hear(11, 'gap')).toBe('next');
		book.begin(20);
		expect(book.hear(21, 'gap')).toBe('next');
	});

	it('keeps what it knows of a book at a change without a number', () => {
		const book = bookAt(5);
		expect([book.pass(undefined), book.pass(5), book.hear(undefined, 'gap'), book.hear(6, 'gap')]).toEqual([
			...[true, false, 'gap', 'next'],
		]);
	});

	it('treats the change that a snapshot holds as no gap', () => {
		expect(bookAt(5).hear(5, 'next')).toBe('next');
	});

	it('treats changes that a snapshot read before them holds as no gap, however the numbers of the messages jump', () => {
		const book = bookAt(5, 6);
		book.begin(8);
		expect([7, 8, 9, 11].map((sequence) => book.hear(sequence, 'gap'))).toEqual(['next', 'next', 'next', 'gap']);
	});

	it('begins a book again in another epoch', () => {
		const book = bookAt(50, 51);
		book.pass(51);
		expect(book.hear(3, 'epoch')).toBe('epoch');
		expect(book.pass(3)).toBe(true);
		expect(book.hear(4, 'gap')).toBe('next');
	});

	it('delivers each change of a book once, and none that a snapshot holds', () => {
		const book = bookAt(5);
		expect([4, 5, 6, 6, 5, 8, 7].map(book.pass)).toEqual([false, false, true, false, false, true, false]);
		expect([book.pass(undefined), book.pass(undefined)]).toEqual([true, true]);
		expect([0, 1].map(newBook().pass)).toEqual([true, true]);
	});

	it('refuses a snapshot no newer than a sound book', () => {
		const book = bookAt(5);
		expect([book.isSound(), book.isOutdated(4), book.isOutdated(5), book.isOutdated(6)]).toEqual([
			true,
			true,
			true,
			false,
		]);
		expect(book.isOutdated(undefined)).toBe(false);
		expect(bookAt(undefined).isOutdated(0)).toBe(false);
	});

	it('uses a snapshot for a stale book that holds what was delivered and what is missing', () => {
		const book = bookAt(5, 6);
		book.pass(6);
		book.markStale();
		expect([book.isSound(), book.isOutdated(5), book.isOutdated(6)]).toEqual([false, true, false]);
		book.hear(10, 'gap');
		expect([book.isOutdated(8), book.isOutdated(9), book.isOutdated(undefined)]).toEqual([true, false, false]);
		book.hear(11, 'next');
		book.hear(8, 'old');
		expect([book.isOutdated(8), book.isOutdated(9)]).toEqual([true, false]);
		book.begin(9);
		book.markStale();
		expect([book.isSound(), book.isOutdated(8), book.isOutdated(9)]).toEqual([false, true, false]);
	});

	it('requests no older snapshot after a change that was overtaken', () => {
		const book = bookAt(5, 6);
		book.markStale();
		book.hear(10, 'gap');
		book.hear(8, 'gap');
		expect([book.isOutdated(7), book.isOutdated(8), book.isOutdated(9)]).toEqual([true, true, false]);
		book.hear(3, 'epoch');
		expect([book.isOutdated(1), book.isOutdated(2)]).toEqual([true, false]);
	});

	it('begins a book again if consecutive messages bring an earlier change', () => {
		const book = bookAt(50, 51, 52);
		book.pass(52);
		expect([book.hear(1, 'next'), book.pass(1), book.hear(2, 'next')]).toEqual(['epoch', true, 'next']);
	});

	it('requests a snapshot up to the first change if a book began without one', () => {
		const book = newBook();
		expect(book.isSound()).toBe(false);
		expect(book.isOutdated(0)).toBe(false);
		book.hear(7, 'next');
		expect([book.isOutdated(5), book.isOutdated(6)]).toEqual([true, false]);
		book.hear(8, 'next');
		expect([book.isOutdated(5), book.isOutdated(6)]).toEqual([true, false]);
	});

	it('forgets the earlier book at a restart in another epoch', () => {
		const book = bookAt(5, 6);
		book.pass(6);
		book.restart(true);
		expect([book.isSound(), book.isOutdated(0), book.pass(1)]).toEqual([false, false, true]);
		book.begin(5);
		expect(book.hear(8, 'next')).toBe('gap');
	});
});
