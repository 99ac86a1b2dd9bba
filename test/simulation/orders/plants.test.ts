import { noticedAt } from '../support/seeds';
import { replay } from '../support/suite';
import { orderSuite } from './suite';

/** A defect that shows in none of this many runs counts as unnoticed. */
const SEEDS_MAX = 20_000;
const LONG_MS = 3_600_000;

describe('bugs planted into the client', () => {
	it.each(Object.keys(orderSuite.plants))(
		'notices %s',
		async (plant) => {
			if ((await noticedAt(orderSuite, plant, SEEDS_MAX)) === undefined)
				throw new Error(`Nobody noticed it in ${SEEDS_MAX} seeds, such as ${replay('orders', 1, { plant })}`);
		},
		LONG_MS,
	);

	it('says how to replay what it found', () => {
		expect(replay('orders', 7, { plant: 'failsOnTimeout' })).toBe(
			'npm run sim -- --suite orders --seed 7 --plant failsOnTimeout --trace',
		);
	});
});
