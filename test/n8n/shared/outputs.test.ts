import type { StreamEvent } from '@partner-exchange/core';
import { itemOf } from '../../../nodes/shared/delivery/outputs';

const change: StreamEvent = {
	...{ topic: 'orderbook.USD_NGN', seq: 7, epoch: 'e', ts: null, delivery: 'live', eventKey: 'a' },
	data: { bids: [{ price: '1500.00', quantity: '0' }], asks: [] },
};

describe.each(['simple', 'whole'] as const)('the item of a change of an order book, output %s', (output) => {
	it('says that earlier changes may be missing, and of no other change', () => {
		expect(itemOf({ ...change, stale: true }, output).json).toMatchObject({ eventKey: 'a', stale: true });
		expect(itemOf(change, output).json).not.toHaveProperty('stale');
	});
});
