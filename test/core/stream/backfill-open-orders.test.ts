import type { Item } from '@partner-exchange/core';
import { data, openStage, order } from './stage';

const ORDERS = { topics: ['user.orders'], batchMax: 1_000 };
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Orders placed one after the other until long ago, newest last. */
const resting = (now: number, count: number): Item[] =>
	Array.from({ length: count }, (_, index) =>
		order(`o${index}`, 'accepted', '0', {
			created_at: new Date(now - 3_600_000 - (count - index) * 100).toISOString(),
		}),
	);

describe('open orders', () => {
	it.each([
		['as many as can be stored', 2_000, 'o1000'],
		['more than can be stored', 2_600, 'o0'],
	])('%s are looked for after a restart, within bounded requests and time', async (_, count, ended) => {
		const stage = openStage({ pageMax: 100 });
		const before = stage.consume(ORDERS);
		await before.subscription.ready;
		const rows = resting(stage.time.now(), count);
		rows.forEach((row, index) => stage.sockets[0]!.say(data('user.orders', index + 1, row)));
		stage.lists['order.list'] = rows.toReversed();
		await stage.pass(2 * MINUTE_MS);
		await before.subscription.close();
		stage.lists['order.list'] = rows.map((row) => (row.id === ended ? { ...row, status: 'cancelled' } : row)).reverse();
		const reads = stage.reads.length;
		const after = stage.consume({ ...ORDERS, checkpoint: before.positions });
		await stage.pass(30 * SECOND_MS);
		expect(after.keys().filter((key) => key.includes('cancelled'))).toEqual([`order:${ended}:cancelled:0`]);
		expect(stage.reads.length - reads).toBeLessThan(150);
	});

	it('requests open orders that no list shows in turns', async () => {
		const stage = openStage();
		const seen = stage.consume({ ...ORDERS, filters: { statuses: ['cancelled'] } });
		await seen.subscription.ready;
		resting(stage.time.now(), 45).forEach((row, index) => stage.sockets[0]!.say(data('user.orders', index + 1, row)));
		stage.lists['order.get'] = [order('o3', 'cancelled'), order('o44', 'cancelled')];
		await stage.pass(3 * MINUTE_MS);
		expect(new Set(seen.keys())).toEqual(new Set(['order:o3:cancelled:0', 'order:o44:cancelled:0']));
	});

	it('delivers once that an open order was made smaller in place while nobody listened, under its own key', async () => {
		const stage = openStage();
		const at = (ms: number) => new Date(stage.time.now() + ms).toISOString();
		const first = stage.consume({ topics: ['user.orders'] });
		await first.subscription.ready;
		const resting = order('o1', 'accepted', '0', { price: '1500', created_at: at(0), updated_at: at(0) });
		stage.lists['order.list'] = [resting];
		stage.sockets[0]!.say(data('user.orders', 1, resting));
		await stage.pass(120_000);
		await first.subscription.close();
		await stage.pass(600_000);
		stage.lists['order.list'] = [{ ...resting, quantity: '20', updated_at: at(-1_000) }];
		const second = stage.consume({ topics: ['user.orders'], checkpoint: first.positions });
		await stage.pass(120_000);
		await second.subscription.close();
		const third = stage.consume({ topics: ['user.orders'], checkpoint: second.positions });
		await stage.pass(120_000);
		expect(first.keys()).toEqual(['order:o1:accepted:0']);
		expect(second.keys()).toEqual(['order:o1:accepted:0~1']);
		expect(third.keys()).toEqual([]);
	});
});
