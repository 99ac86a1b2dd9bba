import { brokenSeeds, expectSameLives, noticedAt } from './seeds';
import { replay, type Suite } from './suite';

/** A run of thousands of seeds takes as long as it takes. */
const LONG_MS = 3_600_000;

/** How many seeds a run of the tests plays: each night SIMULATION_SEEDS=20000, and `npm run sim` any number. */
export const seedsToPlay = (usual: number): number => Number(process.env.SIMULATION_SEEDS ?? usual);

/** Lives through seeds up to a last one without a defect, and breaks no promise. */
export function itLives(promise: string, { name, suite, last }: { name: string; suite: Suite; last: number }): void {
	it(
		promise,
		async () => {
			expect(await brokenSeeds(name, suite, last)).toEqual([]);
		},
		LONG_MS,
	);
}

/** Plays one of so many seeds twice. */
export function itLivesTheSameWay(suite: Suite, last: number, every: number): void {
	it('lives through the same seed the same way every time', () => expectSameLives(suite, last, every), LONG_MS);
}

/** As many lives as cost a second or two. */
const SEARCHED_MAX = 100;

/**
 * Each planted defect shows in some life. A defect that shows in none of `seedsMax` counts as unnoticed, and one that shows late
 * needs a seed that is known to show it, or each run of the tests would search for minutes.
 */
export function itNoticesPlants(name: string, suite: Suite, seedsMax: number): void {
	it.each(Object.entries(suite.plants))(
		'notices %s',
		async (plant, { seed: stored }) => {
			const seed = await noticedAt(suite, plant, seedsMax);
			if (seed === undefined)
				throw new Error(`Nobody noticed it in ${seedsMax} seeds, such as ${replay(name, 1, { plant })}`);
			if (seed !== stored && seed > SEARCHED_MAX)
				throw new Error(`Only seed ${seed} shows it, and the known seed is ${stored}: correct it where seeds are kept`);
		},
		LONG_MS,
	);
}
