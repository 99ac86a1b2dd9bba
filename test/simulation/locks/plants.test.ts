import { itNoticesPlants } from '../support/lives';
import { lockSuite } from './suite';

describe('bugs planted into the lock', () => {
	itNoticesPlants('locks', lockSuite, 3_000);
});
