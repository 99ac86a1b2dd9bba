import { withSeeds, type Planted } from '../support/suite';

const inLock = (find: string, replace: string): Planted => ({ patch: { file: 'node/file-lock.ts', find, replace } });

/** Defects of a lock that were there before, and others that would be as bad. */
const bugs = {
	numbersAreUsedOnce: inLock(' || now - watched.since > deadAfterMs;', ';'),
	isMadeAnew: inLock(
		'const number = (latest ?? 0) + 1;',
		'const number = latest ?? 1; if (latest !== undefined) await rm(pathOf(file, number), { force: true });',
	),
	latestIsNotReadAgain: inLock('if ((await numbersOf(file))[0] !== number) {', 'if (number < 0) {'),
	isNotGivenBack: inLock('utimesSync(lock, GIVEN_BACK, GIVEN_BACK);', ''),
	believesItStillHolds: inLock('holder !== undefined && isNamedIn(holder, own);', 'holder !== undefined;'),
	tellsWhatItTookLongAgo: inLock('holder === undefined || !isHeld()', 'holder === undefined'),
	believesTheNameOfItsFile: inLock("readFileSync(path, 'utf8') === own;", "readFileSync(path, 'utf8') !== 'x';"),
	agesWhileItSleeps: inLock('now - watched.since >', 'performance.now() - watched.since >'),
	countsItsOwnSleep: inLock('since: performance.now()', 'since: now'),
	earlierIsNotRemoved: inLock('for (const before of earlier) await rm(pathOf(file, before), { force: true });', ''),
	nobodyTouches: inLock('utimes(path, new Date(), new Date())', 'Promise.resolve()'),
} satisfies { readonly [name: string]: Planted };

export const plants = withSeeds<Planted>(bugs, {
	agesWhileItSleeps: 933,
	believesTheNameOfItsFile: 511,
	countsItsOwnSleep: 2887,
});
