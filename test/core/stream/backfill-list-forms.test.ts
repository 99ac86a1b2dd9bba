import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, fill, follow, openStage, order } from './stage';

const FILLS = { topics: ['user.fills'], batchMax: 1_000 };
const ORDERS = { topics: ['user.orders'], batchMax: 1_000 };
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Fills from this long ago until now, oldest first. */
const fillsUntil = (now: number, count: number, everyMs = SECOND_MS): Item[] =>
	Array.from({ length: count }, (_, index) => ({
		...fill(`f${index}`),
		created_at: new Date(now - (count - index) * everyMs).toISOString(),
	}));

const shuffled = (rows: Item[]): Item[] => rows.map((row, index) => rows[(index * 977) % rows.length] ?? row);
const orders: Record<string, (oldestFirst: Item[]) => Item[]> = {
	'newest first': (rows) => rows.toReversed(),
	'oldest first': (rows) => rows,
	'in no order': shuffled,
};

describe('a list', () => {
	it.each(Object.keys(orders))(
		'%s delivers no old row at a first start or a restart, and every new one',
		async (name) => {
			const stage = openStage({ pageMax: 100 });
			const old = fillsUntil(stage.time.now(), 600);
			const listed = orders[name]!;
			stage.lists['fill.list'] = listed(old);
			const first = stage.consume({ ...FILLS, retriesFirstConnection: true });
			await stage.pass(3 * MINUTE_MS);
			expect(first.keys()).toEqual([]);
			const missed = (id: string) => ({ ...fill(id), created_at: new Date(stage.time.now()).toISOString() });
			stage.lists['fill.list'] = listed([...old, missed('new')]);
			await stage.pass(3 * MINUTE_MS);
			expect(first.keys()).toEqual(['fill:new:order-1']);
			await first.subscription.close();
			stage.lists['fill.list'] = listed([...old, missed('new'), missed('newer')]);
			const second = stage.consume({ ...FILLS, checkpoint: first.positions });
			await stage.pass(3 * MINUTE_MS);
			expect(second.keys()).toEqual(['fill:newer:order-1']);
		},
	);

	it.each(['newest first', 'oldest first'])(
		'%s delivers what happened at one moment in the order in which it happened',
		async (name) => {
			const { seen, lists, time, pass, sockets } = await follow(FILLS);
			await pass(3 * MINUTE_MS);
			const missed = fillsUntil(time.now(), 60).flatMap((row) =>
				['a', 'b', 'c'].map((letter) => ({ ...row, id: `${String(row.id)}${letter}` })),
			);
			lists['fill.list'] = orders[name]!(missed);
			sockets[0]!.close();
			await pass(3 * MINUTE_MS);
			expect(seen.keys()).toEqual(missed.map(({ id }) => `fill:${String(id)}:order-1`));
		},
	);

	it('without times says, once a key may read it, what may be missing since its consumer began', async () => {
		const stage = openStage();
		stage.faults['fill.list'] = new ExchangeError('forbidden', { what: 'The key may not do this' });
		const seen = stage.consume(FILLS);
		await stage.pass(MINUTE_MS);
		await seen.subscription.ready;
		stage.faults['fill.list'] = undefined;
		stage.lists['fill.list'] = ['missed', 'old'].map((id) => ({ ...fill(id), created_at: undefined }));
		await stage.pass(15 * MINUTE_MS);
		// The gap of the silent connection ends 45 seconds after the start.
		expect(seen.keys().at(-1)).toMatch(/^gap:user\.fills:2026-01-05T09:00:00.*:2026-01-05T09:01/);
	});

	it('is ready where a short one refuses the page behind its end', async () => {
		const stage = openStage();
		const page = stage.client.page;
		stage.client.page = async (id, input) => {
			if (Number(input.offset) > 2) throw new ExchangeError('refused', { what: 'The offset is too large' });
			return page(id, input);
		};
		stage.lists['fill.list'] = fillsUntil(stage.time.now(), 3);
		await stage.consume(FILLS).subscription.ready;
	});

	it('requests fewer rows of a list that refuses 100 at once', async () => {
		const stage = openStage();
		const page = stage.client.page;
		stage.client.page = async (id, input) => {
			if (Number(input.limit) > 50) throw new ExchangeError('refused', { what: 'Too many records requested' });
			return page(id, input);
		};
		const seen = stage.consume(FILLS);
		await seen.subscription.ready;
		stage.lists['fill.list'] = [{ ...fill('new'), created_at: new Date(stage.time.now()).toISOString() }];
		await stage.pass(MINUTE_MS);
		expect(seen.keys()).toEqual(['fill:new:order-1']);
	});

	it('reads a list again that was refused for a minute, and says so in between', async () => {
		const { seen, ...stage } = await follow(FILLS);
		stage.faults['fill.list'] = new ExchangeError('forbidden', { what: 'The key may not do this' });
		await stage.pass(MINUTE_MS);
		expect(seen.notices).toContainEqual(expect.objectContaining({ kind: 'degraded', topic: 'user.fills' }));
		stage.faults['fill.list'] = undefined;
		stage.lists['fill.list'] = [{ ...fill('lost'), created_at: new Date(stage.time.now()).toISOString() }];
		await stage.pass(12 * MINUTE_MS);
		expect(seen.keys().at(-1)).toBe('fill:lost:order-1');
	});

	it('delivers new rows of a list although a later page fails for good', async () => {
		const { time, lists, client, sockets, consume, pass } = openStage({ pageMax: 10 });
		const listed = (rows: Item[]) => (lists['fill.list'] = [...rows.toReversed(), ...(lists['fill.list'] ?? [])]);
		const named = (name: string) =>
			fillsUntil(time.now(), 40, 10).map((row) => ({ ...row, id: `${name} ${String(row.id)}` }));
		listed(fillsUntil(time.now(), 100));
		const seen = consume(FILLS);
		await pass(5 * SECOND_MS);
		await seen.subscription.ready;
		await pass(MINUTE_MS);
		const { page } = client;
		client.page = async (id, input) => {
			if (Number(input.offset ?? 0) > 10) throw new ExchangeError('unavailable', { what: 'The service failed' });
			return await page(id, input);
		};
		sockets[0]!.close();
		listed(named('missed'));
		await pass(MINUTE_MS);
		listed(named('late').slice(-5));
		await pass(MINUTE_MS);
		expect(seen.keys().filter((key) => key.includes('late'))).toHaveLength(5);
		client.page = page;
		await pass(MINUTE_MS);
		expect([seen.keys().length, new Set(seen.keys()).size]).toEqual([45, 45]);
	});
});

