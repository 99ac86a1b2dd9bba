import { itLives, itLivesTheSameWay, seedsToPlay } from '../support/lives';
import { orderSuite as suite } from './suite';

const last = seedsToPlay(100);

describe('orders through every kind of trouble', () => {
	itLives(`places each intent once at most and never denies an order that exists, over ${last} seeds`, {
		name: 'orders',
		suite,
		last,
	});
	itLivesTheSameWay(suite, last, 50);
});
