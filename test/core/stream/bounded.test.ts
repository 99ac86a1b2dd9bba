import { createBoundedMap, createBoundedSet } from '../../../packages/core/src/stream/delivery/bounded';

describe('what remembers the latest of many', () => {
	it('keeps half of its size at least, and never more than all of it', () => {
		const map = createBoundedMap<number, string>(10);
		for (let key = 0; key < 100; key += 1) {
			map.set(key, `v${key}`);
			for (let recent = Math.max(0, key - 4); recent <= key; recent += 1) expect(map.get(recent)).toBe(`v${recent}`);
			if (key >= 10) expect(map.get(key - 10)).toBeUndefined();
		}
	});

	it('tells the latest value of a key', () => {
		const map = createBoundedMap<string, number>(4);
		map.set('a', 1);
		map.set('b', 2);
		map.set('a', 3);
		expect([map.get('a'), map.get('b')]).toEqual([3, 2]);
	});

	it('says whether it forgot anything', () => {
		const map = createBoundedMap<number, number>(4);
		for (let key = 0; key < 3; key += 1) map.set(key, key);
		expect([map.get(0), map.hasForgotten()]).toEqual([0, false]);
		map.set(3, 3);
		expect([map.get(0), map.hasForgotten()]).toEqual([undefined, true]);
	});

	it('keeps names the same way, and knows one that comes again only once', () => {
		const set = createBoundedSet(10);
		expect(set.has('n0')).toBe(false);
		for (let name = 0; name < 100; name += 1) {
			expect(set.add(`n${name}`)).toBe(true);
			expect(set.add(`n${name}`)).toBe(false);
			for (let recent = Math.max(0, name - 4); recent <= name; recent += 1) expect(set.has(`n${recent}`)).toBe(true);
			if (name >= 10) expect(set.has(`n${name - 10}`)).toBe(false);
		}
	});

	it('makes no room for a name that is there, unless it is said to be new', () => {
		const set = createBoundedSet(4);
		set.add('kept');
		for (let again = 0; again < 10; again += 1) set.add('kept');
		set.add('other');
		expect(set.has('kept')).toBe(true);
		const trusting = createBoundedSet(4);
		trusting.addNew('kept');
		for (let again = 0; again < 4; again += 1) trusting.addNew('other');
		expect(trusting.has('kept')).toBe(false);
	});

	it('keeps as many names that are said to be new, however many there are', () => {
		const set = createBoundedSet(2_000);
		const has = (names: readonly number[]) => names.map((name) => set.has(`n${name}`));
		for (let name = 0; name < 600; name += 1) set.addNew(`n${name}`);
		expect(has([0, 255, 256, 257, 511, 512, 599, 600])).toEqual([true, true, true, true, true, true, true, false]);
		for (let name = 600; name < 1_900; name += 1) set.addNew(`n${name}`);
		expect(has([0, 1_899])).toEqual([true, true]);
		for (let name = 1_900; name < 5_300; name += 1) set.addNew(`n${name}`);
		expect(has([3_299, 4_000, 4_999, 5_299])).toEqual([false, true, true, true]);
		expect(set.add('n5299')).toBe(false);
	});

	it('forgets all names at once', () => {
		const set = createBoundedSet(4);
		for (const name of ['a', 'b', 'c']) set.add(name);
		set.clear();
		expect(['a', 'b', 'c'].map(set.has)).toEqual([false, false, false]);
	});
});
