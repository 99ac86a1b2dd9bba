import { itNoticesPlants } from '../support/lives';
import { replay } from '../support/suite';
import { orderSuite } from './suite';

describe('bugs planted into the client', () => {
	itNoticesPlants('orders', orderSuite, 2_000);

	it('says how to replay what it found', () => {
		expect(replay('orders', 7, { plant: 'failsOnTimeout' })).toBe(
			'npm run sim -- --suite orders --seed 7 --plant failsOnTimeout --trace',
		);
	});
});
