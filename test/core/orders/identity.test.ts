import fc from 'fast-check';
import { identify } from '../../../packages/core/src/orders/identity';
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

	it('writes the identity wherever the service looks for it, unless the user chose another', () => {
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
});
