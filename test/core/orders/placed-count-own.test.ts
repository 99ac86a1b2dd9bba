import { type Item } from '@partner-exchange/core';
import { CLOCKS_DIFFER_MS } from '../../../packages/core/src/orders/handlers/create';
import { account, BEGAN, HOUR_MS, PAGE, row, timeOf } from './placed-count-stage';

describe('the orders of this process', () => {
	it('counts an order of this process once when the list or the stream shows it before the answer', async () => {
		const counting = account({ ordersPerDay: 3 }, () => []);
		await counting.place();
		counting.limits.orderShown(row(1, 0, { client_order_id: 'mine-1' }));
		counting.limits.orderShown({ order_id: 'order-1', status: 'pending', created_at: timeOf(BEGAN) }, 'key-1');
		expect([await counting.place(), await counting.place()]).toEqual(['placed', 'placed']);
		expect(await counting.place()).toContain('has placed 3');
	});

	it('counts a replaced order once when its successor appears under the same name', async () => {
		const counting = account({ ordersPerDay: 3 }, () => []);
		await counting.place();
		counting.limits.orderShown({ order_id: 'order-1' }, 'key-1');
		await counting.place({ kind: 'replace' });
		counting.limits.orderShown(row(2, 0, { client_order_id: 'mine-1' }));
		expect(await counting.place()).toContain('has placed 3');
		counting.limits.orderShown({ original_order_id: 'order-1', new_order_id: 'order-2' }, 'key-2');
		expect(await counting.place()).toBe('placed');
	});

	it('counts an order from the stream in whatever shape it arrives', async () => {
		const counting = account({ valuePerDay: '100' }, () => []);
		await counting.place({ price: undefined });
		const market = row(1, 0, { client_order_id: 'mine-1', order_type: 'market', price: null, avg_fill_price: '91' });
		counting.limits.orderShown({ order: market });
		expect(await counting.place()).toContain('would make it 101');
		for (const odd of [{}, { id: 'order-2' }, row(3, 0, { created_at: null }), row(4, 25 * HOUR_MS)])
			counting.limits.orderShown(odd);
		expect(await counting.place({ price: '9' })).toBe('placed');
	});

	it('measures how far the times of orders lag behind the dates of the service', async () => {
		const all: Item[] = [];
		const counting = account({ ordersPerMinute: 3 }, () => all);
		await counting.place();
		const created_at = timeOf(BEGAN - CLOCKS_DIFFER_MS);
		counting.limits.orderShown({ order_id: 'order-1', created_at }, 'key-1');
		counting.pass(60_000);
		all.push(...[8, 9, 10].map((number) => row(number, CLOCKS_DIFFER_MS - 30_000)));
		expect(await counting.place()).toContain('has placed 3');
	});

	it('counts an order under a name of this process at what the service shows, and never at less than was sent', async () => {
		const counting = account({ valuePerDay: '100' }, () => []);
		await counting.place();
		counting.limits.orderShown(row(1, 0, { client_order_id: 'mine-1', quantity: '0.5' }));
		expect(await counting.place({ quantity: '9.1' })).toContain('would make it 101');
		counting.limits.orderShown(row(1, 0, { client_order_id: 'mine-1', quantity: '5' }));
		expect(await counting.place({ quantity: '5.1' })).toContain('would make it 101');
	});

	it('reads what others placed before it sends again what the journal holds', async () => {
		const counting = account({ ordersPerDay: 1 }, () => []);
		const again = { key: 'one that was sent' };
		expect(await counting.place(again)).toBe('placed');
		counting.pass(HOUR_MS);
		counting.source.read = () => Promise.resolve({ orders: [row(1, -HOUR_MS / 2)] });
		expect(await counting.place(again)).toContain('The account may place 1 order per 24 hours');
	});

	it('keeps the times of orders where an answer shows none', async () => {
		const all = [row(5, 25 * HOUR_MS)];
		const counting = account({ ordersPerDay: 2 }, () => all);
		await counting.place();
		counting.limits.orderShown({ order_id: 'order-1' }, 'key-1');
		counting.pass(60_000);
		expect(await counting.place()).toBe('placed');
	});

	it('counts an order under the name of one that it has forgotten', async () => {
		const counting = account({ ordersPerDay: 1 }, () => []);
		expect(await counting.place()).toBe('placed');
		counting.pass(24 * HOUR_MS);
		counting.limits.configure({ ordersPerDay: 2 });
		expect(await counting.place()).toBe('placed');
		counting.limits.orderShown(row(7, -24 * HOUR_MS, { client_order_id: 'mine-1' }));
		expect(await counting.place()).toContain('has placed 2');
	});

	it('forgets the count under another key and reads again', async () => {
		const counting = account({ ordersPerDay: 1 }, () => []);
		await counting.place();
		expect(await counting.place()).toContain('has placed 1');
		counting.source.owner = { ...counting.source.owner, key: 'another' };
		expect(await counting.place()).toBe('placed');
	});

	it('reads the whole day again when a limit per minute becomes one per day', async () => {
		const all = Array.from({ length: 3 * PAGE }, (_, number) => row(number, (number + 2) * 60_000));
		const counting = account({ ordersPerMinute: 5 }, () => all);
		expect(await counting.place()).toBe('placed');
		counting.limits.configure({ ordersPerDay: 2.5 * PAGE });
		expect(await counting.place()).toContain(`may place ${2.5 * PAGE} orders`);
	});

	it('values what was counted before when a limit in value comes', async () => {
		const market = row(1, 0, { order_type: 'market', price: null, status: 'pending', filled_quantity: '0' });
		const counting = account({ ordersPerDay: 5 }, () => [market]);
		expect(await counting.place()).toBe('placed');
		counting.limits.configure({ valuePerDay: '25' });
		expect(await counting.place()).toContain('would make it 30');
	});

	it('counts under a limit the orders that the journal holds of this account, and of no other one', async () => {
		const entry = { operation: 'order.create', at: BEGAN, fields: { quantity: '1', price: '10' } } as const;
		const counting = account({ ordersPerDay: 2 }, () => []);
		const { owner } = counting.source;
		const all = [
			{ ...entry, key: 'ours', account: owner },
			{ ...entry, key: 'of another address', account: { ...owner, address: 'http://127.0.0.2' } },
			{ ...entry, key: 'of another key', account: { ...owner, key: 'another' } },
		];
		counting.source.journal = {
			record: () => Promise.resolve(),
			close: () => Promise.resolve(),
			open: () => Promise.resolve(all),
		};
		expect(await counting.place()).toBe('placed');
		expect(await counting.place()).toContain('has placed 2');
	});

	it('learns nothing of the clocks from an order that an earlier process sent', async () => {
		const all: Item[] = [];
		const counting = account({ ordersPerMinute: 2 }, () => all);
		expect(await counting.place()).toBe('placed');
		counting.limits.orderShown(row(1, HOUR_MS), 'key of before');
		counting.pass(60_000);
		all.push(row(2, HOUR_MS / 2), row(3, HOUR_MS / 2));
		expect(await counting.place()).toBe('placed');
	});
});
