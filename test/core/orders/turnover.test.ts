import { createTurnover, ORDERS_MAX } from '../../../packages/core/src/orders/limits/turnover';
import { random } from '../../simulation/support/random';

const PERIOD_MS = 100;
const STEPS = 3_000;
const KEYS = 40;

interface Counted {
	key: string;
	at: number;
	value: number;
}

describe('the orders of a period', () => {
	it.each([1, 2, 3])('counts what a plain list of them counts, whatever comes and goes (seed %i)', (seed) => {
		const chance = random(seed);
		const turnover = createTurnover(PERIOD_MS);
		let plain: Counted[] = [];
		let now = 1_000;
		for (let step = 0; step < STEPS; step += 1) {
			now += chance.below(5);
			plain = plain.filter(({ at }) => now - at < PERIOD_MS);
			const key = `order ${chance.below(KEYS)}`;
			const other = plain.filter((row) => row.key !== key);
			const stored = plain.find((row) => row.key === key);
			const value = chance.below(100);
			// Times repeat, and most are the latest.
			const at = now - (chance.happens(0.5) ? 0 : chance.below(20) * 5);
			const what = chance.pick(['add', 'add', 'value', 'remove'] as const);
			turnover.until(now);
			if (what === 'add') {
				turnover.add({ key, at, value: String(value) });
				plain = [...other, { key, at, value }];
			} else if (what === 'value') {
				turnover.value(key, String(value));
				if (stored) plain = [...other, { ...stored, value }];
			} else {
				turnover.remove(key);
				plain = other;
			}
			expect(turnover.has(key)).toBe(plain.some((row) => row.key === key));
			plain = plain.filter((row) => now - row.at < PERIOD_MS);
			const sum = plain.reduce((total, row) => total + row.value, 0);
			expect([step, turnover.until(now)]).toEqual([step, { count: plain.length, value: String(sum) }]);
		}
	});

	it('counts the value of the oldest order with the next one where they are more than it remembers', () => {
		const forgotten: string[] = [];
		const turnover = createTurnover(PERIOD_MS, (key) => forgotten.push(key));
		for (let number = 0; number <= ORDERS_MAX; number += 1)
			turnover.add({ key: String(number), at: number, value: number === 0 ? '7' : '1' });
		expect(forgotten).toEqual(['0']);
		expect([turnover.has('0'), turnover.has('1')]).toEqual([false, true]);
		expect(turnover.until(1).value).toBe(String(ORDERS_MAX + 7));
	});
});
