import { replay, type Suite } from './suite';

/** Broken seeds after which looking on adds nothing. */
const BROKEN_MAX = 5;

/** What went wrong in the seeds from 1 on, each with the command that replays it. */
export async function brokenSeeds(name: string, suite: Suite, seeds: number): Promise<string[]> {
	const broken: string[] = [];
	for (let seed = 1; seed <= seeds && broken.length < BROKEN_MAX; seed += 1) {
		const { violations } = await suite.run(seed);
		for (const violation of violations) broken.push(`${violation}: ${replay(name, seed)}`);
	}
	return broken;
}

/** Lives through every so many seeds twice, and expects the same life. */
export async function expectSameLives(suite: Suite, seeds: number, every: number): Promise<void> {
	for (let seed = 1; seed <= seeds; seed += every) {
		const [first, second] = [await suite.run(seed), await suite.run(seed)];
		expect([seed, second.hash]).toEqual([seed, first.hash]);
	}
}
