import { brokenSeeds, expectSameLives } from '../support/seeds';
import { orderSuite } from './suite';

/** A few in every run; SIMULATION_SEEDS=20000 asks for more, and `npm run sim` for as many as one likes. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 1_000);
/** Every so many seeds, one is lived through twice. */
const TWICE_EVERY = 100;
const LONG_MS = 3_600_000;

describe('orders through every kind of trouble', () => {
	it(
		`places each intent once at most and never denies an order that exists, over ${SEEDS} seeds`,
		async () => {
			expect(await brokenSeeds('orders', orderSuite, SEEDS)).toEqual([]);
		},
		LONG_MS,
	);

	it(
		'lives through the same seed the same way every time',
		() => expectSameLives(orderSuite, SEEDS, TWICE_EVERY),
		LONG_MS,
	);
});
