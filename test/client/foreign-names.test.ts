import { success, useWire, wireClient } from '../support/wire';
import { resting } from '../support/placing';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';

/** Another package of the same process gives every object a name, as old libraries do. */
async function amongForeignNames<Result>(work: () => Promise<Result>): Promise<Result> {
	const all = Object.prototype as { clone?: unknown };
	all.clone = () => undefined;
	try {
		return await work();
	} finally {
		delete all.clone;
	}
}

describe('a package of the same process that gives every object a name', () => {
	const { wire } = useWire();
	beforeEach(() => {
		wire.on(CREATE, success({ order_id: 'order-1', status: 'pending' }));
		wire.on(LIST, success({ count: 0, orders: [] }));
	});

	it('sends the same bytes for an order and for a list whatever another package adds to every object', async () => {
		const options = { check_market: false };
		const both = async () => {
			const client = wireClient(wire);
			await client.order.create(resting, { intent: 'a', options });
			await client.order.list({ status: 'filled' });
		};
		await both();
		await amongForeignNames(both);
		const [create, list, createAgain, listAgain] = wire.received.map(({ path, body }) => ({ path, body }));
		expect(wire.received).toHaveLength(4);
		expect([createAgain, listAgain]).toEqual([create, list]);
	});
});
