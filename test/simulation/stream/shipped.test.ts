import { itLives, seedsToPlay } from '../support/lives';
import { streamSuite as suite } from './suite';

const last = seedsToPlay(300);

describe('the stream as it ships through every kind of trouble', () => {
	// The other half is played in `layers.test.ts`.
	itLives(
		`delivers all that happened, once and in time, over half of ${last} seeds (checklist 116, 117, 118, 120, 123, 127, 135)`,
		{ name: 'stream', suite, last, first: 2, every: 2 },
	);
});
