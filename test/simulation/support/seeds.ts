import { replay, type RunOptions, type Suite } from './suite';

/** After this many failing seeds, further ones add nothing. */
const BROKEN_MAX = 5;

/** The violations of the seeds up to a last one, each with the command that replays it. */
export async function brokenSeeds(name: string, suite: Suite, last: number): Promise<string[]> {
	const broken: string[] = [];
	for (let seed = 1; seed <= last && broken.length < BROKEN_MAX; seed += 1) {
		const { violations } = await suite.run(seed);
		for (const violation of violations) broken.push(`${violation}: ${replay(name, seed)}`);
	}
	return broken;
}

/** Runs every n-th seed twice, and expects the same run. */
export async function expectSameLives(suite: Suite, seeds: number, every: number): Promise<void> {
	for (let seed = 1; seed <= seeds; seed += every) {
		const [first, second] = [await suite.run(seed), await suite.run(seed)];
		expect([seed, second.hash]).toEqual([seed, first.hash]);
	}
}

/**
 * The first seed up to a last one that shows a planted defect; the one that is known to show it is asked first. The same seed without the
 * defect must pass, or nothing is proved.
 */
export async function noticedAt(suite: Suite, plant: string, last: number): Promise<number | undefined> {
	const { seed: stored, layer } = suite.plants[plant]!;
	const isBroken = async (seed: number, options: RunOptions) => (await suite.run(seed, options)).violations.length > 0;
	const sound = soundLives(suite);
	/** Many defects show in one life, which is lived once without any. */
	const isSound = async (seed: number) => {
		const life = `${layer}:${seed}`;
		const isKnown = sound.get(life) ?? !(await isBroken(seed, { layer }));
		sound.set(life, isKnown);
		return isKnown;
	};
	const isNoticed = async (seed: number) => (await isBroken(seed, { plant })) && (await isSound(seed));
	if (stored !== undefined && stored <= last && (await isNoticed(stored))) return stored;
	for (let seed = 1; seed <= last; seed += 1) if (await isNoticed(seed)) return seed;
	return undefined;
}

const lives = new WeakMap<Suite, Map<string, boolean>>();

/** Whether lives of a suite keep what they promise without a defect, as far as they were lived. */
function soundLives(suite: Suite): Map<string, boolean> {
	const known = lives.get(suite) ?? new Map<string, boolean>();
	lives.set(suite, known);
	return known;
}
