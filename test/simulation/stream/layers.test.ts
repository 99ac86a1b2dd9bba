import { itLives, itLivesTheSameWay, seedsToPlay } from '../support/lives';
import { streamSuite as suite } from './suite';

const last = seedsToPlay(300);

describe('each layer of the stream through the trouble it is made for', () => {
	// The other half is played in `shipped.test.ts`.
	itLives(`delivers all that it promises, once and in time, over half of ${last} seeds`, {
		name: 'stream',
		suite,
		last,
		every: 2,
	});
	itLivesTheSameWay(suite, last, 101);
});
