import { brokenSeeds } from '../support/seeds';
import { streamSuite } from './suite';

/** Every second one is lived through here, the others in `layers.test.ts`. */
const SEEDS = 3_000;
const LONG_MS = 1_800_000;

describe('the stream as it ships through every kind of trouble', () => {
	it(
		`delivers all that happened, once and in time, over half of ${SEEDS} seeds (checklist 116, 117, 118, 120, 123, 127, 135)`,
		async () => {
			expect(await brokenSeeds('stream', streamSuite, SEEDS, { first: 2, every: 2 })).toEqual([]);
		},
		LONG_MS,
	);
});
