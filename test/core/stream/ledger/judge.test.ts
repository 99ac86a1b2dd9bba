import { settledBy } from '../../../../packages/core/src/stream/delivery/cursor';
import { tellsOverrun } from '../../../../packages/core/src/stream/ledger/key-index';
import { KEYS_MAX, KEYS_MIN } from '../../../../packages/core/src/stream/limits';
import type { TopicEvent } from '../../../../packages/core/src/stream/topics/event';
import { event, ledgerOf, NOW, trade } from './ledger-stage';

const order = (id: string, status: string, more: Partial<TopicEvent> = {}) =>
	event(`order:${id}:${status}`, { order: { id, status, filled: '0' }, ...more });

describe('judge, of events with identifiers', () => {
	it('judge returns a delta once, under whichever of its keys a copy comes', () => {
		const { live } = ledgerOf();
		expect(live(event('a', { aliases: ['b'] }))).toMatchObject({ key: 'a' });
		expect(live(event('a'))).toBeUndefined();
		expect(live(event('b'))).toBeUndefined();
		expect(live(event('c', { aliases: ['a'] }))).toBeUndefined();
	});

	it('judge keeps two events apart that share an alias, because a trade has two fills', () => {
		const { live } = ledgerOf();
		expect(live(event('d', { aliases: ['shared'] }))).toMatchObject({ key: 'd' });
		expect(live(event('e', { aliases: ['shared'] }))).toMatchObject({ key: 'e' });
	});

	it('judge knows in the next run what the host acknowledged, by any of its keys, and nothing else', () => {
		const { take, live, next } = ledgerOf();
		take(event('a', { aliases: ['b'] }));
		live(event('offered'));
		const after = next();
		expect([event('a'), event('b'), event('x', { aliases: ['a'] })].map((event) => after.live(event))).toEqual(
			Array(3),
		);
		expect(after.live(event('offered'))).toMatchObject({ key: 'offered' });
	});

	it('judge treats a row before the watermark as old once keys that old were forgotten', () => {
		const { read, live, forget, settle } = ledgerOf();
		const isNew = (time: number | undefined, isRead: boolean, name: string) =>
			(isRead ? read : live)(event(`${time}:${isRead}:${name}`, { time })) !== undefined;
		forget(1_000);
		expect(isNew(900, true, 'unsettled')).toBe(true);
		settle({ watermark: 2_000 });
		expect([isNew(900, true, 'b'), isNew(1_000, true, 'b'), isNew(1_001, true, 'b')]).toEqual([false, false, true]);
		expect([isNew(undefined, true, 'b'), isNew(1_000, false, 'b')]).toEqual([true, true]);
	});

	it('judge treats a replayed message before the watermark as old, because it was offered before', () => {
		const { live, forget, settle } = ledgerOf();
		forget(1_000);
		settle({ watermark: 2_000 });
		settle({ position: { epoch: 'e', seq: 5 } });
		const at = (key: string, seq: number, epoch = 'e') => live(event(key, { time: 900 }), { epoch, seq })?.key;
		expect([at('a', 5), at('b', 6), at('c', 5, 'other')]).toEqual([undefined, 'b', 'c']);
	});

	it('judge never treats a notice as old', () => {
		const { read } = ledgerOf({ keys: [], undatedForgotten: true });
		expect(read(event('fill'))).toBeUndefined();
		expect(read(event('gap', { kind: 'gap' }))).toMatchObject({ key: 'gap' });
	});

	it('judge knows the oldest of many events as long as no backfill passed them', () => {
		const { take, read, settle } = ledgerOf();
		const events = Array.from({ length: 3 * KEYS_MIN }, (_, index) => event(`fill:${index}`, { time: index }));
		take(...events);
		expect(events.filter((event) => read(event))).toEqual([]);
		settle({ watermark: 2 * KEYS_MIN });
		take(event('next', { time: 3 * KEYS_MIN }));
		expect(events.filter((event) => read(event))).toEqual([]);
	});

	it('judge forgets the oldest by time beyond the limit, and says so once until a backfill is complete', () => {
		const { read, offered } = ledgerOf();
		// A list that is read from its newest end.
		const events = Array.from({ length: KEYS_MAX + 1_000 }, (_, index) => event(`fill:${index}`, { time: -index }));
		for (const entry of events.slice(0, KEYS_MAX)) read(entry);
		expect(tellsOverrun(offered.keys)).toBe(false);
		for (const entry of events.slice(KEYS_MAX)) read(entry);
		expect([tellsOverrun(offered.keys), tellsOverrun(offered.keys)]).toEqual([true, false]);
		expect(events.slice(0, KEYS_MAX / 2).filter((event) => read(event))).toEqual([]);
		expect(events.slice(-KEYS_MIN + 1_000).filter((event) => read(event))).toEqual([]);
		expect(events.filter((event) => read(event)).length).toBeGreaterThan(0);
		const before = -2 * KEYS_MAX;
		const settled = settledBy(offered, before)!;
		expect(settled).toBeGreaterThan(-KEYS_MAX);
		expect(settled).toBeLessThan(-KEYS_MAX / 2);
		expect(settledBy(offered, before)).toBe(before);
	});
});

