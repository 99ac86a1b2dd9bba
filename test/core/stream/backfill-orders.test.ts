import { ExchangeError, type Item } from '@partner-exchange/core';
import { orders } from '../../../packages/core/src/stream/topics/orders';
import { listStage } from './backfill-stage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

describe('orders that are read back', () => {
	const followed = async (count: number) => {
		const stage = listStage('user.orders');
		const consumer = stage.subscribe();
		await stage.baseline(consumer);
		const ids = Array.from({ length: count }, (_, index) => `o${index}`);
		for (const id of ids)
			consumer.subscriber.offer([orders.identify(stage.order(id, 'accepted'))!], {
				topic: 'user.orders',
				delivery: 'live',
				ts: null,
			});
		await consumer.keys();
		consumer.events.length = 0;
		stage.requests.length = 0;
		const single = () => stage.requests.splice(0).flatMap(({ order_id: id }) => id ?? []);
		return { ...stage, consumer, ids, single };
	};

	it('requests orders one by one that no list shows, at most SINGLE_READS_MAX, in turns', async () => {
		const { run, consumer, ids, single } = await followed(30);
		await run(consumer);
		expect(single()).toEqual([...ids.slice(20), ...ids.slice(0, 10)]);
		await run(consumer);
		expect(single()).toEqual([...ids.slice(10, 30)]);
		const few = await followed(3);
		await few.run(few.consumer);
		expect(few.single()).toEqual(few.ids);
		const twenty = await followed(20);
		await twenty.run(twenty.consumer);
		expect(twenty.requests.some(({ status }) => status !== undefined)).toBe(false);
		expect(twenty.single()).toEqual(twenty.ids);
	});

	it('reads small pages of open orders to their end although orders change their state meanwhile', async () => {
		const { service, requests, subscribe, baseline, run, order } = listStage('user.orders');
		const consumer = subscribe();
		await baseline(consumer);
		service.pageMax = 10;
		// All of one moment, so that the list shows no order and is read whole.
		const rows = (status: string) => Array.from({ length: 80 }, (_, index) => order(`o${index}`, status));
		service.rows = rows('accepted');
		requests.length = 0;
		service.fails = () => {
			if (requests.length === 6) service.rows = rows('filled');
			return false;
		};
		let isWhole = false;
		while (!isWhole) ({ isWhole } = await run(consumer));
		const reports = new Set((await consumer.keys()).map((key) => key.split(':')[1]));
		expect(reports.size).toBe(80);
	});

	it('does not request orders singly that the list shows', async () => {
		const { service, run, consumer, order, single } = await followed(3);
		service.rows = [order('o0', 'filled'), order('o1', 'accepted')];
		expect(await run(consumer)).toMatchObject({ hasNews: true });
		expect([await consumer.keys(), single()]).toEqual([['order:o0:filled:0'], ['o2']]);
	});

	it.each<[string, (order: Item) => unknown]>([
		['bare', (order) => order],
		['under its name', (order) => ({ order })],
		['in a list', (order) => [order]],
	])('followed orders may come %s', async (_, wrapped) => {
		const { service, run, consumer, order } = await followed(1);
		const { id: _id, ...record } = order('o0', 'cancelled');
		service.single = { o0: wrapped(record) as Item };
		expect(await run(consumer)).toMatchObject({ hasNews: true, isWhole: true });
		expect(await consumer.keys()).toEqual([expect.stringContaining('cancelled')]);
	});

	it('looks for many followed orders in lists by status, as far as needed', async () => {
		const { service, run, consumer, order, requests, ids, ports } = await followed(40);
		const { page } = ports.history;
		ports.history.page = async (list, input, reading) => (input.status === undefined ? [] : page(list, input, reading));
		service.rows = ids.map((id) => order(id, 'cancelled', -MINUTE_MS));
		expect(await run(consumer)).toMatchObject({ hasNews: true });
		expect(new Set(await consumer.keys()).size).toBe(40);
		expect(requests.flatMap(({ status }) => status ?? [])).not.toContain('rejected');
		expect(requests.some(({ order_id: id }) => id !== undefined)).toBe(false);
	});

	/** Only queries by status return anything. */
	const byStatus = async (count: number, rows: (status: string, offset: number) => Item[]) => {
		const stage = await followed(count);
		const pages: string[] = [];
		stage.ports.history.page = async (_list, { status, offset }) => {
			if (status !== undefined) pages.push(String(status));
			return await Promise.resolve(status === undefined ? [] : rows(String(status), Number(offset ?? 0)));
		};
		return { ...stage, pages };
	};

	it('finds all followed orders in one list by status, among others that are not delivered', async () => {
		const stage = await byStatus(450, (status, offset) =>
			status === 'cancelled' ? rows.slice(offset, offset + 100) : [],
		);
		const cancelled = (id: string, index: number) => stage.order(id, 'cancelled', -MINUTE_MS - index * SECOND_MS);
		const rows = [...stage.ids, 'unknown'].map(cancelled);
		rows.splice(5, 0, { note: 'no order' });
		await stage.run(stage.consumer);
		const reports = await stage.consumer.keys();
		expect(reports.toSorted()).toEqual(stage.ids.map((id) => `order:${id}:cancelled:0`).toSorted());
	});

	it('looks for followed orders in a list by status no further than three hundred others in a row', async () => {
		const others = (status: string, offset: number) =>
			Array.from({ length: 100 }, (_, index) =>
				stage.order(`${status}${offset + index}`, status, -(offset + index) * SECOND_MS),
			);
		const stage = await byStatus(21, (status, offset) => (offset < 2_000 ? others(status, offset) : []));
		await stage.run(stage.consumer);
		const of = (status: string) => stage.pages.filter((each) => each === status).length;
		expect([of('pending'), of('accepted'), of('cancelled')]).toEqual([3, 3, 3]);
	});

	it('looks for followed orders on 150 pages by status at most', async () => {
		const stage = await byStatus(21, (status, offset) =>
			Array.from({ length: 4 }, (_, index) => ({ id: `${status}${offset + index}`, status })),
		);
		await stage.run(stage.consumer);
		expect(stage.pages).toHaveLength(150);
	});

	it('finds followed orders among rows of other kinds, in lists without a filter by status', async () => {
		const { service, subscribe, baseline, run, order, ports } = listStage('user.orders');
		const { page } = ports.history;
		const refusal = new ExchangeError('refused', { what: 'There is no such filter' });
		ports.history.page = async (list, input, reading) =>
			input.status === undefined ? page(list, input, reading) : Promise.reject(refusal);
		const others = Array.from({ length: 700 }, (_, index) => order(`n${index}`, 'filled', -index * SECOND_MS));
		service.rows = [{ id: 'none' }, ...others];
		const consumer = subscribe();
		await baseline(consumer);
		expect([...consumer.subscriber.cursor('user.orders').offered.orders.open.keys()]).toEqual([]);
		service.rows = [order('new', 'accepted', SECOND_MS), { id: 'another' }, ...service.rows];
		await run(consumer);
		expect(await consumer.keys()).toEqual(['order:new:accepted:0']);
	});

	it('a first backfill of orders also reads those that are open and older than the newest', async () => {
		const { service, subscribe, baseline, run, order, requests } = listStage('user.orders');
		const newer = Array.from({ length: 700 }, (_, index) => order(`n${index}`, 'filled', -index * SECOND_MS));
		service.rows = [...newer, order('old', 'accepted', -60 * MINUTE_MS)];
		const consumer = subscribe();
		await baseline(consumer);
		const statuses = new Set(requests.flatMap(({ status }) => status ?? []));
		expect([...statuses]).toEqual(['pending', 'accepted', 'partially_filled']);
		expect([...consumer.subscriber.cursor('user.orders').offered.orders.open.keys()]).toEqual(['old']);
		service.single = { old: order('old', 'cancelled', -60 * MINUTE_MS) };
		service.rows = newer;
		await run(consumer);
		expect(await consumer.keys()).toEqual(['order:old:cancelled:0']);
	});

	it('a late first backfill delivers orders that changed since, or were delivered', async () => {
		const { service, subscribe, baseline, order, now } = listStage('user.orders');
		const consumer = subscribe();
		consumer.subscriber.offer([orders.identify(order('told', 'accepted'))!], {
			topic: 'user.orders',
			delivery: 'live',
			ts: null,
		});
		const updated = (ms: number) => new Date(now + ms).toISOString();
		service.rows = [
			{ ...order('changed', 'filled', -MINUTE_MS), updated_at: updated(6_000) },
			{ ...order('before', 'filled', -MINUTE_MS), updated_at: updated(5_000) },
			order('created', 'accepted', 5_001),
			order('old', 'filled', -MINUTE_MS),
			order('told', 'filled', -MINUTE_MS),
		];
		await baseline(consumer, now + 5_000);
		expect((await consumer.keys()).sort()).toEqual([
			'order:changed:filled:0',
			'order:created:accepted:0',
			'order:told:accepted:0',
			'order:told:filled:0',
		]);
	});
});
