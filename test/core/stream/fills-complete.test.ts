import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, fill, openStage, order } from './stage';

const BOTH = { topics: ['user.orders', 'user.fills'] };
const MINUTE_MS = 60_000;

describe('the fills of an order add up to what it says was filled', () => {
	const notices = (events: { kind?: string; data: unknown }[]) =>
		events.filter(({ kind }) => kind === 'incomplete_fills').map(({ data: payload }) => payload as Item);
	const readOf = (requests: Item[], id: string) => requests.filter(({ order_id }) => order_id === id);

	it('reports fills that do not add up to their order, after every fill of the order was read', async () => {
		const { sockets, lists, requests, consume, pass } = openStage();
		const seen = consume(BOTH);
		await seen.subscription.ready;
		lists['order.list'] = [order('o1', 'filled', '30')];
		lists['fill.list'] = [fill('f1', 'o1', '10'), fill('other', 'o2', '20')];
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '10')));
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(2 * MINUTE_MS);
		expect(notices(seen.events)).toEqual([
			{
				...{ order_id: 'o1', pair_id: 'USD/NGN', expected: '30', counted: '10', missing: '20', fills_known: 1 },
				done: 'read',
			},
		]);
		expect(readOf(requests, 'o1')).toEqual([
			expect.objectContaining({ offset: 0 }),
			expect.objectContaining({ offset: 2 }),
		]);
		const report = seen.events.find(({ kind }) => kind === 'incomplete_fills');
		expect(report).toMatchObject({ topic: 'user.fills', eventKey: 'incomplete_fills:o1:30:10' });
	});

	it('reports no incomplete fills if fills come late, or before their order, or with many digits', async () => {
		const { sockets, lists, requests, consume, pass } = openStage();
		const seen = consume(BOTH);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '0.1')));
		sockets[0]!.say(data('user.orders', 1, order('o1', 'partially_filled', '0.10')));
		sockets[0]!.say(data('user.orders', 2, order('o1', 'filled', '0.300000000000000001')));
		await pass(25_000);
		sockets[0]!.say(data('user.fills', 2, fill('f3', 'o1', '0.100000000000000001')));
		lists['fill.list'] = [fill('f2', 'o1', '0.1'), fill('f1', 'o1', '0.1')];
		await pass(2 * MINUTE_MS);
		expect(notices(seen.events)).toEqual([]);
		expect(seen.keys()).toContain('fill:f2:o1');
		expect(readOf(requests, 'o1')).toHaveLength(2);
	});

	it('adds up no fills of orders that ended before orders were subscribed', async () => {
		const { lists, requests, consume, pass } = openStage();
		lists['order.list'] = Array.from({ length: 50 }, (_, index) => order(`old ${index}`, 'filled', '30'));
		const seen = consume(BOTH);
		await seen.subscription.ready;
		await pass(2 * MINUTE_MS);
		expect(seen.events).toEqual([]);
		expect(requests.filter(({ order_id }) => order_id !== undefined)).toEqual([]);
	});

	it('asks for no fills of orders that its checkpoint knows as they are', async () => {
		const before = openStage();
		const first = before.consume({ ...BOTH, batchMax: 10 });
		await first.subscription.ready;
		const orders = [1, 2, 3].map((number) => order(`o${number}`, 'partially_filled', '10'));
		orders.forEach((row, index) => before.sockets[0]!.say(data('user.orders', index + 1, row)));
		before.sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '10')));
		await before.settled();
		await first.subscription.close();
		const { lists, requests, consume, pass } = openStage();
		lists['order.list'] = [order('o1', 'filled', '20'), ...orders.slice(1)];
		const again = consume({ ...BOTH, batchMax: 10, checkpoint: first.positions });
		await again.subscription.ready;
		await pass(2 * MINUTE_MS);
		const named = requests.map(({ order_id }) => order_id).filter((id) => id !== undefined);
		expect(new Set(named)).toEqual(new Set(['o1']));
	});

	it('counts what was filled before anybody followed the orders, by reading it', async () => {
		const { sockets, lists, requests, consume, pass } = openStage();
		const fills = consume({ topics: ['user.fills'] });
		await fills.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '10')));
		await pass(1_000);
		const orders = consume({ topics: ['user.orders'] });
		await orders.subscription.ready;
		await pass(25_000);
		lists['fill.list'] = [fill('f1', 'o1', '10')];
		const before = requests.length;
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '10')));
		await pass(4_000);
		expect(requests.length).toBeGreaterThan(before);
		await pass(2 * MINUTE_MS);
		expect([fills.keys(), notices(fills.events)]).toEqual([['fill:f1:o1'], []]);
	});

	it('reports no incomplete fills that came, or were read, after the last subscriber of orders had left', async () => {
		const { sockets, lists, requests, consume, pass } = openStage();
		const fills = consume({ topics: ['user.fills'] });
		const orders = consume({ topics: ['user.orders'] });
		await Promise.all([fills.subscription.ready, orders.subscription.ready]);
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '10')));
		sockets[0]!.say(data('user.orders', 2, order('o2', 'filled', '20')));
		await orders.subscription.close();
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '10')));
		await pass(25_000);
		lists['fill.list'] = [fill('f2', 'o2', '20')];
		await pass(2 * MINUTE_MS);
		expect([fills.keys(), notices(fills.events)]).toEqual([['fill:f1:o1', 'fill:f2:o2'], []]);
		expect([readOf(requests, 'o1'), readOf(requests, 'o2').length > 0]).toEqual([[], true]);
	});

	it('reports that fills could not be read, after trying for a while', async () => {
		const { sockets, requests, faults, consume, pass } = openStage();
		const seen = consume(BOTH);
		await seen.subscription.ready;
		faults['fill.list'] = new ExchangeError('unreachable', { what: 'It is down' });
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(3 * MINUTE_MS);
		expect(notices(seen.events)).toEqual([
			expect.objectContaining({ order_id: 'o1', counted: '0', fills_known: 0, done: 'reading_failed' }),
		]);
		expect(readOf(requests, 'o1').length).toBeGreaterThan(1);
	});

	it('ends the count of fills when the end of an order corrects the delivered quantity', async () => {
		const { sockets, consume, pass } = openStage();
		const seen = consume(BOTH);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '4.99')));
		sockets[0]!.say(data('user.orders', 1, order('o1', 'partially_filled', '5')));
		sockets[0]!.say(data('user.orders', 2, order('o1', 'cancelled', '4.99')));
		await pass(2 * MINUTE_MS);
		expect(notices(seen.events)).toEqual([]);
	});

	it('reads the fills of one order after the other if many do not add up', async () => {
		const { sockets, requests, consume, pass } = openStage();
		const seen = consume({ ...BOTH, batchMax: 100 });
		await seen.subscription.ready;
		for (let index = 1; index <= 40; index += 1)
			sockets[0]!.say(data('user.orders', index, order(`o${index}`, 'filled', '30')));
		await pass(2 * MINUTE_MS);
		expect(notices(seen.events)).toHaveLength(40);
		const named = requests.filter(({ order_id }) => order_id !== undefined);
		expect(new Set(named.map(({ order_id }) => order_id)).size).toBe(40);
		expect(named).toHaveLength(40);
	});
});