describe('judge, of records that stream and list write differently', () => {
	const alike = (link: string | undefined, content: string) => ({ alike: () => ({ link, content }) });
	const named = (key: string, shape: string, link?: string) => event(key, { shape, ...alike(link, 'content') });
	const anonymous = (copy = 1) =>
		event(copy === 1 ? 'content' : `content#${copy}`, { shape: '', isAnonymous: true, ...alike(undefined, 'content') });

	it('judge knows an identifier under another name', () => {
		const { live, read } = ledgerOf();
		expect(live(named('fill:1:o', 't', '1|o'))).toBeDefined();
		expect(read(named('fill:1', 'i', '1|o'))).toBeUndefined();
		expect(read(named('fill:2', 'i', '2|o'))).toBeDefined();
	});

	it.each([
		['the stream has none', (events: TopicEvent[], other: TopicEvent[]) => [events, other]],
		['the list has none', (events: TopicEvent[], other: TopicEvent[]) => [other, events]],
	])('judge counts events of one content where %s', (_, sides) => {
		const without = [anonymous(), anonymous(2)];
		const having = ['a', 'b', 'c'].map((name) => named(`fill:${name}`, 'i'));
		const [first, second] = sides(without, having) as [TopicEvent[], TopicEvent[]];
		const { take, read } = ledgerOf();
		take(...first);
		const more = second.slice(first.length);
		expect(second.filter((event) => read(event))).toEqual(more);
		expect(second.filter((event) => read(event))).toEqual([]);
	});

	it('judge counts events of one content over a restart', () => {
		const first = ledgerOf();
		first.take(anonymous(), anonymous(2));
		const second = first.next();
		expect(['a', 'b', 'c'].map((name) => second.read(named(`fill:${name}`, 'i'))?.key)).toEqual([
			undefined,
			undefined,
			'fill:c',
		]);
	});

	it('judge remembers one fingerprint of an event once stream and list have shown the same names', () => {
		const { live, read } = ledgerOf();
		const length = (delta: { prints?: string } | undefined) => delta?.prints?.length;
		expect(length(live(named('fill:1', 'i', '1|o')))).toBe(30);
		expect(read(named('fill:1', 'i', '1|o'))).toBeUndefined();
		expect(length(live(named('fill:2', 'i', '2|o')))).toBe(10);
	});
});

describe('judge, of orders', () => {
	it('judge treats an ended and forgotten order as old, but never an open one', () => {
		const { read, live } = ledgerOf({ keys: [], watermark: 2_000, forgotten: 2_000 });
		expect(read(order('a', 'filled', { time: 1_000 }))).toBeUndefined();
		expect(live(order('b', 'filled', { time: 1_000 }))).toBeDefined();
		expect(read(order('c', 'accepted', { time: 1_000 }))).toBeDefined();
		expect(read(order('c', 'filled', { time: 1_000 }))).toBeDefined();
	});

	it('judge treats nothing as old before a whole backfill if more orders were open than could be stored', () => {
		const ledger = ledgerOf({ keys: [], watermark: 2_000, forgotten: 2_000, deep: true });
		expect(ledger.isSettled(event('a', { time: 1_000 }))).toBe(false);
		expect(ledger.read(order('a', 'filled', { time: 1_000 }))).toBeDefined();
		ledger.settle({ watermark: 2_000, isWhole: true });
		expect(ledger.isSettled(event('b', { time: 1_000 }))).toBe(true);
		expect(ledger.read(order('b', 'filled', { time: 1_000 }))).toBeUndefined();
		expect(ledger.stored()).toMatchObject({ deep: true });
	});

	it('judge moves the watermark of orders as far as backfills got, by the time of creation', () => {
		const { offered, settle, isSettled } = ledgerOf();
		expect(isSettled(event('a', { time: 1 }))).toBe(false);
		settle({ watermark: 1_000 });
		settle({ watermark: 500 });
		expect(offered.watermark).toBe(1_000);
		expect([999, 1_000, 1_001, undefined].map((time) => isSettled(event('a', { time })))).toEqual([
			true,
			true,
			false,
			false,
		]);
	});

	it('judge knows an order of the earlier run, unless an update says more', () => {
		const { take, next } = ledgerOf();
		take(order('a', 'accepted', { time: 7 }), order('a', 'filled', { time: 7 }), order('open', 'accepted'));
		const after = next();
		expect([...after.offered.orders.open.keys()]).toEqual(['open']);
		expect(after.read(order('a', 'filled'))).toBeUndefined();
		expect(after.read(order('open', 'accepted'))).toBeUndefined();
		expect(after.read(order('open', 'filled'))).toBeDefined();
	});

	it('judge knows an order by its key although its state was not stored', () => {
		const { take, next } = ledgerOf();
		take(event('order:a:filled'));
		expect(next().live(order('a', 'filled'))).toBeUndefined();
	});

	it('judge gives a correction another key if it repeats an earlier state', () => {
		const { read } = ledgerOf();
		const at = (status: string, updatedAt: number) =>
			read(event(`order:a:${status}`, { order: { id: 'a', status, filled: '0', updatedAt } }))?.key;
		expect([at('cancelled', 1), at('filled', 2), at('cancelled', 3), at('filled', 4)]).toEqual([
			'order:a:cancelled',
			'order:a:filled',
			'order:a:cancelled~2',
			'order:a:filled~3',
		]);
	});
});

