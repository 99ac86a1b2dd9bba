import type { Warning } from '@partner-exchange/core';
import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { reportDrift } from '../../packages/core/src/client/answer';

/** The warnings about a response, without the operation's name. */
function notesOn(id: OperationId, data: unknown, numbers: readonly string[] = []) {
	const operation = operationOf(id);
	const warnings: Warning[] = [];
	reportDrift(operation, data, numbers, { warn: (warning) => warnings.push(warning) });
	return warnings.map(({ kind, text }) => `${kind}: ${text.replace(`${operation.label}: `, '')}`);
}

const level = { price: '1500.00', quantity: '10.00' };

describe('what differs from the documentation', () => {
	it('reports no difference for an answer as documented', () => {
		expect(notesOn('order.list', { count: 1, orders: [{ id: 'o1', price: null, replace: null }] })).toEqual([]);
		expect(notesOn('recipient.list', [{ id: 'r1' }])).toEqual([]);
		expect(notesOn('order.create', { order_id: 'o1', status: 'pending', created_at: 'now' })).toEqual([]);
		expect(notesOn('market.orderBook', { pair_id: 'USD/NGN', bids: [level], asks: [], sequence: 3 })).toEqual([]);
	});

	it('reports an additional field wherever it stands, as news', () => {
		expect(notesOn('order.create', { order_id: 'o1', fee: 1, constructor: 2 })).toEqual([
			'news: fee is not documented',
			'news: constructor is not documented',
		]);
		expect(notesOn('wallet.balances', { balances: [{ bonus: '1' }], credit: { rate: '2' } })).toEqual([
			'news: balances.bonus is not documented',
			'news: credit.rate is not documented',
		]);
	});

	it('reports no additional field where fields are not shown', () => {
		expect(notesOn('order.get', { id: 'o1', fee: '1', replace: { by: 'o2' } })).toEqual([]);
		expect(notesOn('market.ticker', { length: 2, bid: 1, best: { of: 1 } })).toEqual([]);
	});

	it('reports an amount that came as a number, and turns it into text in place', () => {
		const book = {
			bids: [{ price: 1500.1, quantity: '1.00' }],
			asks: [null, 'none', [1], { price: 1e-7 }],
			sequence: 3,
		};
		expect(notesOn('market.orderBook', book)).toEqual([
			'drift: bids.price is documented as text and came as a number',
			'drift: asks.price is documented as text and came as a number',
		]);
		expect(book).toEqual({
			bids: [{ price: '1500.1', quantity: '1.00' }],
			asks: [null, 'none', [1], { price: '0.0000001' }],
			sequence: 3,
		});
		const balances = { balances: [{ available: 5, currency: 7 }], credit: { credit_used: 2 } };
		expect(notesOn('wallet.balances', balances)).toHaveLength(2);
		expect(balances).toEqual({ balances: [{ available: '5', currency: 7 }], credit: { credit_used: '2' } });
	});

	it('reports an amount as a number also where it may be missing, and where fields are not shown', () => {
		const order = { id: 'o1', avg_fill_price: 1500 };
		expect(notesOn('order.get', order)).toEqual(['drift: avg_fill_price is documented as text and came as a number']);
		expect(order.avg_fill_price).toBe('1500');
	});

	it('reports a number whose text was kept while the answer was read', () => {
		expect(notesOn('order.get', { id: 'o1' }, ['price', 'price'])).toEqual([
			'drift: price came as a number and is passed on as text, with the same digits',
		]);
	});

	it.each([
		['order.list', [{ id: 'o1' }], ['drift: the list is documented under orders and came as a bare array']],
		['order.list', { items: [{ id: 'o1' }] }, ['drift: the list is documented under orders and is not there']],
		['order.list', { orders: null }, ['drift: the list is documented under orders and is not there']],
		['recipient.list', { recipients: [] }, ['drift: the list is documented as a bare array and came inside an object']],
		['fill.list', [{ id: 'f1', fee: '1' }], []],
		['fill.list', { rows: [] }, []],
	] as const)('reports where the list of %s stands in %j', (id, data, notes) => {
		expect(notesOn(id, data)).toEqual(notes);
	});

	it.each([null, 'text', 7, [], [[1]]])('looks for no difference in %j, which is no record', (data) => {
		expect(notesOn('wallet.balances', data)).toEqual([]);
		expect(notesOn('order.get', { replace: data, price: null })).toEqual([]);
	});

	it('reports a word that a filter does not know, as news', () => {
		const orders = [{ status: 'paused', side: 'buy' }, { status: 'filled' }, { status: 3 }];
		expect(notesOn('order.list', { orders })).toEqual(['news: status paused is not documented']);
	});

	it('reports at most ten differences in one call', () => {
		const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field_${index}`, 1]));
		expect(notesOn('order.create', many)).toHaveLength(10);
	});

	it('changes an answer alike without a listener', () => {
		const order = { price: 5 };
		reportDrift(operationOf('order.get'), order, [], {});
		expect(order).toEqual({ price: '5' });
	});
});
