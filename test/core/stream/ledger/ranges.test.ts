import {
	addRange,
	endOfKnown,
	isCovered,
	readRanges,
	STRETCHES_MAX,
	type Ranges,
} from '../../../../packages/core/src/stream/ledger/ranges';

const rangesOf = (...numbers: (number | [number, number])[]): Ranges => {
	const ranges: Ranges = [-1];
	for (const each of numbers) addRange(ranges, ...(typeof each === 'number' ? ([each, each] as const) : each));
	return ranges;
};

describe('ranges of numbers', () => {
	it.each<[(number | [number, number])[], Ranges]>([
		[[0, 1, 2], [2]],
		[
			[1, 2],
			[-1, [1, 2]],
		],
		[[2, 1, 0], [2]],
		[
			[5, 3, 4],
			[-1, [3, 5]],
		],
		[
			[
				[3, 5],
				[9, 10],
				[4, 9],
			],
			[-1, [3, 10]],
		],
		[
			[[3, 5], [9, 10], 7],
			[-1, [3, 5], [7, 7], [9, 10]],
		],
		[
			[
				[3, 5],
				[9, 10],
				[0, 20],
			],
			[20],
		],
		[[[0, 7], [2, 3], 5], [7]],
		[
			[
				[3, 9],
				[4, 5],
			],
			[-1, [3, 9]],
		],
		[
			[
				[3, 4],
				[3, 9],
			],
			[-1, [3, 9]],
		],
	])('ranges after %j are %j', (numbers, ranges) => {
		expect(rangesOf(...numbers)).toEqual(ranges);
	});

	it('ranges say which numbers are known, and where the known stretch of one ends', () => {
		const ranges = rangesOf([0, 4], [7, 9], [20, 20]);
		expect([-1, 4, 5, 6, 7, 9, 10, 20, 21].map((number) => isCovered(ranges, number))).toEqual([
			...[true, true, false, false, true, true, false, true, false],
		]);
		expect([0, 4, 5, 7, 9, 20, 21].map((number) => endOfKnown(ranges, number))).toEqual([4, 4, 5, 9, 9, 20, 21]);
	});

	it('ranges forget the lowest stretch of too many and never a hole, so that nothing missing counts as known', () => {
		const ranges = rangesOf(...Array.from({ length: 2 * STRETCHES_MAX }, (_, index) => 10 * index + 5));
		expect(ranges[0]).toBe(-1);
		expect(ranges.length - 1).toBe(STRETCHES_MAX);
		expect(isCovered(ranges, 5)).toBe(false);
		expect(isCovered(ranges, 10 * (2 * STRETCHES_MAX - 1) + 5)).toBe(true);
		addRange(ranges, 0, 10 * STRETCHES_MAX + 4);
		expect(ranges[0]).toBe(10 * STRETCHES_MAX + 5);
	});

	it.each([
		[undefined, undefined],
		[[], undefined],
		[['x'], undefined],
		[
			['9007199254740993', ['9007199254740995', '9007199254740996']],
			[9_007_199_254_740_993n, [9_007_199_254_740_995n, 9_007_199_254_740_996n]],
		],
		[[1.5], undefined],
		[
			[3, [5, 6], [8, 7], 'x', [9], [1.5, 2], [10, 10]],
			[3, [5, 6], [10, 10]],
		],
	])('ranges are read from %j as far as they have the right form', (stored, ranges) => {
		expect(readRanges(stored)).toEqual(ranges);
	});
});
