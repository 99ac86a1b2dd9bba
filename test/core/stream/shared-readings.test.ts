import { ExchangeError, type Item } from '@partner-exchange/core';
import type { History } from '../../../packages/core/src/stream/backfill/history';
import { createFillSums } from '../../../packages/core/src/stream/fills/fill-sums';
import { readOrderFills } from '../../../packages/core/src/stream/fills/order-fills';
import { createRecentReading } from '../../../packages/core/src/stream/backfill/recent-reading';
import { createSharedBaseline } from '../../../packages/core/src/stream/backfill/shared-baseline';
import { READ_SPACING_MS } from '../../../packages/core/src/stream/limits';
import { createSubscribers } from '../../../packages/core/src/stream/sync/subscribers';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { virtualTime } from '../../simulation/support/time';
import { backfillStage } from './backfill-stage';

const MINUTE_MS = 60_000;
const event = (key: string) => ({ key, data: {} });
const many = (count: number) => Array.from({ length: count }, (_, index) => event(`k${index}`));

describe('a first reading', () => {
	function open() {
		const time = virtualTime();
		const observed: string[] = [];
		const connection = { isConfirmed: true };
		let made = 0;
		const shared = createSharedBaseline<{ events: { key: string; data: object }[]; watermark?: number; made: number }>({
			clock: time,
			isConfirmed: () => connection.isConfirmed,
			observed: (events) => void observed.push(...events.map(({ key }) => key)),
		});
		const read = async (reachesTo?: number) => {
			const { found, since } = await shared.read(
				async () => await Promise.resolve({ events: [event('old')], watermark: 5, made: (made += 1) }),
				reachesTo,
			);
			return { ...found, since: since.map(({ key }) => key) };
		};
		return { shared, connection, observed, read, pass: (ms: number) => time.run(time.now() + ms) };
	}

	it('serves those who come within a minute, with what happened since', async () => {
		const { shared, observed, read, pass } = open();
		expect(await read()).toEqual({ events: [event('old')], watermark: 5, made: 1, since: [] });
		shared.observed([event('a'), event('b'), event('a')]);
		expect(observed).toEqual(['old', 'a', 'b', 'a']);
		await pass(MINUTE_MS - 1);
		expect(await read()).toMatchObject({ made: 1, since: ['a', 'b'] });
		await pass(1);
		expect(await read()).toMatchObject({ made: 2, since: [] });
	});

	it('serves only those who come within a second while the topic is not subscribed', async () => {
		const { connection, read, pass } = open();
		connection.isConfirmed = false;
		await read();
		await pass(READ_SPACING_MS - 1);
		expect(await read()).toMatchObject({ made: 1 });
		await pass(1);
		expect(await read()).toMatchObject({ made: 2 });
	});

	it('is made anew once it is forgotten, or more happened than is kept', async () => {
		const { shared, read } = open();
		await read();
		shared.forget();
		expect(await read()).toMatchObject({ made: 2 });
		shared.observed(many(1_000));
		expect((await read()).since).toHaveLength(1_000);
		shared.observed([event('one more')]);
		expect(await read()).toMatchObject({ made: 3, since: [] });
	});

	it('serves those who need to reach back no further', async () => {
		const { read } = open();
		expect(await read(50)).toMatchObject({ made: 1 });
		expect([await read(60), await read(50), await read()]).toMatchObject([{ made: 1 }, { made: 1 }, { made: 1 }]);
		expect([await read(40), await read(50)]).toMatchObject([{ made: 2 }, { made: 2 }]);
	});

	it('stays good for as long as readings of all there is confirm it, and settles what they settle', async () => {
		const { shared, read, pass } = open();
		await read();
		await pass(50_000);
		const confirm = shared.begin();
		await pass(5_000);
		confirm(9);
		await pass(54_999);
		expect(await read()).toMatchObject({ made: 1, watermark: 9 });
		shared.begin()(7);
		expect(await read()).toMatchObject({ made: 1, watermark: 9 });
		shared.begin()(undefined);
		expect(await read()).toMatchObject({ watermark: 9 });
		await pass(MINUTE_MS);
		expect(await read()).toMatchObject({ made: 2, watermark: 5 });
		void [shared.forget(), shared.begin()(9)];
	});

	it('that fails is made again by the next', async () => {
		const { shared, read } = open();
		await expect(shared.read(async () => await Promise.reject(new Error('failed')))).rejects.toThrow('failed');
		expect(await read()).toMatchObject({ made: 1 });
	});
});