describe('judge, of numbered events', () => {
	const numbered = (stored?: unknown) => ledgerOf(stored, { isNumbered: true });

	it('judge decides by the key, whatever the number', () => {
		const { live } = numbered();
		expect(live(trade(5))).toMatchObject({ sequence: 5 });
		expect(live(trade(5, 'other'))).toMatchObject({ key: 'other' });
		expect([live(trade(6, 'other')), live(trade(5))]).toEqual([undefined, undefined]);
		expect(live(event('unnumbered'))).toBeDefined();
		expect(live(event('unnumbered'))).toBeUndefined();
	});

	it('judge treats a row as old whose number is known and whose key may be forgotten, and one in a hole as new', () => {
		const { read, settle, forget } = numbered();
		settle({
			ranges: [
				[0, 4],
				[6, 10],
			],
		});
		forget(10);
		expect([4, 5, 6, 11].map((number) => read(trade(number))?.key)).toEqual([
			undefined,
			'trade:5',
			undefined,
			'trade:11',
		]);
	});

	it('judge knows events before a restart of the numbers by their key, and later ones under known numbers', () => {
		const { take, live, read, restart, mayRestart } = numbered();
		take(trade(0), trade(1), trade(2));
		mayRestart();
		expect(live(trade(1))).toBeUndefined();
		expect(live(trade(1, 'new'))).toBeDefined();
		restart();
		expect([trade(1, 'new'), trade(2, 'newer'), trade(2)].map((event) => read(event)?.key)).toEqual([
			undefined,
			'newer',
			undefined,
		]);
	});

	it('judge forgets no key while the numbers are suspect', () => {
		const { take, mayRestart, next } = numbered();
		const events = Array.from({ length: 2_000 }, (_, index) => trade(index + 1, `new:${index + 1}`));
		take(trade(1), trade(2));
		mayRestart();
		take(...events);
		const after = next();
		after.restart();
		expect(events.filter((event) => after.read(event))).toEqual([]);
		expect(after.read(trade(2_001, 'new:2001'))).toBeDefined();
	});

	it('judge forgets no key of a suspect event before the host acknowledged all of them', () => {
		const { take, live, mayRestart, restart, acknowledge, next } = numbered();
		const events = Array.from({ length: 2_000 }, (_, index) => trade(index + 1, `new:${index + 1}`));
		take(trade(1), trade(2));
		mayRestart();
		const deltas = events.map((event) => live(event)!);
		restart();
		for (const delta of deltas) acknowledge(delta);
		const after = next();
		after.restart();
		expect(events.filter((event) => after.read(event))).toEqual([]);
	});

	it('judge counts no numbers if the events follow no sequence', () => {
		const { take, live, stored } = ledgerOf();
		take(trade(5));
		expect(stored()).not.toHaveProperty('coverage');
		expect(live(trade(5, 'other'))).toBeDefined();
	});

	it.each<[string, object, string | undefined, boolean]>([
		['nobody knows where the service is', { epoch: 'e1', seq: 3, coverage: [3] }, undefined, true],
		['it is in another epoch', { epoch: 'e1', seq: 3, coverage: [3] }, 'e2', true],
		['it is in the same', { epoch: 'e1', seq: 3, coverage: [3] }, 'e1', false],
		['it is in the same, written as a number', { epoch: 1, seq: 3, coverage: [3] }, '1', false],
		['only numbers are known', { coverage: [3] }, 'e1', true],
		['only a mark is known', { coverage: [0], run: [3, 'trade:3', 5] }, 'e1', true],
		['nothing is known', { coverage: [0] }, 'e1', false],
		['no number came', { epoch: 'e1', seq: 3 }, 'e2', false],
	])('judge suspects the numbers where %s: %j, %s, %s', (_, stored, epoch, isDoubted) => {
		expect(numbered(stored).mayRestart(epoch ? { epoch, seq: 1 } : undefined)).toBe(isDoubted);
	});
});

describe('judge, in time', () => {
	it('judge corrects an order if backfills show another end for CORRECTION_CONFIRMED_AFTER_MS', () => {
		const { read } = ledgerOf();
		const at = (status: string, seconds: number) => read(order('a', status), NOW + seconds * 1_000)?.key;
		expect([at('filled', 0), at('cancelled', 1), at('cancelled', 30), at('cancelled', 31)]).toEqual([
			'order:a:filled',
			undefined,
			undefined,
			'order:a:cancelled',
		]);
	});
});
