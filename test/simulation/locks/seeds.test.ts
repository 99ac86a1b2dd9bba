import { brokenSeeds, expectSameLives } from '../support/seeds';
import { lockSuite } from './suite';

/** Part of every test run; SIMULATION_SEEDS=20000 plays more, and `npm run sim -- --suite locks` any number. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 500);
/** One of this many seeds is played twice. */
const TWICE_EVERY = 100;
const LONG_MS = 3_600_000;

describe('the lock of a journal among processes that die, end, hang and share numbers', () => {
	it(
		`one process at most holds the lock, and it is free once its holder is gone, over ${SEEDS} seeds`,
		async () => {
			expect(await brokenSeeds('locks', lockSuite, SEEDS)).toEqual([]);
		},
		LONG_MS,
	);

	it(
		'lives through the same seed the same way every time',
		() => expectSameLives(lockSuite, SEEDS, TWICE_EVERY),
		LONG_MS,
	);
});
