import fc from 'fast-check';
import { digestOf, identify, intentKey } from '../../../packages/core/src/orders/identity';

// A fixed seed, so that a rare failure belongs to the change that introduced it.
fc.configureGlobal({ seed: 1 });

describe('the identity of an intent', () => {
	it('is the same wherever it is derived', () => {
		expect(intentKey('create', 'invoice 7')).toBe('92284e04-68fc-8234-baef-1cc58d9b4dc9');
	});

	it('differs by action and name', () => {
		const keys = [
			intentKey('create', 'invoice 7'),
			intentKey('replace', 'invoice 7'),
			intentKey('create', 'invoice 8'),
		];
		expect(new Set(keys).size).toBe(3);
	});

	it('is a UUID whatever the name holds (security 42)', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (intent) => {
				expect(intentKey('create', intent)).toMatch(
					/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
				);
			}),
		);
	});

	it('does not let two names run together', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (one, other) => {
				expect(intentKey('create', one) === intentKey('create', other)).toBe(one === other);
			}),
		);
	});

	it('stands in every place the service looks for it, unless the user chose something else', () => {
		expect(identify({ quantity: '1' }, 'key', true)).toEqual({
			quantity: '1',
			idempotency_key: 'key',
			client_order_id: 'key',
		});
		expect(identify({ idempotency_key: 'mine' }, 'key', true)).toEqual({
			idempotency_key: 'mine',
			client_order_id: 'mine',
		});
		expect(identify({ client_order_id: 'my order' }, 'key', true)).toEqual({
			client_order_id: 'my order',
			idempotency_key: 'key',
		});
		expect(identify({ order_id: 'order-1' }, 'key', false)).toEqual({ order_id: 'order-1', idempotency_key: 'key' });
	});

	it('tells payloads apart by their digest', () => {
		expect(digestOf({ quantity: '1' })).toBe(digestOf({ quantity: '1' }));
		expect(digestOf({ quantity: '1' })).not.toBe(digestOf({ quantity: '1.0' }));
	});
});
