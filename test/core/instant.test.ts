import { instantOf } from '../../packages/core/src/wire/payload';

const AT = Date.UTC(2026, 0, 5, 9);

describe('a time', () => {
	it.each<[string, unknown]>([
		['in seconds', AT / 1_000],
		['in milliseconds', AT],
		['in microseconds', AT * 1_000],
		['in nanoseconds', AT * 1_000_000],
		['in nanoseconds as text', `${AT}000000`],
		['as text with a zone', '2026-01-05T10:00:00+01:00'],
		['as text without a zone, which counts as UTC', '2026-01-05 09:00:00'],
	])('reads the time %s', (_, value) => {
		expect(instantOf(value)).toBe(AT);
	});

	it('keeps the fraction of a time in seconds to the millisecond', () => {
		expect(instantOf(AT / 1_000 + 0.1234)).toBe(AT + 123);
	});

	it('reads a time before 1970, and none that no calendar holds', () => {
		expect([instantOf(-5), instantOf(1e300), instantOf(-1e300), instantOf('9'.repeat(30))]).toEqual([
			...[-5_000, undefined, undefined, undefined],
		]);
	});
});
