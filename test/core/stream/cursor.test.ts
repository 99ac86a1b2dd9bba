import { streamPolicy } from '@partner-exchange/core/testing';
import { createCursor } from '../../../packages/core/src/stream/delivery/cursor';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';

const NOW = 1_000_000;
const cursorOf = (given?: unknown, isNumbered = false) => createCursor(given, streamPolicy, isNumbered);
const event = (key: string, more: Partial<TopicEvent> = {}): TopicEvent => ({ key, data: {}, ...more });
const order = (id: string, status: string, more: Partial<TopicEvent> = {}) =>
	event(`order:${id}:${status}`, { order: { id, status, filled: '0' }, ...more });
const trade = (sequence: number, key = `trade:${sequence}`) => event(key, { sequence });
/** The state a run stores, read by the next one. */
const restarted = (cursor: ReturnType<typeof cursorOf>, isNumbered = false) =>
	cursorOf(JSON.parse(JSON.stringify(cursor.stored(NOW, true))), isNumbered);

describe('what a consumer was offered of a topic', () => {
	it('is new once, under whichever of its keys a copy comes', () => {
		const cursor = cursorOf();
		expect(cursor.admit(event('a', { aliases: ['b'] }), false, NOW)).toMatchObject({ key: 'a' });
		expect(cursor.admit(event('a'), false, NOW)).toBeUndefined();
		expect(cursor.admit(event('b'), false, NOW)).toBeUndefined();
		expect(cursor.admit(event('c', { aliases: ['a'] }), false, NOW)).toBeUndefined();
		// An ID that two events share identifies neither: a trade has two fills.
		expect(cursor.admit(event('d', { aliases: ['shared'] }), false, NOW)).toMatchObject({ key: 'd' });
		expect(cursor.admit(event('e', { aliases: ['shared'] }), false, NOW)).toMatchObject({ key: 'e' });
	});

	it('is known in the next run if the host took it, by any of its keys, and not otherwise', () => {
		const cursor = cursorOf();
		cursor.acknowledge(event('a'));
		cursor.admit(event('b'), false, NOW);
		const next = restarted(cursor);
		expect(next.admit(event('a'), false, NOW)).toBeUndefined();
		expect(next.admit(event('x', { aliases: ['a'] }), false, NOW)).toBeUndefined();
		expect(next.admit(event('b'), false, NOW)).toMatchObject({ key: 'b' });
	});

	it('may be told and forgotten, so that a reading of what is settled finds nothing new', () => {
		const cursor = cursorOf();
		cursor.forget(1_000);
		const news = (time: number | undefined, isRead: boolean) =>
			cursor.admit(event(`${time}:${isRead}:${cursor.watermark()}`, { time }), isRead, NOW) !== undefined;
		expect(news(900, true)).toBe(true);
		cursor.reconciled(2_000);
		expect([news(900, true), news(1_000, true), news(1_001, true)]).toEqual([false, false, true]);
		expect([news(undefined, true), news(1_000, false)]).toEqual([true, true]);
		const alone = cursorOf({ watermark: 500 });
		expect(alone.admit(event('a', { time: 100 }), true, NOW)).toBeDefined();
		alone.forget(1_000);
		expect(alone.admit(event('b', { time: 600 }), true, NOW)).toBeDefined();
		expect(alone.admit(event('c', { time: 500 }), true, NOW)).toBeUndefined();
	});

	it('may be an order that ended and was forgotten, but never one that is open', () => {
		const cursor = cursorOf({ watermark: 2_000, forgotten: 2_000 });
		expect(cursor.admit(order('a', 'filled', { time: 1_000 }), true, NOW)).toBeUndefined();
		expect(cursor.admit(order('b', 'filled', { time: 1_000 }), false, NOW)).toBeDefined();
		expect(cursor.admit(order('c', 'accepted', { time: 1_000 }), true, NOW)).toBeDefined();
		expect(cursor.admit(order('c', 'filled', { time: 1_000 }), true, NOW)).toBeDefined();
	});

	it('is all asked about once more where more orders were open than could be stored', () => {
		const cursor = cursorOf({ watermark: 2_000, forgotten: 2_000, deep: true });
		expect(cursor.isSettled(event('a', { time: 1_000 }))).toBe(false);
		expect(cursor.admit(order('a', 'filled', { time: 1_000 }), true, NOW)).toBeDefined();
		cursor.reconciled(2_000);
		expect(cursor.isSettled(event('b', { time: 1_000 }))).toBe(true);
		expect(cursor.admit(order('b', 'filled', { time: 1_000 }), true, NOW)).toBeUndefined();
		expect(cursor.stored(NOW, true)).toMatchObject({ deep: true });
	});

	it('is settled as far as readings got, by the time of its creation', () => {
		const cursor = cursorOf();
		expect(cursor.isSettled(event('a', { time: 1 }))).toBe(false);
		cursor.reconciled(1_000);
		cursor.reconciled(500);
		expect(cursor.watermark()).toBe(1_000);
		expect([999, 1_000, 1_001, undefined].map((time) => cursor.isSettled(event('a', { time })))).toEqual([
			true,
			true,
			false,
			false,
		]);
	});

	it('is an order that the run before told of, unless it says more', () => {
		const cursor = cursorOf();
		for (const status of ['accepted', 'filled']) {
			const facts = cursor.admit(order('a', status, { time: 7 }), false, NOW);
			expect(facts).toMatchObject({ key: `order:a:${status}`, time: 7 });
			cursor.acknowledge(facts!);
		}
		cursor.acknowledge(cursor.admit(order('open', 'accepted'), false, NOW)!);
		const next = restarted(cursor);
		expect(next.openOrders()).toEqual(['open']);
		expect(next.admit(order('a', 'filled'), true, NOW)).toBeUndefined();
		expect(next.admit(order('open', 'accepted'), true, NOW)).toBeUndefined();
		expect(next.admit(order('open', 'filled'), true, NOW)).toBeDefined();
	});

	it('is an order whose key was stored, although it itself was not', () => {
		const cursor = cursorOf();
		const { order: _, ...facts } = order('a', 'filled');
		cursor.acknowledge(facts);
		expect(restarted(cursor).admit(order('a', 'filled'), false, NOW)).toBeUndefined();
	});

	it('has another key where a correction says what was said before', () => {
		const cursor = cursorOf();
		const at = (status: string, updatedAt: number) =>
			cursor.admit(event(`order:a:${status}`, { order: { id: 'a', status, filled: '0', updatedAt } }), true, NOW)?.key;
		expect([at('cancelled', 1), at('filled', 2), at('cancelled', 3), at('filled', 4)]).toEqual([
			'order:a:cancelled',
			'order:a:filled',
			'order:a:cancelled~2',
			'order:a:filled~3',
		]);
	});
});

