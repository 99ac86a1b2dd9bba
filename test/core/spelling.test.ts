import { success, useWire } from '../support/wire';
import { data, openStage } from './stream/stage';

const LIST = 'GET /partner/exchange/orders';
const spellings = [
	['camelCase', { orderId: 'o1', filledQuantity: '4.00', avgFillPrice: '1500', status: 'filled', quantity: '4.00' }],
	['words with capitals', { OrderID: 'o1', Filled_Quantity: '4.00', Status: 'filled', QUANTITY: '4.00' }],
	['an id of its own', { id: 'row-7', order_id: 'o1', filled_quantity: '4.00', status: 'filled', quantity: '4.00' }],
] as const;

describe('an order with fields in another spelling', () => {
	const { wire, client } = useWire();

	it.each(spellings)('is told by a stream with %s like any other', async (_, order) => {
		const { stream, sockets, settled, consume } = openStage();
		const told = consume({ topics: ['user.orders'] });
		await settled();
		sockets[0]!.say(data('user.orders', 1, order));
		await settled();
		expect(told.events).toMatchObject([
			{ eventKey: 'order:o1:filled:4', data: { ...order, remaining_quantity: '0.00' } },
		]);
		await stream.close();
	});

	it.each(spellings)('is read from a list and alone with %s, and shows what came as well', async (_, order) => {
		wire.on(LIST, success({ totalCount: 1, orders: [order] }));
		wire.on('GET /partner/exchange/orders/o1', success({ order }));
		const known = { ...order, order_id: 'o1', filled_quantity: '4.00', remaining_quantity: '0.00', status: 'filled' };
		expect((await client.order.list({})).orders).toMatchObject([known]);
		expect(await client.order.get({ order_id: 'o1' })).toMatchObject({ order: known });
	});

	it('keeps a documented field as it is beside another spelling, and names that are not documented', async () => {
		const order = {
			id: 'o1',
			status: 'filled',
			Status: 'odd',
			filledQuantity: 2.5,
			QUANTITY: 10,
			myNote: 'x',
			replace: { replacesOrderId: 'o0' },
		};
		wire.on('GET /partner/exchange/orders/o1', success(order));
		expect(await client.order.get({ order_id: 'o1' })).toMatchObject({
			...{
				status: 'filled',
				Status: 'odd',
				filled_quantity: '2.5',
				quantity: '10',
				remaining_quantity: '7.5',
				myNote: 'x',
			},
			replace: { replacesOrderId: 'o0', replaces_order_id: 'o0' },
		});
		expect(await client.order.get({ order_id: 'o1' })).not.toHaveProperty('my_note');
	});

	it('takes the number of a record that its program adds, such as $id, for no identifier', async () => {
		wire.on(LIST, success({ orders: [{ $id: '7', Id: 'o1', Status: 'filled' }] }));
		expect((await client.order.list({})).orders).toMatchObject([{ id: 'o1', status: 'filled' }]);
	});
});
