import { boundedGet, boundedMap, boundedSet } from '../../../packages/core/src/stream/bounded';

describe('what remembers the latest of many', () => {
	it('a bounded map keeps half of its size at least, and never more than all of it', () => {
		const map = boundedMap<number, string>(10);
		for (let key = 0; key < 100; key += 1) {
			boundedSet(map, key, `v${key}`);
			for (let recent = Math.max(0, key - 4); recent <= key; recent += 1)
				expect(boundedGet(map, recent)).toBe(`v${recent}`);
			if (key >= 10) expect(boundedGet(map, key - 10)).toBeUndefined();
		}
	});

	it('a bounded map returns the latest value of a key', () => {
		const map = boundedMap<string, number>(4);
		boundedSet(map, 'a', 1);
		boundedSet(map, 'b', 2);
		boundedSet(map, 'a', 3);
		expect([boundedGet(map, 'a'), boundedGet(map, 'b')]).toEqual([3, 2]);
	});
});
