import { recordId } from '../../packages/core/src/input/record-id';

const order = { id: 'o1', client_order_id: 'c1', order_type: 'limit', status: 'accepted' };

describe('the identifier that a record gives a field', () => {
	it.each([
		['of a list', 'order_id', 'openOrder', order, 'o1'],
		['of an event', 'order_id', 'order', { id: 'o1', filled_quantity: '0.00' }, 'o1'],
		['as answered to a create', 'order_id', 'order', { order_id: 'o1', status: 'pending' }, 'o1'],
		[
			'as answered to a replace',
			'order_id',
			'openOrder',
			{ original_order_id: 'o0', order_id: 'o0', new_order_id: 'o1' },
			'o1',
		],
		['of a fill', 'order_id', 'order', { id: 'f1', order_id: 'o1', price: '1500.00' }, 'o1'],
		['of a recipient', 'recipient_id', 'recipient', { id: 'r1', recipient_type: 'fiat' }, 'r1'],
		['of a transaction', 'transaction_id', 'transaction', { id: 't1', rail: 'NGN', status: 'pending' }, 't1'],
		['of a change of a transaction', 'transaction_id', 'transaction', { id: 't1', previous_status: 'pending' }, 't1'],
		[
			'of a deposit with its transaction',
			'transaction_id',
			'transaction',
			{ status: 'pending', transaction: { id: 't1' } },
			't1',
		],
	] as const)('is found in the record %s', (_, name, pick, record, id) => {
		expect(recordId(name, { pick }, record)).toBe(id);
	});

	it('is not taken for a filter, which was left empty on purpose', () => {
		expect(recordId('order_id', { pick: 'order', optional: true }, order)).toBeUndefined();
	});

	it.each([
		['a row of somebody’s table', 'order_id', 'openOrder', { id: 17, status: 'open', customer: 'Ada' }],
		['a recipient, for an order', 'order_id', 'openOrder', { id: 'r1', recipient_type: 'fiat' }],
		['an order, for a recipient', 'recipient_id', 'recipient', order],
		['an order, for a transaction', 'transaction_id', 'transaction', order],
		['nothing', 'order_id', 'order', null],
		['text', 'order_id', 'order', 'o1'],
		['a list', 'order_id', 'order', [order]],
		['an order, for a field that is no identifier', 'pair_id', undefined, order],
		['an empty id', 'order_id', 'order', { ...order, id: '' }],
	] as const)('is not taken from %s', (_, name, pick, record) => {
		expect(recordId(name, pick === undefined ? {} : { pick }, record)).toBeUndefined();
	});
});
