import { inZone } from '../../nodes/shared/form/times';

describe('a time from the date picker', () => {
	it.each([
		['2026-01-31T12:00:00', 'Africa/Lagos', '2026-01-31T11:00:00.000Z'],
		['2026-07-01T12:00:00', 'America/New_York', '2026-07-01T16:00:00.000Z'],
		['2026-03-08T03:30:00', 'America/New_York', '2026-03-08T07:30:00.000Z'],
		['2026-03-08 01:30', 'America/New_York', '2026-03-08T06:30:00.000Z'],
		['2026-01-31T00:00:00', 'UTC', '2026-01-31T00:00:00.000Z'],
	])('reads the picked time %s in the zone of the workflow, %s', (value, zone, expected) => {
		expect(inZone(value, zone)).toBe(expected);
	});

	it.each([['2026-01-31T12:00:00Z'], ['2026-01-31T12:00:00+01:00'], ['yesterday'], [1_700_000_000_000]])(
		'keeps the zone of the picked time %p',
		(value) => {
			expect(inZone(value, 'Africa/Lagos')).toBe(value);
		},
	);
});
