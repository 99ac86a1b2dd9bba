import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, fill, follow, openStage, order } from './stage';

const BOTH = { topics: ['user.orders', 'user.fills'] };
const MINUTE_MS = 60_000;

describe('the fills of an order add up to what it says was filled', () => {
	const notices = (events: { kind?: string; data: unknown }[]) =>
		events.filter(({ kind }) => kind === 'incomplete_fills').map(({ data: payload }) => payload as Item);
	const readOf = (requests: Item[], id: string) => requests.filter(({ order_id }) => order_id === id);

	it('reports fills that do not add up to their order, after every fill of the order was read', async () => {
		const { sockets, lists, requests, pass, seen } = await follow(BOTH);
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
		const { sockets, lists, requests, pass, seen } = await follow(BOTH);
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

	it.each([20_000, 1_000])(
		'reads the fills of an order that is filled every %s ms, and tells nothing of those that may still be on their way',
		async (everyMs) => {
			const { sockets, lists, client, pass, seen } = await follow(BOTH);
			// Only a list that is asked for the order shows its fills.
			const { page } = client;
			client.page = async (id, input) => (id === 'fill.list' && !input.order_id ? [] : page(id, input));
			for (let filled = 1; filled * everyMs <= 80_000; filled += 1) {
				sockets[0]!.say(data('user.orders', filled, order('o1', 'partially_filled', String(filled))));
				lists['fill.list'] = [fill(`f${filled}`, 'o1', '1'), ...(lists['fill.list'] ?? [])];
				await pass(everyMs);
			}
			expect(seen.keys()).toContain('fill:f1:o1');
			lists['fill.list'] = lists['fill.list']!.slice(1);
			await pass(10_000);
			expect(notices(seen.events)).toEqual([]);
		},
	);

	it('reads what an order lacks, also where each further fill comes before its update and makes up for it', async () => {
		const { sockets, lists, client, pass, seen } = await follow(BOTH);
		const { page } = client;
		client.page = async (id, input) => (id === 'fill.list' && !input.order_id ? [] : page(id, input));
		lists['fill.list'] = [fill('f0', 'o1', '11')];
		sockets[0]!.say(data('user.orders', 1, order('o1', 'partially_filled', '11')));
		for (const [number, filled] of [[1, '41'] as const, [2, '71'] as const]) {
			await pass(20_000);
			lists['fill.list'] = [fill(`f${number}`, 'o1', '30'), ...lists['fill.list']];
			sockets[0]!.say(data('user.fills', number, lists['fill.list'][0]!));
			sockets[0]!.say(data('user.orders', number + 1, order('o1', 'partially_filled', filled)));
		}
		expect(seen.keys()).toContain('fill:f0:o1');
		await pass(2 * MINUTE_MS);
		expect(notices(seen.events)).toEqual([]);
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

	it('reports that fills could not be read, after trying for a while', async () => {
		const { sockets, requests, faults, pass, seen } = await follow(BOTH);
		faults['fill.list'] = new ExchangeError('unreachable', { what: 'It is down' });
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(3 * MINUTE_MS);
		expect(notices(seen.events)).toEqual([
			expect.objectContaining({ order_id: 'o1', counted: '0', fills_known: 0, done: 'reading_failed' }),
		]);
		expect(readOf(requests, 'o1').length).toBeGreaterThan(1);
	});
});
