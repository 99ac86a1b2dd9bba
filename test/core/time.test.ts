import { acceptValue } from '../../packages/core/src/input/value';

const field = { kind: 'timestamp', label: 'Created After', help: 'Only newer ones' } as const;
const read = (value: unknown): unknown => {
	const verdict = acceptValue(field, value);
	return 'value' in verdict ? verdict.value : undefined;
};

describe('a time that a person writes', () => {
	it.each([
		['2026-01-31', '2026-01-31T00:00:00.000Z'],
		['2026-01-31T14:30', '2026-01-31T14:30:00.000Z'],
		['2026-01-31 14:30:15', '2026-01-31T14:30:15.000Z'],
		['2026-01-31T14:30:15Z', '2026-01-31T14:30:15.000Z'],
		['2026-01-31t14:30:15.5z', '2026-01-31T14:30:15.500Z'],
		['2026-01-31T14:30:15.123456789Z', '2026-01-31T14:30:15.123Z'],
		['2026-01-31T14:30:15+01:00', '2026-01-31T13:30:15.000Z'],
		['2026-01-31T14:30:15-0330', '2026-01-31T18:00:15.000Z'],
		[' 2028-02-29 ', '2028-02-29T00:00:00.000Z'],
		[new Date(Date.UTC(2026, 0, 31)), '2026-01-31T00:00:00.000Z'],
		[Date.UTC(2026, 0, 31), '2026-01-31T00:00:00.000Z'],
	])('reads %p as one instant', (written, iso) => {
		expect(read(written)).toBe(iso);
	});

	it.each([
		...['05/11/2026', '5.11.2026', '05-11-2026', '11/05/2026', '2026/11/05', '2026-11-5', '20261105', 20261105],
		...'2026-02-30 2026-02-29 2026-13-01 2026-00-10 2026-01-31T24:00 2026-01-31T14:61 2026-01-31T23:59:60Z'.split(' '),
		...['yesterday', 'order 7', 'Nov 5 2026', '5 November 2026', '2026', '2026-11', 'Thu, 05 Nov 2026 10:00:00 GMT'],
		...[
			'2026-01-31T14:30+15:00',
			'2026-01-31T14:30 CET',
			'+2026-01-31',
			'1762300800',
			1_762_300_800,
			0,
			-1,
			1e20,
			Number.NaN,
		],
		...[new Date(Number.NaN), {}, [], true],
	])('is refused with an example where it could mean another day: %p', (written) => {
		expect(acceptValue(field, written)).toEqual({
			reason: expect.stringContaining('is not a time such as 2026-01-31 or 2026-01-31T14:30:00Z, but '),
		});
	});
});
