import { createBoundedMap } from '../../../../packages/core/src/stream/ledger/bounded';

describe('what remembers the latest of many', () => {
	it('a bounded map keeps half of its size at least, and never more than all of it', () => {
		const map = createBoundedMap<number, string>(10);
		for (let key = 0; key < 100; key += 1) {
			map.set(key, `v${key}`);
			for (let recent = Math.max(0, key - 4); recent <= key; recent += 1) expect(map.get(recent)).toBe(`v${recent}`);
			if (key >= 10) expect(map.get(key - 10)).toBeUndefined();
		}
	});

	it('a bounded map returns the latest value of a key', () => {
		const map = createBoundedMap<string, number>(4);
		map.set('a', 1);
		map.set('b', 2);
		map.set('a', 3);
		expect([map.get('a'), map.get('b')]).toEqual([3, 2]);
	});
});
