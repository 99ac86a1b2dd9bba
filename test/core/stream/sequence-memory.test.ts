import { createSequenceMemory, readCoverage } from '../../../packages/core/src/stream/delivery/sequence-memory';

/** Numbers offered in this order. */
function offered(...numbers: number[]) {
	const memory = createSequenceMemory(undefined);
	return { memory, news: numbers.map((number) => memory.admit(number, false)) };
}

const stored = (acknowledge: (memory: ReturnType<typeof createSequenceMemory>) => void) => {
	const memory = createSequenceMemory([-1]);
	acknowledge(memory);
	return memory.stored().coverage;
};

describe('the numbers of public trades', () => {
	it('are new once each, in whatever order they come', () => {
		expect(offered(3, 1, 2, 2, 1, 3, 0, 0).news).toEqual([true, true, true, false, false, false, true, false]);
	});

	it('are known up to a floor, which rises where stretches meet it', () => {
		const { memory } = offered(0, 1, 4, 5);
		expect(memory.floor()).toBe(1);
		expect([1, 2, 3, 4, 5, 6].map(memory.isCovered)).toEqual([true, false, false, true, true, false]);
		expect([0, 2, 3, 4, 5, 6].map(memory.endOfKnown)).toEqual([1, 2, 3, 5, 5, 6]);
		memory.admit(3, false);
		expect(memory.floor()).toBe(1);
		memory.admit(2, false);
		expect(memory.floor()).toBe(5);
		expect(memory.endOfKnown(0)).toBe(5);
	});

	it('are not asked about before the topic has shown one', () => {
		const memory = createSequenceMemory(undefined);
		expect([memory.isUsed(), memory.floor(), memory.stored()]).toEqual([false, undefined, {}]);
		memory.cover(-1, 7);
		expect([memory.isUsed(), memory.floor()]).toEqual([true, 7]);
		expect(createSequenceMemory([3]).floor()).toBe(3);
	});

	it.each<[string, [number, number][], unknown]>([
		[
			'stretches that touch become one',
			[
				[5, 7],
				[7, 9],
			],
			[-1, [6, 9]],
		],
		[
			'stretches that overlap become one',
			[
				[5, 8],
				[6, 10],
			],
			[-1, [6, 10]],
		],
		[
			'a stretch within another changes nothing',
			[
				[5, 10],
				[6, 8],
			],
			[-1, [6, 10]],
		],
		[
			'a stretch over others takes them in',
			[
				[5, 6],
				[8, 9],
				[4, 12],
			],
			[-1, [5, 12]],
		],
		[
			'a stretch before others stands before them',
			[
				[8, 9],
				[2, 3],
				[5, 6],
			],
			[-1, [3, 3], [6, 6], [9, 9]],
		],
		[
			'a stretch between two joins them',
			[
				[2, 3],
				[5, 6],
				[3, 5],
			],
			[-1, [3, 6]],
		],
		[
			'nothing is covered by none',
			[
				[5, 5],
				[6, 5],
			],
			[-1],
		],
		[
			'the floor takes in what touches it',
			[
				[1, 3],
				[-1, 1],
			],
			[3],
		],
		[
			'what lies below the floor changes nothing',
			[
				[-1, 5],
				[0, 3],
			],
			[5],
		],
	])('of which %s', (_, stretches, coverage) => {
		expect(stored((memory) => stretches.forEach(([after, upTo]) => memory.acknowledgeStretch(after, upTo)))).toEqual(
			coverage,
		);
	});

	it('that were acknowledged are stored apart from those offered, one by one too', () => {
		const { memory } = offered(0, 1, 2, 3);
		for (const number of [0, 1, 3]) memory.acknowledge(number);
		expect(memory.stored()).toEqual({ coverage: [1, [3, 3]] });
		memory.forgetAcknowledged();
		expect(memory.stored()).toEqual({ coverage: [-1] });
		expect(memory.floor()).toBe(3);
	});

	it('that jump for ever fill no more than 500 stretches, the oldest holes first', () => {
		const { memory } = offered();
		for (let number = 2; number <= 1_002; number += 2) memory.admit(number, false);
		expect(memory.floor()).toBe(2);
		expect(memory.isCovered(3)).toBe(false);
		memory.admit(1_004, false);
		expect(memory.floor()).toBe(4);
		expect(memory.isCovered(3)).toBe(true);
		expect(memory.isCovered(5)).toBe(false);
	});

	it('tell nothing while they may have begun anew, and all again once they went on', () => {
		const { memory } = offered(0, 1, 2);
		memory.mayRestart();
		expect(memory.isDoubtful()).toBe(true);
		expect([memory.admit(1, false), memory.admit(9, true)]).toEqual([true, false]);
		memory.confirmRun();
		expect([memory.isDoubtful(), memory.admit(1, false), memory.admit(9, true)]).toEqual([false, false, true]);
		memory.mayRestart();
		memory.restart();
		expect([memory.isDoubtful(), memory.floor(), memory.admit(1, false)]).toEqual([false, -1, true]);
	});

	it('are not doubted where none was shown', () => {
		const memory = createSequenceMemory(undefined);
		memory.mayRestart();
		expect(memory.isDoubtful()).toBe(false);
	});

	it('are given as they were stored, and change nothing of it', () => {
		const given: NonNullable<ReturnType<typeof readCoverage>> = [4, [6, 7]];
		const memory = createSequenceMemory(given);
		memory.admit(8, false);
		memory.acknowledge(5);
		expect(memory.stored()).toEqual({ coverage: [7] });
		expect(memory.endOfKnown(6)).toBe(8);
	});

	it.each([
		[
			[3, [5, 6], [9, 9]],
			[3, [5, 6], [9, 9]],
		],
		[
			[3, [6, 5], [1], [1, 2, 3], 'x', [1, 1.5], [7, 8]],
			[3, [7, 8]],
		],
		[[1.5], undefined],
		[['3'], undefined],
		[[], undefined],
		[{ 0: 3 }, undefined],
		[undefined, undefined],
	])('are read from %j as %j', (given, coverage) => {
		expect(readCoverage(given)).toEqual(coverage);
	});
});
