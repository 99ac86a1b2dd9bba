import type { Item } from '@partner-exchange/core';
import {
	isAsked,
	isNamedByOthers,
	isSuccessor,
	mayBeSuccessor,
	successorOf,
} from '../../../packages/core/src/orders/lookup';

const EARLIER = '2026-01-31T11:00:00.000Z';
const SENT = '2026-01-31T12:00:00.000Z';
const fields = { order_id: 'order-1', client_order_id: 'mine', quantity: '20.00', price: '1390.00' };
const original: Item = {
	...{ id: 'order-1', client_order_id: 'old', pair_id: 'USD/NGN', side: 'buy', order_type: 'limit' },
	...{ quantity: '20.00', price: '1400.00', filled_quantity: '4.00', status: 'cancelled', created_at: SENT },
};
const next: Item = { ...original, id: 'order-2', client_order_id: null, price: '1390', filled_quantity: '0' };
const replacing = (id: string | null): Item => ({ replace: { replaces_order_id: id } });

describe('the successor an order names', () => {
	it('reads the successor of an order from its links, and none where they are missing or null (checklist 25)', () => {
		expect(successorOf({ replace: { replaced_by_order_id: 'order-2' } })).toBe('order-2');
		for (const replace of [null, undefined, 'order-2', ['order-2'], { replaced_by_order_id: null }])
			expect(successorOf({ replace })).toBeUndefined();
	});
});

describe('an order under a name of somebody else', () => {
	it.each([
		['theirs', original, true],
		['mine', original, false],
		['old', original, false],
		[null, original, false],
		['theirs', { ...original, client_order_id: null }, false],
	])("the client order ID %j proves another's order only beside the name of the original", (name, replaced, proved) => {
		expect(isNamedByOthers({ ...next, client_order_id: name }, replaced, fields)).toBe(proved);
	});
});

describe('an order known by what was asked for', () => {
	it.each([
		['shows the price and the quantity', {}, true],
		['shows the quantity that was still open', { quantity: '16.00' }, true],
		['shows no quantity', { quantity: null }, true],
		['is named like the original', { client_order_id: 'old' }, true],
		['shows another price', { price: '1390.01' }, false],
		['shows no price', { price: null }, false],
		['shows another quantity', { quantity: '19.99' }, false],
		['shows less than was open', { quantity: '15.99' }, false],
		['has a strange name', { client_order_id: 'theirs' }, false],
	])('recognizes a successor by its values: an order that %s', (_, row, expected) => {
		expect(isAsked({ ...next, ...row }, original, fields)).toBe(expected);
	});

	it('recognizes a partly filled successor where the original shows no filled quantity', () => {
		const unshown = { ...original, filled_quantity: null };
		expect(isAsked(next, unshown, fields)).toBe(true);
		expect(isAsked({ ...next, quantity: '16.00' }, unshown, fields)).toBe(false);
	});

	it('recognizes a successor of any quantity where none was sent', () => {
		const { order_id, price } = fields;
		expect(isAsked({ ...next, quantity: '3' }, original, { order_id, price })).toBe(true);
	});
});

describe('an order that may be the successor', () => {
	it.each([
		['has no name and asks for the same', {}, true],
		['has our name, whatever it asks for', { client_order_id: 'mine', price: '1' }, true],
		['has the name of the original, whatever it asks for', { client_order_id: 'old', price: '1' }, true],
		['is linked to the original, whatever it asks for', { ...replacing('order-1'), price: '1' }, true],
		['shows no link', replacing(null), true],
		['is as old as the original', { created_at: SENT }, true],
		['shows no time', { created_at: null }, true],
		['is the original', { id: 'order-1' }, false],
		['is older than the original', { created_at: EARLIER }, false],
		['is older, under our name', { created_at: EARLIER, client_order_id: 'mine' }, false],
		['replaces another one', replacing('order-0'), false],
		['replaces another one under our name', { ...replacing('order-0'), client_order_id: 'mine' }, false],
		['has a name of its own', { client_order_id: 'theirs' }, false],
		['has a name of its own and a link', { ...replacing('order-1'), client_order_id: 'theirs' }, false],
		['has no name and another price', { price: '1391' }, false],
		['has no name and another quantity', { quantity: '21' }, false],
		['has no name and is of another pair', { pair_id: 'EUR/NGN' }, false],
		['has no name and is of another side', { side: 'sell' }, false],
		['has no name and is of another type', { order_type: 'market' }, false],
	])('an order may be the successor that %s: %j is %s', (_, row, expected) => {
		expect(mayBeSuccessor({ ...next, ...row }, original, fields)).toBe(expected);
	});

	it.each([
		['shows neither', {}],
		['shows none of', { client_order_id: null, pair_id: null, side: null, order_type: null, created_at: null }],
	])(
		'an order may be the successor by the same values, if the original %s name, market, side, type and time',
		(_, row) => {
			const bare = { id: 'order-1', ...row };
			expect(mayBeSuccessor(next, bare, fields)).toBe(true);
			expect(mayBeSuccessor({ ...next, client_order_id: 'theirs' }, bare, fields)).toBe(true);
			expect(mayBeSuccessor({ ...next, price: '1391' }, bare, fields)).toBe(false);
			expect(mayBeSuccessor({ ...next, client_order_id: 'theirs', price: '1391' }, bare, fields)).toBe(false);
		},
	);
});

describe('an order that is the successor', () => {
	it.each([
		['has our name', { client_order_id: 'mine' }, true],
		['has our name and another price', { client_order_id: 'mine', price: '1391' }, true],
		['is linked and asks for the same', replacing('order-1'), true],
		['has the name of the original and asks for the same', { client_order_id: 'old' }, true],
		['is linked and asks for something else', { ...replacing('order-1'), price: '1391' }, false],
		['has the name of the original and asks for something else', { client_order_id: 'old', price: '1391' }, false],
		['asks for the same, without a name or link', {}, false],
		['has a strange name and asks for the same', { client_order_id: 'theirs' }, false],
	])('an order is the successor that %s: %j is %s', (_, row, expected) => {
		expect(isSuccessor({ ...next, ...row }, original, fields)).toBe(expected);
	});

	it('needs more than our name for a successor where the original has the same name', () => {
		const ours = { ...original, client_order_id: 'mine' };
		const named = { ...next, client_order_id: 'mine' };
		expect(isSuccessor({ ...named, price: '1391' }, ours, fields)).toBe(false);
		expect(isSuccessor(named, ours, fields)).toBe(true);
		expect(isSuccessor({ ...named, ...replacing('order-1'), price: '1391' }, ours, fields)).toBe(true);
	});

	it('does not treat a nameless order as the successor of a nameless original', () => {
		expect(isSuccessor(next, { ...original, client_order_id: null }, fields)).toBe(false);
	});
});
