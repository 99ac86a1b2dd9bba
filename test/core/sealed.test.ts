import { seal, unseal } from '../../packages/core/src/sealed';

const value = { known: [['t1', 'pending', 5]], from: 3 };

it('opens what was sealed, as a value or as text, whatever order a store gave the fields', () => {
	const sealed = seal(value, 2);
	expect(unseal(sealed, 2)).toEqual({ is: 'sound', value });
	expect(unseal(JSON.stringify(sealed), 2)).toEqual({ is: 'sound', value });
	const { checksum, ...rest } = sealed;
	expect(unseal({ ...rest, value: { from: 3, known: value.known }, checksum }, 2).is).toBe('sound');
});

it.each([undefined, null])('tells what was never stored: %s', (stored) => {
	expect(unseal(stored, 2)).toEqual({ is: 'absent' });
});

it.each([
	['an empty file', ''],
	['a torn file', JSON.stringify(seal(value, 2)).slice(0, -5)],
	['zeros', '\0\0\0'],
	['an empty record', {}],
	['a list', [seal(value, 2)]],
	['a changed value', { ...seal(value, 2), value: { ...value, from: 4 } }],
	['a changed version', { ...seal(value, 2), version: 1 }],
	['no checksum', { version: 2, value }],
])('takes %s for damaged, never for nothing', (_, stored) => {
	expect(unseal(stored, 2)).toEqual({ is: 'damaged' });
});

it('tells a sound value of another version from a damaged one', () => {
	expect(unseal(seal(value, 1), 2)).toEqual({ is: 'other_version' });
});
