/**
 * Jest holds ['a', undefined] equal to ['a'] (toEqual, toMatchObject). In the tests here, lists of different lengths
 * are different, so that nothing unexpected passes as undefined.
 */
expect.addEqualityTesters([
	(one, other) => (Array.isArray(one) && Array.isArray(other) && one.length !== other.length ? false : undefined),
]);
