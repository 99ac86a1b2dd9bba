describe('lists in the tests', () => {
	it.each([
		[['a', undefined], ['a']],
		[['a'], ['a', undefined]],
		[[['a', undefined]], [['a']]],
	])('differ where one is longer, although what it has more is undefined: %j', (one, other) => {
		expect(() => expect(one).toEqual(other)).toThrow(/toEqual/);
		expect(() => expect({ one }).toMatchObject({ one: other })).toThrow(/toMatchObject/);
	});
});
