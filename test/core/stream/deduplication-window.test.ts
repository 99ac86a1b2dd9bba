import {
	createDeduplicationWindow,
	latest,
	numberOf,
	readStoredKeys,
} from '../../../packages/core/src/stream/delivery/deduplication';
import { STORED_KEYS_MAX } from '../../../packages/core/src/stream/limits';

const LENGTH = 10;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
/** A window with the keys `k0`, `k1` and so on, each at the position of its number. */
function windowOf(count: number, keysMax: number) {
	const window = createDeduplicationWindow({}, keysMax);
	for (const number of upTo(count)) window.add(`k${number}`, number);
	return window;
}
/** Which of this many keys the next run knows. */
function known(stored: ReturnType<ReturnType<typeof windowOf>['stored']>, count: number): number[] {
	const next = createDeduplicationWindow(stored, 1_000);
	return upTo(count).filter((number) => next.had(`k${number}`));
}

describe('the keys of what was taken', () => {
	it('are known in the next run, and not yet in this one', () => {
		const window = windowOf(3, 1_000);
		expect(window.had('k1')).toBe(false);
		const stored = window.stored(undefined);
		expect(stored).toEqual({ keys: expect.any(String), until: 2 });
		expect(stored.keys).toHaveLength(3 * LENGTH);
		expect(known(stored, 5)).toEqual([0, 1, 2]);
	});

	it('are digested once, when they are asked for', () => {
		const window = windowOf(2, 1_000);
		expect(window.undigested()).toBe(2);
		expect(window.storedSoFar(undefined)).toEqual({ keys: '', until: 1 });
		const { keys } = window.stored(undefined);
		expect(window.undigested()).toBe(0);
		window.add('k2', 2);
		expect(window.storedSoFar(undefined)).toEqual({ keys, until: 2 });
		expect(window.stored(undefined).keys).toMatch(new RegExp(`^${keys!}.{${LENGTH}}$`));
	});

	it('are added to those of the run before', () => {
		const window = createDeduplicationWindow(windowOf(3, 1_000).stored(undefined), 1_000);
		window.add('k3', 3);
		expect(known(window.stored(undefined), 5)).toEqual([0, 1, 2, 3]);
	});

	it('are the youngest of too many, and say how far the others reached', () => {
		const stored = windowOf(1_200, 1_000).stored(undefined);
		expect(stored).toMatchObject({ until: 1_199, forgotten: 199 });
		expect(known(stored, 1_200)).toEqual(upTo(1_200).slice(200));
	});

	it('are cut only where a hundred can go', () => {
		const most = windowOf(1_099, 1_000).stored(undefined);
		expect(most.keys).toHaveLength(1_099 * LENGTH);
		expect(most).not.toHaveProperty('forgotten');
		expect(windowOf(1_100, 1_000).stored(undefined)).toMatchObject({ forgotten: 99 });
		expect(windowOf(30, 20).stored(undefined).keys).toHaveLength(30 * LENGTH);
		expect(windowOf(40, 20).stored(undefined).keys).toHaveLength(20 * LENGTH);
	});

	it('of what readings leave alone go first, down to 500', () => {
		expect(windowOf(900, 1_000).stored(700)).toMatchObject({ forgotten: 399 });
		expect(windowOf(900, 1_000).stored(300)).toMatchObject({ forgotten: 299 });
		expect(windowOf(900, 1_000).stored(99)).not.toHaveProperty('forgotten');
		expect(windowOf(900, 1_000).stored(100)).toMatchObject({ forgotten: 99 });
		expect(windowOf(499, 1_000).stored(1_000)).not.toHaveProperty('forgotten');
	});

	it('that stand nowhere count as old', () => {
		const window = createDeduplicationWindow({}, 1_000);
		for (const number of upTo(700)) window.add(`k${number}`, undefined);
		const stored = window.stored(5);
		expect(stored.keys).toHaveLength(500 * LENGTH);
		expect(stored).not.toHaveProperty('until');
		expect(stored).not.toHaveProperty('forgotten');
		expect(known(stored, 700)).toEqual(upTo(700).slice(200));
	});

	it('of a run before all count as young as the youngest of them', () => {
		const before = windowOf(700, 1_000).stored(undefined);
		const window = createDeduplicationWindow(before, 1_000);
		expect(window.stored(699).keys).toHaveLength(700 * LENGTH);
		expect(window.stored(700).keys).toHaveLength(500 * LENGTH);
		expect(window.forgotten()).toBe(699);
	});

	it('are bounded though nobody asks for what is stored', () => {
		const window = windowOf(19, 10);
		expect(window.undigested()).toBe(19);
		window.add('k19', 19);
		expect(window.undigested()).toBe(10);
		expect(window.forgotten()).toBe(9);
		expect(known(window.stored(undefined), 20)).toEqual(upTo(20).slice(10));
	});

	it('may be let go unseen', () => {
		const window = createDeduplicationWindow({ forgotten: 5 }, 1_000);
		window.forget(undefined);
		expect(window.forgotten()).toBe(5);
		window.forget(3);
		expect(window.forgotten()).toBe(5);
		window.forget(8);
		expect(window.stored(undefined)).toEqual({ keys: '', forgotten: 8 });
	});

	it.each([
		[
			{ keys: 'a'.repeat(20), until: 5, forgotten: 0 },
			{ keys: 'a'.repeat(20), until: 5, forgotten: 0 },
		],
		[{ keys: 'a'.repeat(21), until: '5', forgotten: null }, { keys: '' }],
		[{ keys: ['a'.repeat(10)] }, { keys: '' }],
		[{}, { keys: '' }],
	])('are read from %j', (given, read) => {
		expect(readStoredKeys(given)).toEqual({ until: undefined, forgotten: undefined, ...read });
	});

	it('are never more than the limit, the youngest, however many were stored', () => {
		const digest = (number: number) => String(number).padStart(LENGTH, '0');
		const keys = upTo(STORED_KEYS_MAX + 5_000).map(digest);
		const kept = readStoredKeys({ keys: keys.join('') }).keys!;
		expect(kept.length / LENGTH >= STORED_KEYS_MAX && kept.length / LENGTH < STORED_KEYS_MAX + 1_000).toBe(true);
		expect(kept.endsWith(keys.at(-1)!)).toBe(true);
	});
});

describe('places', () => {
	it('are compared where both are told', () => {
		expect([latest(1, 2), latest(2, 1), latest(2, 2), latest(undefined, 1), latest(1, undefined)]).toEqual([
			2, 2, 2, 1, 1,
		]);
		expect(latest(undefined, undefined)).toBeUndefined();
	});

	it('are numbers', () => {
		expect([0, -1.5, '1', Number.NaN, Infinity, null].map(numberOf)).toEqual([0, -1.5, ...Array<undefined>(4)]);
	});
});
