import { itNoticesPlants } from '../support/lives';
import { replay } from '../support/suite';
import { orderSuite } from './suite';

describe('bugs planted into the client', () => {
	itNoticesPlants('orders', orderSuite, 2_000);

	it('prints the command that plays a life with its planted bug again', () => {
		expect(replay('orders', 7, { plant: 'failsOnTimeout' })).toBe(
			'npm run sim -- --suite orders --seed 7 --plant failsOnTimeout --trace',
		);
	});
});
