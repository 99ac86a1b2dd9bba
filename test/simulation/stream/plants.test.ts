import { replay } from '../support/suite';
import { streamSuite } from './suite';

/** Fewer than are run without a plant, so that what they would let pass is known. */
const SEEDS_MAX = 1_000;
const LONG_MS = 3_600_000;

describe('bugs planted into the stream', () => {
	it.each(streamSuite.plants)(
		'notices %s',
		async (plant) => {
			for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
				if ((await streamSuite.run(seed, { plant })).violations.length > 0) return;
			}
			throw new Error(`Nobody noticed it in ${SEEDS_MAX} seeds, such as ${replay('stream', 1, plant)}`);
		},
		LONG_MS,
	);
});
