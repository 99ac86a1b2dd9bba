import type { Item } from '@partner-exchange/core';
import { eventFilter } from '../../../packages/core/src/stream/filter';
import { orders } from '../../../packages/core/src/stream/topics/orders';

describe('a filter', () => {
	const item = { side: 'buy', pair_id: 'USD/NGN', quantity: '10.0' };
	const event = (more: Item = {}) => ({ key: 'k', data: {}, item: { ...item, ...more } });

	it.each<[object, Item, boolean]>([
		[{}, {}, true],
		[{ sides: [] }, {}, true],
		[{ sides: ['buy', 'x'] }, {}, true],
		[{ sides: ['sell'] }, {}, false],
		[{ sides: ['Buy'], pairs: ['usd/ngn'] }, {}, true],
		[{ pairs: ['USD_NGN'] }, {}, true],
		[{ sides: ['sell'] }, { side: undefined }, true],
		[{ pairs: ['EUR/NGN'] }, {}, false],
		[{ pairs: ['USD/NGN'], sides: ['sell'] }, {}, false],
		[{ statuses: ['filled'] }, {}, true],
		[{ minQuantity: '10' }, {}, true],
		[{ minQuantity: ' 10.01 ' }, {}, false],
		[{ minQuantity: '11' }, { quantity: 'much' }, true],
		[{ minQuantity: '' }, { quantity: '0' }, true],
	])('the filter %j passes %j: %p', (filters, more, passes) => {
		expect(eventFilter(filters)(event(more), 'user.fills')).toBe(passes);
	});

	it('a filter of statuses is for orders, and one of pairs for topics too', () => {
		expect(
			eventFilter({ statuses: ['filled'] })(
				orders.identify({ id: 'a', status: 'accepted', filled_quantity: '0' })!,
				'user.orders',
			),
		).toBe(false);
		const spelt = orders.identify({ id: 'a', status: 'Partially Filled', filled_quantity: '1' })!;
		expect(eventFilter({ statuses: ['partially_filled'] })(spelt, 'user.orders')).toBe(true);
		expect(eventFilter({ minQuantity: '1' })({ key: 'k', data: {} }, 'user.fills')).toBe(true);
		const passes = (pairs: string[]) => (topic: string) => eventFilter({ pairs })({ key: 'k', data: {} }, topic);
		expect(['trades.USD_NGN', 'trades.EUR_NGN', 'user.fills', 'trades.*'].map(passes(['USD/NGN']))).toEqual([
			...[true, false, true, true],
		]);
		expect(passes(['usd_ngn'])('trades.USD_NGN')).toBe(true);
		expect(passes([])('trades.EUR_NGN')).toBe(true);
	});
});