describe('orders that ended while nobody listened', () => {
	it('finds orders that ended while nobody listened by the hundred, in lists by status', async () => {
		const { seen, ...stage } = await follow(ORDERS, { pageMax: 100 });
		const resting = Array.from({ length: 300 }, (_, index) => order(`o${index}`, 'accepted'));
		resting.forEach((item, index) => stage.sockets[0]!.say(data('user.orders', index + 1, item)));
		stage.lists['order.list'] = resting;
		await stage.pass(MINUTE_MS);
		const newer = Array.from({ length: 500 }, (_, index) =>
			order(`n${index}`, 'filled', '30', { created_at: new Date(stage.time.now() - index).toISOString() }),
		);
		stage.sockets[0]!.close();
		stage.lists['order.list'] = [...newer, ...resting.map(({ id }) => order(String(id), 'cancelled'))];
		await stage.pass(30 * SECOND_MS);
		const cancelled = seen.keys().filter((key) => key.includes(':cancelled:'));
		expect(cancelled).toHaveLength(300);
		expect(stage.reads.filter((id) => id === 'order.get').length).toBeLessThan(30);
	});
});

describe('what the service corrects', () => {
	it.each<[string, Item[]]>([
		['an end with less than was filled before', [order('o', 'partially_filled', '5'), order('o', 'cancelled', '4.99')]],
		['another price', [order('o', 'accepted', '0', { price: '1500' }), order('o', 'accepted', '0', { price: '1400' })]],
		[
			'another end, at a later time',
			[
				order('o', 'cancelled', '0', { updated_at: '2026-01-05T09:00:00Z' }),
				order('o', 'filled', '30', { updated_at: '2026-01-05T09:00:01Z' }),
			],
		],
	])('delivers a correction of the service: %s', async (_, updates) => {
		const { sockets, settled, seen } = await follow(ORDERS);
		updates.forEach((update, index) => sockets[0]!.say(data('user.orders', index + 1, update)));
		await settled();
		expect(seen.events.map(({ data: payload }) => payload)).toMatchObject(updates);
		expect(new Set(seen.keys()).size).toBe(2);
	});

	it('delivers a correction that a list shows again and again, although no time proves it', async () => {
		const { seen, ...stage } = await follow(ORDERS);
		stage.sockets[0]!.say(data('user.orders', 1, order('o', 'cancelled')));
		stage.lists['order.list'] = [order('o', 'filled', '30')];
		await stage.pass(3 * MINUTE_MS);
		expect(seen.keys()).toEqual(['order:o:cancelled:0', 'order:o:filled:30~x30']);
	});
});

describe('fills of other shapes', () => {
	const facts = { order_id: 'o', price: '1500', quantity: '10', side: 'buy', created_at: '2026-01-05T09:00:00.000Z' };

	it.each<[string, unknown, Item]>([
		['wrapped in execution', { execution: { ...facts, id: 'f' } }, { ...facts, id: 'f' }],
		['wrapped in trade', { trade: { ...facts, fill_id: 'f' } }, { ...facts, fill_id: 'f' }],
		['wrapped in data', { id: 'message', data: { ...facts, id: 'f' } }, { ...facts, id: 'f' }],
		[
			'with an id of the row beside',
			{ ...facts, id: 'event-1', fill_id: 'f' },
			{ ...facts, id: 'row-9', fill_id: 'f' },
		],
		['with more identifiers in the list', { ...facts, id: 'f' }, { ...facts, id: 'f', fill_id: 'x' }],
		['without any', facts, { ...facts, fee: '0' }],
	])('recognises fills when they are read: %s', async (_, live, listed) => {
		const { sockets, lists, pass, seen } = await follow(FILLS);
		sockets[0]!.say(data('user.fills', 1, live as Item));
		lists['fill.list'] = [listed];
		await pass(2 * MINUTE_MS);
		expect(seen.events).toHaveLength(1);
	});

	it('delivers each fill without any identifier, however alike they are', async () => {
		const { sockets, lists, pass, seen } = await follow(FILLS);
		for (let seq = 1; seq <= 20; seq += 1) sockets[0]!.say(data('user.fills', seq, facts));
		lists['fill.list'] = Array.from({ length: 22 }, () => facts);
		await pass(2 * MINUTE_MS);
		expect(seen.events).toHaveLength(22);
		expect(new Set(seen.keys()).size).toBe(22);
	});
});
