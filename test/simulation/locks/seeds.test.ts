import { itLives, itLivesTheSameWay, seedsToPlay } from '../support/lives';
import { lockSuite as suite } from './suite';

const last = seedsToPlay(200);

describe('the lock of a journal among processes that die, end, hang and share numbers', () => {
	itLives(`one process at most holds the lock, and it is free once its holder is gone, over ${last} seeds`, {
		name: 'locks',
		suite,
		last,
	});
	itLivesTheSameWay(suite, last, 100);
});
