import type { Step } from '../../../packages/core/src/stream/position';
import * as books from '../../../packages/core/src/stream/book-sequence';

type Heard = [sequence: number | undefined, move: Step];

/** A book that began with a snapshot, perhaps without a sequence, and received these changes in a row. */
function bookAt(begins?: number, ...heard: number[]) {
	const state = books.noBook();
	const book = {
		begin: (sequence: number | undefined) => books.beginBook(state, sequence),
		hear: (sequence: number | undefined, move: Step) => books.follow(state, sequence, move),
		tell: (sequence: number | undefined) => books.passChange(state, sequence),
		isOutdated: (sequence: number | undefined) => books.isOutdated(state, sequence),
		markStale: () => void (state.isSound = false),
	};
	if (begins !== undefined) book.begin(begins);
	for (const sequence of heard) book.hear(sequence, 'next');
	for (const sequence of heard) book.tell(sequence);
	return book;
}

describe('the sequence of an order book', () => {
	it.each<[string, number | undefined, number[], Heard, Step]>([
		['consecutive numbers prove that nothing is missing', 5, [6], [7, 'gap'], 'next'],
		['others prove nothing where the messages follow each other', 5, [6], [9, 'next'], 'next'],
		['others are a gap where the message is an old one', 5, [6], [9, 'old'], 'gap'],
		['a first change has to follow the snapshot', 5, [], [8, 'next'], 'gap'],
		['a first change that follows it is the next', 5, [], [6, 'old'], 'next'],
		['a first change that is in it already proves nothing', 5, [], [4, 'next'], 'next'],
		['an old change stays old', 5, [6, 7], [6, 'old'], 'old'],
		['a gap of the messages stays one where numbers jump', 5, [6], [9, 'gap'], 'gap'],
		['another epoch stays one', 5, [6], [7, 'epoch'], 'epoch'],
		['messages in a row that bring an earlier change begin it again', 5, [6, 7], [1, 'next'], 'epoch'],
		['a change without a number follows as its message does', 5, [6], [undefined, 'gap'], 'gap'],
		['a book without a number proves nothing', undefined, [], [9, 'next'], 'next'],
	])('says how a change of a book follows: %s', (_, begins, heard, [sequence, move], follows) => {
		expect(bookAt(begins, ...heard).hear(sequence, move)).toBe(follows);
	});

	it.each<[string, number | undefined, Heard[], readonly (number | undefined)[], boolean[]]>([
		['what was told, where nothing is missing', 5, [[6, 'next']], [5, 6, undefined], [true, false, false]],
		['what came before a jump', 5, [[10, 'gap']], [8, 9], [true, false]],
		[
			'that also where changes were overtaken by it',
			5,
			[
				[10, 'gap'],
				[8, 'gap'],
			],
			[8, 9],
			[true, false],
		],
		[
			'what came before the first change',
			undefined,
			[
				[7, 'next'],
				[8, 'next'],
			],
			[5, 6],
			[true, false],
		],
		['nothing of before another epoch', 50, [[3, 'epoch']], [1, 2], [true, false]],
		['nothing, if nothing came', undefined, [], [0], [false]],
	])('asks of a snapshot for a stale book that it holds %s', (_, begins, heard, sequences, outdated) => {
		const book = bookAt(begins);
		book.markStale();
		for (const [sequence, move] of heard) if (book.hear(sequence, move) === 'next' && begins) book.tell(sequence);
		expect(sequences.map(book.isOutdated)).toEqual(outdated);
	});

	it('takes no snapshot that is not newer than a sound book', () => {
		expect([4, 5, 6, undefined].map(bookAt(5).isOutdated)).toEqual([true, true, false, false]);
	});

	it('tells each change of a book once, and none that a snapshot holds', () => {
		expect([4, 5, 6, 6, 5, 8, 7].map(bookAt(5).tell)).toEqual([false, false, true, false, false, true, false]);
		expect([undefined, undefined, 0, 1].map(bookAt().tell)).toEqual([true, true, true, true]);
	});

	it('tells a change again once the book counts anew', () => {
		const book = bookAt(50, 51);
		expect([book.hear(3, 'epoch'), book.tell(3), book.hear(4, 'gap'), book.tell(4)]).toEqual([
			...['epoch', true, 'next', true],
		]);
	});

	it('finds no gap at changes that a snapshot read meanwhile holds, nor at the one behind them', () => {
		const book = bookAt(5, 6);
		book.begin(8);
		expect([7, 8, 9, 11].map((sequence) => book.hear(sequence, 'gap'))).toEqual(['next', 'next', 'next', 'gap']);
	});
});