describe('what a consumer was offered of public trades', () => {
	it('is told by the number, whatever the key', () => {
		const cursor = cursorOf(undefined, true);
		expect(cursor.admit(trade(5), false, NOW)).toMatchObject({ sequence: 5 });
		expect(cursor.admit(trade(5, 'other'), false, NOW)).toBeUndefined();
		expect(cursor.admit(event('none'), false, NOW)).toBeDefined();
		expect(cursor.admit(event('none'), false, NOW)).toBeUndefined();
	});

	it('is told by the key while the numbers may have begun anew', () => {
		const cursor = cursorOf(undefined, true);
		for (const sequence of [0, 1, 2]) cursor.admit(trade(sequence), false, NOW);
		cursor.mayRestart();
		expect(cursor.admit(trade(1), false, NOW)).toBeUndefined();
		expect(cursor.admit(trade(1, 'new'), false, NOW)).toBeDefined();
		expect(cursor.admit(trade(1, 'new'), false, NOW)).toBeUndefined();
		cursor.restart();
		expect(cursor.admit(trade(2), false, NOW)).toBeDefined();
		cursor.mayRestart();
		expect(cursor.admit(trade(1), false, NOW)).toBeDefined();
		cursor.confirmRun();
		expect(cursor.admit(trade(2, 'again'), false, NOW)).toBeUndefined();
	});

	it('is not told again where a reading comes only after another doubt', () => {
		const cursor = cursorOf(undefined, true);
		for (const sequence of [0, 1, 2]) cursor.admit(trade(sequence), false, NOW);
		cursor.mayRestart();
		expect(cursor.admit(trade(1, 'new'), false, NOW)).toBeDefined();
		cursor.restart();
		cursor.admit(trade(4, 'latest'), false, NOW);
		cursor.mayRestart();
		cursor.confirmRun();
		expect(cursor.admit(trade(1, 'new'), true, NOW)).toBeUndefined();
		expect(cursor.admit(trade(2, 'newer'), true, NOW)).toBeDefined();
	});

	it('is not told again from a list while the numbers are in doubt, although its key was forgotten', () => {
		const cursor = cursorOf(undefined, true);
		for (const sequence of [0, 1, 2, 3]) cursor.acknowledge(cursor.admit(trade(sequence), false, NOW)!);
		const next = cursorOf({ ...cursor.stored(NOW, true), keys: '' }, true);
		next.mayRestart();
		expect([2, 4].map((sequence) => next.admit(trade(sequence), true, NOW)?.key)).toEqual([undefined, 'trade:4']);
		expect(next.admit(trade(2, 'new'), false, NOW)?.key).toBe('new');
		next.restart();
		expect([1, 3].map((sequence) => next.admit(trade(sequence, `new ${sequence}`), true, NOW)?.key)).toEqual([
			'new 1',
			'new 3',
		]);
	});

	it('is compared by a message, because what was read may be of a run that no message has shown', () => {
		const cursor = cursorOf(undefined, true);
		cursor.admit(trade(1), true, NOW);
		cursor.admit(trade(2), true, NOW);
		expect(cursor.mark()).toMatchObject({ sequence: 1 });
		cursor.admit(trade(3), false, NOW);
		cursor.admit(trade(4), true, NOW);
		expect(cursor.mark()).toMatchObject({ sequence: 3 });
		cursor.mayRestart();
		cursor.restart();
		// A message followed these two, so they belong to the earlier run, and only the last may be of the new one.
		expect([1, 2, 3, 4].filter((sequence) => cursor.admit(trade(sequence), true, NOW))).toEqual([1, 2, 3]);
	});

	it('is compared by a message that came in doubt, once its run is confirmed', () => {
		const cursor = cursorOf(undefined, true);
		cursor.cover(-1, 0);
		cursor.mayRestart();
		cursor.admit(trade(1), false, NOW);
		cursor.admit(trade(2), true, NOW);
		cursor.confirmRun();
		expect(cursor.mark()).toMatchObject({ sequence: 1 });
		// Events delivered during an earlier doubt may be of an earlier run.
		cursor.mayRestart();
		cursor.admit(trade(3), false, NOW);
		cursor.mayRestart();
		cursor.confirmRun();
		expect(cursor.mark()).toMatchObject({ sequence: 1 });
	});

	it('is stored by number, and its keys once a second or at the end', () => {
		const cursor = cursorOf(undefined, true);
		const taken = (sequence: number) => cursor.acknowledge(cursor.admit(trade(sequence), false, NOW)!);
		const lengthAt = (now: number, isFull = false) => cursor.stored(now, isFull).keys!.length;
		taken(0);
		expect(lengthAt(NOW)).toBe(10);
		taken(1);
		expect(cursor.isStoredLater()).toBe(true);
		expect(lengthAt(NOW + 999)).toBe(10);
		expect(cursor.stored(NOW + 999, false)).toMatchObject({ coverage: [1], until: 1 });
		expect(lengthAt(NOW + 1_000)).toBe(20);
		expect(cursor.isStoredLater()).toBe(false);
		taken(2);
		expect(lengthAt(NOW + 1_500)).toBe(20);
		expect(lengthAt(NOW + 1_500, true)).toBe(30);
		const next = restarted(cursor, true);
		expect([next.floor(), next.admit(trade(2), false, NOW)]).toEqual([2, undefined]);
		next.mayRestart();
		expect([next.admit(trade(2), false, NOW), next.admit(trade(2, 'new'), false, NOW)?.key]).toEqual([
			undefined,
			'new',
		]);
	});

	it('counts no numbers where its events follow no sequence', () => {
		const cursor = cursorOf();
		cursor.acknowledge(cursor.admit(trade(5), false, NOW)!);
		expect(cursor.stored(NOW, true)).not.toHaveProperty('coverage');
		expect(cursor.admit(trade(5, 'other'), false, NOW)).toBeDefined();
	});
});

