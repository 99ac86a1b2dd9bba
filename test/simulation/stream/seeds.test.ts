import { itLives, itLivesTheSameWay, seedsToPlay } from '../support/lives';
import { streamSuite as suite } from './suite';

const last = seedsToPlay(100);

describe('the stream through every kind of trouble', () => {
	itLives(`delivers all that happened, once and in time, over ${last} seeds`, { name: 'stream', suite, last });
	itLivesTheSameWay(suite, last, 50);
});
