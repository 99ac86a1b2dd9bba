import type { Item } from '@partner-exchange/core';
import { streamPolicy } from '@partner-exchange/core/testing';
import { FINGERPRINT_LENGTH } from '../../../packages/core/src/stream/ledger/fingerprint';
import { judge } from '../../../packages/core/src/stream/ledger/judge';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { orders } from '../../../packages/core/src/stream/topics/orders';
import { trades } from '../../../packages/core/src/stream/topics/trades';
import { settled } from '../../simulation/support/time';
import { backfillStage } from './backfill-stage';

const TRADES = 'trades.USD_NGN';
const SECOND_MS = 1_000;
const order = (id: string, status: string, more: Item = {}) =>
	orders.identify({ id, status, filled_quantity: '0', ...more })!;
const trade = (sequence: number, more: Item = {}) =>
	trades.identify({ id: `t${sequence}`, sequence, price: '1', ...more })!;
const live = (topic: string, more: object = {}) => ({ topic, delivery: 'live' as const, ts: null, ...more });
const read = (topic: string) => ({ topic, delivery: 'reconciled' as const, ts: null });

describe('what one subscriber is offered', () => {
	it('a subscriber gets an offer as an event, with its place and its facts', async () => {
		const { subscribe } = backfillStage(TRADES);
		const { subscriber, events } = subscribe();
		const position = { epoch: 'e1', seq: 3 };
		expect(subscriber.offer([trade(1)], live(TRADES, { position, ts: 'now' }))).toBe(1);
		expect(subscriber.offer([{ ...trade(2), kind: 'gap' }], live(TRADES))).toBe(1);
		expect(subscriber.offer([trade(3)], live(TRADES, { stale: true }))).toBe(1);
		await settled();
		const facts = { topic: TRADES, delivery: 'live', ts: null, seq: null, epoch: null };
		expect(events).toEqual([
			{ ...facts, seq: 3, epoch: 'e1', ts: 'now', data: trade(1).data, eventKey: 'trade:t1' },
			{ ...facts, data: trade(2).data, eventKey: 'trade:t2', kind: 'gap' },
			{ ...facts, data: trade(3).data, eventKey: 'trade:t3', stale: true },
		]);
		expect(Object.keys(events[0]!)).not.toContain('kind');
	});

	it('a subscriber counts each offer by its result', async () => {
		const { subscribe } = backfillStage('user.orders');
		const { subscriber, keys } = subscribe({ filters: { statuses: ['filled'] } });
		const counts = [
			subscriber.offer([order('a', 'accepted'), order('a', 'filled')], live('user.orders')),
			subscriber.offer([order('a', 'filled')], live('user.orders')),
			subscriber.offer([order('a', 'filled')], read('user.orders')),
			subscriber.offer([order('b', 'filled')], read('user.orders')),
		];
		expect([counts, await keys()]).toEqual([
			[1, 0, 0, 1],
			['order:a:filled:0', 'order:b:filled:0'],
		]);
		expect(subscriber.counters).toMatchObject({ delivered: 2, filtered: 1, duplicates: 1, reconciled: 1, ignored: 0 });
		expect(subscriber.cursor('user.orders').tally).toMatchObject({
			...{ filtered: 1, duplicates: 1, gaps: 0 },
			delivered: { live: 1, reconciled: 1, replayed: 0 },
		});
	});

	it('a subscriber stores an unwanted offer as known, so that it is not read again', async () => {
		const some = backfillStage('user.orders').subscribe({ filters: { statuses: ['filled'] } });
		some.subscriber.offer([order('a', 'accepted')], live('user.orders'));
		some.subscriber.close();
		expect(some.stored()!['user.orders']).toMatchObject({ orders: [['a', 'accepted', '0', null]] });
		const other = backfillStage(TRADES).subscribe({ filters: { sides: ['buy'] } });
		other.subscriber.cover(TRADES, -1, 4);
		other.subscriber.offer([trade(5, { side: 'sell' }), trade(7, { side: 'sell' })], live(TRADES));
		other.subscriber.close();
		expect(other.stored()![TRADES]).toMatchObject({ coverage: [5, [7, 7]] });
	});

	it('a subscriber refuses an unusable offer alone, and says so', async () => {
		const { subscribe } = backfillStage('user.orders');
		const { subscriber, said, keys } = subscribe();
		const broken = {
			...order('a', 'filled'),
			get order(): never {
				throw new Error('broken');
			},
		};
		expect(subscriber.offer([broken, order('b', 'filled')], live('user.orders'))).toBe(1);
		expect(await keys()).toEqual(['order:b:filled:0']);
		expect(subscriber.counters.ignored).toBe(1);
		expect(said.at(-1)).toMatchObject({
			kind: 'degraded',
			topic: 'user.orders',
			text: 'One event could not be read and was dropped',
		});
	});

	it('a subscriber is offered nothing more once so much waits that it has to catch up', async () => {
		const { subscribe } = backfillStage('user.fills');
		const { subscriber, said } = subscribe({ deliver: async () => new Promise(() => undefined) });
		const many = Array.from({ length: 5_001 }, (_, index) => fills.identify({ id: `f${index}`, quantity: '1' }));
		expect(subscriber.offer(many, live('user.fills'))).toBe(5_000);
		expect([subscriber.queue.lagging.has('user.fills'), subscriber.offer(many.slice(-1), live('user.fills'))]).toEqual([
			true,
			0,
		]);
		expect(said.map(({ text }) => text)).toEqual([
			'The host is too slow; what its queue cannot hold is backfilled over REST',
		]);
		subscriber.advance('user.fills', { epoch: 'e', seq: 9 });
		subscriber.completeUpTo('user.fills', 5);
		subscriber.cover('user.fills', 0, 9);
		expect(subscriber.cursor('user.fills').offered.position).toBeUndefined();
		expect([
			subscriber.cursor('user.fills').offered.watermark,
			subscriber.cursor('user.fills').offered.ranges?.[0],
		]).toEqual([undefined, undefined]);
	});

	it('a subscriber may be offered history although so much waits, which is not delivered', () => {
		const { subscribe } = backfillStage('user.fills');
		const { subscriber } = subscribe({ deliver: async () => new Promise(() => undefined) });
		const many = Array.from({ length: 5_001 }, (_, index) => fills.identify({ id: `f${index}`, quantity: '1' }));
		subscriber.offer(many, live('user.fills'));
		subscriber.markKnown('user.fills', { events: [], row: undefined, watermark: 5 });
		expect(subscriber.queue.lagging.has('user.fills')).toBe(true);
		expect(subscriber.cursor('user.fills').offered.watermark).toBe(5);
	});
});

