import type { Item } from '@partner-exchange/core';
import { data, fill, openStage, order } from './stage';

const SMALL = '0b7c4c52-9f0e-4c5a-8a3e-5f0c1d2e3f4a';
const CAPITAL = SMALL.toUpperCase();

/** A stage with a consumer that knows what the list shows. */
async function listening(topic: string, list: string, rows: Item[] = []) {
	const stage = openStage();
	stage.lists[list] = rows;
	const seen = stage.consume({ topics: [topic], batchMax: 100 });
	await seen.subscription.ready;
	await stage.pass(25_000);
	let seq = 0;
	const say = (row: Item) => stage.sockets.at(-1)!.say(data(topic, (seq += 1), row));
	return { ...stage, seen, say, rows: stage.lists[list] };
}

describe.each([
	['stream', CAPITAL, SMALL],
	['list', SMALL, CAPITAL],
])('an order whose identifier the %s writes in capitals', (_, live, row) => {
	const withId = (id: string, status: string): Item => order(id, status, status === 'filled' ? '10' : '0');

	it('tells each of its states once, under one key', async () => {
		const { say, rows, pass, seen } = await listening('user.orders', 'order.list');
		say(withId(live, 'accepted'));
		rows.push(withId(row, 'accepted'));
		await pass(60_000);
		say(withId(live, 'filled'));
		rows[0] = withId(row, 'filled');
		await pass(60_000);
		expect(seen.keys()).toEqual([`order:${SMALL}:accepted:0`, `order:${SMALL}:filled:10`]);
	});

	it('is known after a restart, and looked up as its service wrote it', async () => {
		const { say, pass, seen, consume, lists, requests } = await listening('user.orders', 'order.list');
		say(withId(live, 'accepted'));
		await pass(60_000);
		await seen.subscription.close();
		lists['order.get'] = [withId(live, 'filled')];
		requests.length = 0;
		const after = consume({ topics: ['user.orders'], checkpoint: seen.positions });
		await pass(60_000);
		expect(after.keys()).toEqual([`order:${SMALL}:filled:10`]);
		expect(requests).toContainEqual({ order_id: live });
	});
});

describe('fills of an order whose identifier they write in small letters', () => {
	it('add up to its filled quantity', async () => {
		const { say, pass, consume, sockets } = await listening('user.orders', 'order.list');
		const fills = consume({ topics: ['user.fills'] });
		await fills.subscription.ready;
		say(order(CAPITAL, 'filled', '10'));
		sockets.at(-1)!.say(data('user.fills', 1, fill('f1', SMALL)));
		await pass(120_000);
		expect(fills.keys()).toEqual([`fill:f1:${SMALL}`]);
	});
});

describe('a fill', () => {
	const whole = (id: string, of = 'order-1'): Item => ({ ...fill(id, of), price: '1500.00' });
	const orderless = (row: Item): Item => {
		const { order_id: _, ...rest } = row;
		return rest;
	};
	const nested = (row: Item): Item => ({ ...orderless(row), order: { id: row.order_id } });

	it.each([
		['the stream names no order', orderless, (row: Item) => row],
		['the list names no order', (row: Item) => row, orderless],
		['the stream nests its order', nested, (row: Item) => row],
		['the list nests its order', (row: Item) => row, nested],
	])('is told once where %s', async (_, live, listed) => {
		const { say, rows, pass, seen } = await listening('user.fills', 'fill.list');
		for (const id of ['f1', 'f2', 'f3']) {
			if (id !== 'f2') say(live(whole(id)));
			rows.unshift(listed(whole(id)));
			await pass(60_000);
		}
		expect(seen.events.map(({ data: row }) => (row as Item).id)).toEqual(['f1', 'f2', 'f3']);
	});

	it.each([
		['stream', orderless, (row: Item) => row],
		['list', (row: Item) => row, orderless],
	])('is told once after a restart where the %s names no order', async (_, live, listed) => {
		const { say, rows, pass, seen, consume } = await listening('user.fills', 'fill.list');
		say(live(whole('f1')));
		await pass(1_000);
		await seen.subscription.close();
		rows.push(listed(whole('f1')), listed(whole('f2')));
		const after = consume({ topics: ['user.fills'], checkpoint: seen.positions });
		await pass(120_000);
		expect(after.events.map(({ data: row }) => (row as Item).id)).toEqual(['f2']);
	});

	it('is another one than that of the same identifier of another order, which both nest', async () => {
		const { say, rows, pass, seen } = await listening('user.fills', 'fill.list');
		say(nested(whole('trade-1', 'buy')));
		rows.push(nested(whole('trade-1', 'buy')), nested(whole('trade-1', 'sell')));
		await pass(120_000);
		expect(seen.keys()).toEqual(['fill:trade-1:buy', 'fill:trade-1:sell']);
	});

	it('is another one than that of the same identifier of another order', async () => {
		const { say, rows, pass, seen } = await listening('user.fills', 'fill.list');
		say(whole('trade-1', 'buy'));
		say(whole('trade-1', 'sell'));
		rows.push(orderless(whole('trade-1')), orderless(whole('trade-1')));
		await pass(120_000);
		expect(seen.keys()).toEqual(['fill:trade-1:buy', 'fill:trade-1:sell']);
	});
});
