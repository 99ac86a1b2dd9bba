describe('lists in the tests', () => {
	it.each([
		[['a', undefined], ['a']],
		[['a'], ['a', undefined]],
		[[['a', undefined]], [['a']]],
	])('differ where one is longer, although what it has more is undefined: %j', (entry, other) => {
		expect(() => expect(entry).toEqual(other)).toThrow(/toEqual/);
		expect(() => expect({ entry }).toMatchObject({ one: other })).toThrow(/toMatchObject/);
	});
});