describe('what one subscriber has stored', () => {
	it('a position moves without an event once in ten seconds', async () => {
		const { subscribe, time } = backfillStage('user.fills');
		const { subscriber, stored } = subscribe();
		const seq = () => stored()?.['user.fills']?.seq;
		const advance = (to: number) => subscriber.advance('user.fills', { epoch: 'e', seq: to });
		await time.run(time.now() + 9_999);
		advance(1);
		expect(seq()).toBeUndefined();
		await time.run(time.now() + 1);
		advance(2);
		expect(seq()).toBe(2);
		advance(3);
		expect(seq()).toBe(2);
		subscriber.close();
		expect(seq()).toBe(3);
	});

	it('a checkpoint holds the requested topics, and none whose history is unknown', async () => {
		const { subscribe } = backfillStage('user.fills');
		const checkpoint = { version: 1, topics: { 'user.fills': { watermark: 5 }, 'user.orders': { watermark: 6 } } };
		const { subscriber, stored } = subscribe({ checkpoint, topics: ['user.fills', TRADES] });
		expect(['user.fills', TRADES].map((topic) => subscriber.cursor(topic).start)).toEqual(['stored', 'new']);
		subscriber.close();
		expect(Object.keys(stored()!)).toEqual(['user.fills']);
		subscriber.begin(TRADES);
		const fresh = subscribe({ checkpoint, deliverMissed: false });
		expect(fresh.subscriber.cursor('user.fills').start).toBe('new');
	});

	it('a checkpoint says since when rows of a topic are new', () => {
		const topics = { 'user.orders': { unreadSince: 5 }, 'user.fills': { watermark: 6 } };
		const { subscribe } = backfillStage(TRADES);
		const { subscriber, stored } = subscribe({
			checkpoint: { version: 1, topics },
			topics: [...Object.keys(topics), TRADES],
		});
		expect(Object.keys(topics).map((topic) => subscriber.cursor(topic).start)).toEqual(['unread', 'stored']);
		subscriber.close();
		expect(stored()).toMatchObject(topics);
		expect(stored()!['user.fills']).not.toHaveProperty('unreadSince');
	});

	it('a first backfill does not move the watermark while an older event waits', async () => {
		let take = (): void => undefined;
		const { subscribe } = backfillStage('user.fills');
		const { subscriber, stored } = subscribe({ deliver: async () => new Promise<void>((done) => (take = done)) });
		const at = (ms: number) => fills.identify({ id: `f${ms}`, quantity: '1', created_at: new Date(ms).toISOString() });
		subscriber.offer([at(1_000)], live('user.fills'));
		subscriber.markKnown('user.fills', { events: [at(2_000)], row: at(2_000), watermark: 1_500 });
		expect(stored()?.['user.fills']?.watermark).toBeUndefined();
		await settled();
		take();
		await settled();
		subscriber.close();
		expect(stored()!['user.fills']).toMatchObject({ watermark: 1_500 });
	});

	it('a checkpoint does not change any more once its subscriber left', () => {
		const { subscribe } = backfillStage('user.fills');
		const [left, current] = [subscribe({ topics: ['user.fills'] }), subscribe({ topics: ['user.fills'] })];
		left.subscriber.close();
		const before = left.stored();
		for (const { subscriber } of [left, current]) {
			subscriber.cursor('user.orders').baseline = { since: () => 5 };
			subscriber.follow('user.orders');
		}
		expect(left.stored()).toEqual(before);
		expect(current.stored()).toMatchObject({ 'user.orders': { unreadSince: 5 } });
	});

	it('a checkpoint holds what a first backfill made known, at once if nothing older waits', async () => {
		const { subscribe } = backfillStage('user.fills');
		const { subscriber, stored } = subscribe();
		const at = (ms: number) => fills.identify({ id: `f${ms}`, quantity: '1', created_at: new Date(ms).toISOString() });
		subscriber.markKnown('user.fills', { events: [at(1_000), at(2_000)], row: at(2_000), watermark: 1_500 });
		subscriber.close();
		expect(stored()!['user.fills']).toMatchObject({ watermark: 1_500, forgotten: 1_500 });
		expect(stored()!['user.fills']!.keys).toEqual([[expect.stringMatching(/^.{20}$/), 2_000]]);
		expect(subscriber.offer([at(2_000)], live('user.fills'))).toBe(0);
	});
});

