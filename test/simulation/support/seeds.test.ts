import { noticedAt } from './seeds';
import type { Suite } from './suite';

/** A suite that fails for these seeds with the planted defect, and for those without it. */
function suiteOf(planted: readonly number[], sound: readonly number[], stored?: number): Suite & { lived: number[] } {
	const lived: number[] = [];
	return {
		lived,
		plants: { bug: { seed: stored } },
		layers: [],
		run: (seed, { plant } = {}) => {
			if (plant) lived.push(seed);
			const isBroken = (plant ? planted : sound).includes(seed);
			return Promise.resolve({ violations: isBroken ? ['broken'] : [], hash: 0, lines: [] });
		},
	};
}

describe('the search for a seed that notices a planted bug', () => {
	it('begins with the known seed of the plant', async () => {
		const suite = suiteOf([3, 5], [], 5);
		expect(await noticedAt(suite, 'bug', 5)).toBe(5);
		expect(suite.lived).toEqual([5]);
	});

	it('skips the known seed when it is beyond the last one', async () => {
		const suite = suiteOf([70], [], 70);
		expect(await noticedAt(suite, 'bug', 5)).toBeUndefined();
		expect(suite.lived).toEqual([1, 2, 3, 4, 5]);
	});

	it('looks at all other seeds when the known seed shows the plant no longer', async () => {
		expect(await noticedAt(suiteOf([3], [], 5), 'bug', 5)).toBe(3);
	});

	it('finds no seed if no life notices the plant', async () => {
		const suite = suiteOf([], [], 4);
		expect(await noticedAt(suite, 'bug', 5)).toBeUndefined();
		expect(suite.lived).toEqual([4, 1, 2, 3, 4, 5]);
	});

	it('does not count lives that are broken without the bug', async () => {
		expect(await noticedAt(suiteOf([2, 4], [2]), 'bug', 5)).toBe(4);
	});
});