describe('what a cursor stores', () => {
	it('is the place it reached, which a replay does not move back', () => {
		const cursor = cursorOf({ epoch: 'e1', seq: 5 });
		const reached = (seq: number, epoch = 'e1') => {
			cursor.reach({ epoch, seq });
			const { epoch: now, seq: at } = cursor.stored(NOW, true);
			return [now, at];
		};
		expect([reached(4), reached(5), reached(6), reached(1, 'e2')]).toEqual([
			['e1', 5],
			['e1', 5],
			['e1', 6],
			['e2', 1],
		]);
		cursor.commit({ position: { epoch: 'e2', seq: 3 } });
		expect(cursor.stored(NOW, true)).toMatchObject({ epoch: 'e2', seq: 3 });
	});

	it('is not what was only offered', () => {
		const cursor = cursorOf({ epoch: 'e1', seq: 5 });
		expect(cursor.offered()).toEqual({ epoch: 'e1', seq: 5 });
		cursor.advance({ epoch: 'e1', seq: 4 });
		expect(cursor.offered()).toEqual({ epoch: 'e1', seq: 5 });
		cursor.advance({ epoch: 'e1', seq: 9 });
		expect(cursor.offered()).toEqual({ epoch: 'e1', seq: 9 });
		expect(cursor.stored(NOW, true)).toMatchObject({ seq: 5 });
	});

	it('is as little as there is to say', () => {
		expect(cursorOf().stored(NOW, true)).toEqual({ keys: '' });
	});

	it('is settled by what comes to pass without an event', () => {
		const cursor = cursorOf({ coverage: [7], watermark: 5 });
		cursor.commit({ watermark: 9, covered: [{ after: 7, upTo: 12 }] });
		cursor.commit({ watermark: 8, acknowledged: new Map([['a', order('a', 'filled')]]) });
		expect(cursor.stored(NOW, true)).toMatchObject({
			watermark: 9,
			coverage: [12],
			orders: [['a', 'filled', '0', null]],
		});
		cursor.commit({ run: {}, covered: [{ after: -1, upTo: 3 }] });
		expect(cursor.stored(NOW, true)).toMatchObject({ coverage: [3] });
	});

	it.each([
		[{ orders: [[1, 'filled'], ['a'], 'a', ['b', 'accepted', 5, 7]] }, { orders: [['b', 'accepted', 5, 7]] }],
		[{ orders: { 0: ['a', 'accepted'] }, deep: 'yes', watermark: '5', keys: 'short' }, { keys: '' }],
		[{ watermark: Number.NaN, until: Number.POSITIVE_INFINITY, forgotten: '1' }, { keys: '' }],
		[null, { keys: '' }],
		['all', { keys: '' }],
	])('is read from %j as far as it has the right form', (given, stored) => {
		expect(cursorOf(given).stored(NOW, true)).toEqual({ keys: '', ...stored });
	});
});