describe('what a subscriber remembers of an event', () => {
	const fillOf = (name: 'id' | 'trade_id', value: string): TopicEvent =>
		fills.identify({ [name]: value, order_id: 'o1', quantity: '1', price: '2', created_at: '2026-01-01T00:00:00Z' });
	const remembered = (row: TopicEvent): number => {
		const { subscribe } = backfillStage('user.fills');
		const { subscriber } = subscribe();
		subscriber.markKnown('user.fills', { events: [row], row, watermark: undefined });
		const { offered } = subscriber.cursor('user.fills');
		const delta = judge(offered, fillOf('id', 'f2'), { isRead: false, now: 1, isNews: streamPolicy.isNews });
		return delta!.prints!.length / FINGERPRINT_LENGTH;
	};

	it('remembers the key of an event alone if the first backfill showed the same names of identifiers', () => {
		expect(remembered(fillOf('id', 'f1'))).toBe(1);
	});

	it('remembers the content of an event, too, if the list has other names', () => {
		expect(remembered(fillOf('trade_id', 't1'))).toBeGreaterThan(1);
	});
});

describe('what one subscriber has stored of numbered events', () => {
	it('the numbers of a checkpoint begin again if the service counts again, once earlier events were acknowledged', async () => {
		let take = (): void => undefined;
		const { subscribe } = backfillStage(TRADES);
		const { subscriber, stored } = subscribe({ deliver: async () => new Promise<void>((done) => (take = done)) });
		const coverage = () => stored()?.[TRADES]?.coverage;
		subscriber.cover(TRADES, -1, 8);
		subscriber.offer([trade(9)], live(TRADES));
		subscriber.move(TRADES, { isRenumbered: true });
		subscriber.offer([trade(2)], live(TRADES));
		await settled();
		take();
		await settled();
		take();
		await settled();
		subscriber.close();
		expect(coverage()).toEqual([-1, [2, 2]]);
	});
});

describe('a host that does not take what it is handed', () => {
	it('reports a host once that does not acknowledge, until it does', async () => {
		let isBusy = true;
		const { subscribe, time } = backfillStage('user.fills');
		const { subscriber, said } = subscribe({
			deliver: async () => {
				if (isBusy) throw new Error('The host is busy');
			},
		});
		const offer = (id: string) => subscriber.offer([fills.identify({ id, quantity: '1' })], live('user.fills'));
		offer('f1');
		await time.run(time.now() + 60 * SECOND_MS);
		expect(said).toHaveLength(1);
		isBusy = false;
		await time.run(time.now() + 120 * SECOND_MS);
		expect([said.length, subscriber.counters.delivered]).toEqual([1, 1]);
		isBusy = true;
		offer('f2');
		await time.run(time.now() + 60 * SECOND_MS);
		expect(said).toHaveLength(2);
	});
});