describe('the latest reading', () => {
	function open() {
		const time = virtualTime();
		const observed: string[] = [];
		const recent = createRecentReading({
			clock: time,
			knownInARow: 3,
			observed: (events) => void observed.push(...events.map(({ key }) => key)),
		});
		const serves = (settled: string[] = []) => recent.serves(({ key }) => settled.includes(key))?.map(({ key }) => key);
		return { recent, observed, serves, pass: (ms: number) => time.run(time.now() + ms) };
	}

	it('serves with what it read and what came since, once it has ended', () => {
		const { recent, observed, serves } = open();
		recent.observed([event('before')]);
		const reading = recent.begin();
		recent.observed([event('a')]);
		expect(serves()).toBeUndefined();
		reading.ended({ isWhole: true, isOrdered: false });
		recent.observed([event('b'), event('a')]);
		expect([serves(), observed]).toEqual([
			['a', 'b'],
			['before', 'a', 'b', 'a'],
		]);
	});

	it('serves those who know enough of it, where what lies behind is older', () => {
		const { recent, serves } = open();
		const reading = recent.begin();
		recent.observed(many(4));
		reading.ended({ isWhole: false, isOrdered: true });
		expect([serves(['k0', 'k1']), serves(['k0', 'k1', 'k2'])?.length]).toEqual([undefined, 4]);
		recent.begin().ended({ isWhole: false, isOrdered: false });
		expect(serves(['k0', 'k1', 'k2'])).toBeUndefined();
	});

	it('serves for a minute, up to a thousand events, and not once it is forgotten', async () => {
		const { recent, serves, pass } = open();
		const reading = recent.begin();
		await pass(MINUTE_MS - 1);
		recent.observed(many(1_000));
		reading.ended({ isWhole: true, isOrdered: true });
		expect(serves()).toHaveLength(1_000);
		recent.observed([event('one more')]);
		expect(serves()).toBeUndefined();
		recent.begin().ended({ isWhole: true, isOrdered: true });
		expect(serves()).toEqual([]);
		await pass(MINUTE_MS);
		expect(serves()).toBeUndefined();
		recent.begin().ended({ isWhole: true, isOrdered: true });
		const underWay = recent.begin();
		recent.forget();
		underWay.ended({ isWhole: true, isOrdered: true });
		expect(serves()).toBeUndefined();
	});

	it('is not one that another followed, or that lasted too long', async () => {
		const { recent, serves, pass } = open();
		const first = recent.begin();
		recent.begin();
		first.ended({ isWhole: true, isOrdered: true });
		expect(serves()).toBeUndefined();
		const long = recent.begin();
		await pass(MINUTE_MS);
		recent.observed([event('a')]);
		long.ended({ isWhole: true, isOrdered: true });
		expect(serves()).toBeUndefined();
	});
});

describe('what the fills of an order add up to', () => {
	const fill = (id: string, quantity: string, more: Item = {}) =>
		fills.identify({ id, order_id: 'o', quantity, ...more });

	it('counts each once, under whichever of its keys it comes', () => {
		const sums = createFillSums();
		for (const one of [fill('a', '1.5'), fill('b', '2'), fill('a', '1.5'), fill('x', '2', { fill_id: 'b' })])
			sums.take(one);
		expect(sums.of('o')).toEqual({ quantity: '3.5', fills: 2 });
		sums.take(fill('c', '0.5', { execution_id: 'd' }));
		sums.take(fill('d', '0.5'));
		sums.take({ key: 'none', data: {} });
		expect(sums.of('o')).toEqual({ quantity: '4', fills: 3 });
		expect(sums.of('other')).toEqual({ quantity: '0', fills: 0 });
		expect(['3.9', '4', '4.00', '4.1'].map((filled) => sums.isShort('o', filled))).toEqual([false, false, false, true]);
	});

	it('is read whole, and is of this order alone', async () => {
		const rows = Array.from({ length: 250 }, (_, index) => ({
			id: `f${index}`,
			quantity: '1',
			order_id: index % 5 === 0 ? 'p' : 'o',
		}));
		const asked: Item[] = [];
		const history = {
			page: async (_list: string, input: Item) => {
				asked.push(input);
				return await Promise.resolve(rows.slice(Number(input.offset), Number(input.offset) + 100));
			},
		} as unknown as History;
		const found = await readOrderFills('o', history, { signal: new AbortController().signal });
		expect(new Set(found.map(({ key }) => key)).size).toBe(200);
		expect(asked.every(({ order_id: id }) => id === 'o')).toBe(true);
		rows.splice(
			0,
			rows.length,
			...Array.from({ length: 9_000 }, (_, index) => ({ id: `f${index}`, quantity: '1', order_id: 'o' })),
		);
		asked.length = 0;
		await readOrderFills('o', history, { signal: new AbortController().signal });
		expect(asked).toHaveLength(50);
	});

	it('holds no fill twice that has no identifier and stands on two pages', async () => {
		const rows = Array.from({ length: 150 }, (_, index) => ({ order_id: 'o', quantity: '1', price: String(index) }));
		const page = async (_list: string, { offset }: Item) =>
			await Promise.resolve(rows.slice(Number(offset), Number(offset) + 100));
		const found = await readOrderFills('o', { page } as unknown as History, { signal: new AbortController().signal });
		expect(new Set(found.map(({ key }) => key)).size).toBe(150);
	});
});

