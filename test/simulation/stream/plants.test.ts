import { noticedAt } from '../support/seeds';
import { replay } from '../support/suite';
import { streamSuite } from './suite';

/** Fewer than are run without a defect, so that false alarms among them are known. */
const SEEDS_MAX = 2_000;
const LONG_MS = 3_600_000;

describe('bugs planted into the stream', () => {
	it.each(Object.keys(streamSuite.plants))(
		'notices %s',
		async (plant) => {
			if ((await noticedAt(streamSuite, plant, SEEDS_MAX)) === undefined)
				throw new Error(`Nobody noticed it in ${SEEDS_MAX} seeds, such as ${replay('stream', 1, { plant })}`);
		},
		LONG_MS,
	);
});
