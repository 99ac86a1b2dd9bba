import { noticedAt } from '../support/seeds';
import { replay } from '../support/suite';
import { lockSuite } from './suite';

/** A defect that shows in none of this many runs counts as unnoticed. */
const SEEDS_MAX = 2_000;
const LONG_MS = 3_600_000;

describe('bugs planted into the lock', () => {
	it.each(Object.keys(lockSuite.plants))(
		'notices %s',
		async (plant) => {
			if ((await noticedAt(lockSuite, plant, SEEDS_MAX)) === undefined)
				throw new Error(`Nobody noticed it in ${SEEDS_MAX} seeds, such as ${replay('locks', 1, { plant })}`);
		},
		LONG_MS,
	);
});
