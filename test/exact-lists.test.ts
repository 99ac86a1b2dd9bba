describe('lists in the tests', () => {
	it.each([
		[['a', undefined], ['a']],
		[['a'], ['a', undefined]],
		[[['a', undefined]], [['a']]],
	])('lists of different length differ, even if the rest is undefined: %j', (entry, other) => {
		expect(() => expect(entry).toEqual(other)).toThrow(/toEqual/);
		expect(() => expect({ entry }).toMatchObject({ one: other })).toThrow(/toMatchObject/);
	});
});
