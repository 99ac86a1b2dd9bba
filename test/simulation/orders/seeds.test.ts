import { brokenSeeds, expectSameLives } from '../support/seeds';
import { orderSuite } from './suite';

/** Part of every test run; SIMULATION_SEEDS=20000 plays more, and `npm run sim` any number. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 1_000);
/** One of this many seeds is played twice. */
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
