import { brokenSeeds, expectSameLives } from '../support/seeds';
import { streamSuite } from './suite';

const SEEDS = 3_000;
/** Every so many seeds, one is lived through twice. */
const TWICE_EVERY = 100;
const LONG_MS = 600_000;

describe('the stream through every kind of trouble', () => {
	it(
		`delivers every fill, every trade and the end of every order, once and in time, over ${SEEDS} seeds (checklist 116, 117, 118, 120, 123, 127, 135)`,
		async () => {
			expect(await brokenSeeds('stream', streamSuite, SEEDS)).toEqual([]);
		},
		LONG_MS,
	);

	it(
		'lives through the same seed the same way every time',
		() => expectSameLives(streamSuite, SEEDS, TWICE_EVERY),
		LONG_MS,
	);
});
