import fc from 'fast-check';
import { intentKey } from '../../../packages/core/src/wire/intent-key';

// A fixed seed, so that a rare failure belongs to the change that introduced it.
fc.configureGlobal({ seed: 1 });

describe('the identity of an intent', () => {
	it('derives the same identity for the same intent everywhere', () => {
		expect(intentKey('create', 'invoice 7')).toBe('92284e04-68fc-8234-baef-1cc58d9b4dc9');
	});

	it('derives a UUID whatever the name of an intent holds', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (intent) => {
				expect(intentKey('create', intent)).toMatch(
					/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
				);
			}),
		);
	});

	it('derives different identities for names that read the same when joined', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (name, other) => {
				expect(intentKey('create', name) === intentKey('create', other)).toBe(name === other);
			}),
		);
	});
});
