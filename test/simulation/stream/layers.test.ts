import { brokenSeeds, expectSameLives } from '../support/seeds';
import { streamSuite } from './suite';

/** Every second seed is played here, the others in `shipped.test.ts`. SIMULATION_SEEDS=20000 plays more. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 1_000);
/** One of this many seeds is played twice. */
const TWICE_EVERY = 101;
const LONG_MS = 3_600_000;

describe('each layer of the stream through the trouble it is made for', () => {
	it(
		`delivers all that it promises, once and in time, over half of ${SEEDS} seeds`,
		async () => {
			expect(await brokenSeeds('stream', streamSuite, SEEDS, { every: 2 })).toEqual([]);
		},
		LONG_MS,
	);

	it(
		'lives through the same seed the same way every time',
		() => expectSameLives(streamSuite, SEEDS, TWICE_EVERY),
		LONG_MS,
	);
});