describe('those a topic is for', () => {
	const stage = backfillStage('user.fills');
	const open = () => {
		const some = () => stage.subscribe({ topics: ['trades.USD_NGN'] }).subscriber;
		return { subscribers: createSubscribers('trades.USD_NGN', () => undefined), some };
	};
	const never = stage.subscribe({ topics: ['trades.USD_NGN'], filters: { pairs: ['EUR/NGN'] } }).subscriber;
	const state = async (promise: Promise<unknown>) =>
		Promise.race([
			promise.then(
				() => 'there',
				(error: ExchangeError) => error.code,
			),
			Promise.resolve()
				.then(() => Promise.resolve())
				.then(() => 'waits'),
		]);

	it('wait for what they need', async () => {
		const { subscribers, some } = open();
		const [one, other] = [some(), some()];
		const joined = subscribers.join(one, { confirmation: true, baseline: true });
		const ready = subscribers.ready({ confirmation: true, baseline: false });
		expect([...subscribers.lagging()]).toEqual([one]);
		subscribers.baselined(other);
		subscribers.confirmed(true);
		expect([await state(joined), await state(ready)]).toEqual(['waits', 'there']);
		expect([...subscribers.lagging()]).toEqual([]);
		subscribers.baselined(one);
		expect(await state(joined)).toBe('there');
		expect(await state(subscribers.ready({ confirmation: false, baseline: false }))).toBe('there');
	});

	it('hear that it will not be, or that they left', async () => {
		const { subscribers, some } = open();
		const [one, other] = [some(), some()];
		const needs = { confirmation: true, baseline: false };
		const [first, second, anonymous] = [
			subscribers.join(one, needs),
			subscribers.join(other, needs),
			subscribers.ready(needs),
		];
		subscribers.leave(one);
		expect([await state(first), await state(second), await state(anonymous)]).toEqual(['aborted', 'waits', 'waits']);
		subscribers.reject(new ExchangeError('refused', { what: 'no' }), 'anonymous');
		expect([await state(second), await state(anonymous)]).toEqual(['waits', 'refused']);
		subscribers.reject(new ExchangeError('timeout', { what: 'no' }));
		expect(await state(second)).toBe('timeout');
		expect([subscribers.all(), subscribers.interested()]).toEqual([[other], [other]]);
	});

	it('are counted by whether they want it, and served again from the next confirmation on', () => {
		const { subscribers, some } = open();
		const one = some();
		expect(subscribers.drops(true)).toBe(false);
		for (const each of [never, one]) void subscribers.join(each, { confirmation: false, baseline: false });
		expect([subscribers.all().length, subscribers.interested().length, subscribers.bystanders()]).toEqual([
			2,
			1,
			[never],
		]);
		subscribers.arrived();
		expect([subscribers.drops(false), subscribers.drops(true)]).toEqual([false, true]);
		subscribers.doubted();
		expect(one.counters).toMatchObject({ received: 2, duplicates: 1, gaps: 1 });
		expect(one.tally('trades.USD_NGN').duplicates).toBe(1);
		expect([never.counters.received, subscribers.received()]).toEqual([0, 2]);
		subscribers.rejoin(one);
		expect([...subscribers.lagging()]).toEqual([one]);
		subscribers.confirmed(true);
		expect(subscribers.lagging().size).toBe(0);
		subscribers.rejoin(one);
		subscribers.leave(one);
		expect([subscribers.lagging().size, subscribers.drops(false), subscribers.received()]).toEqual([0, true, 3]);
	});
});
