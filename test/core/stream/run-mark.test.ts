import { streamPolicy } from '@partner-exchange/core/testing';
import { createCursor } from '../../../packages/core/src/stream/delivery/cursor';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';

const NOW = 1_000_000;
const BEGINS = Date.UTC(2026, 0, 5, 9);

const cursorOf = (given?: unknown) => createCursor(given, streamPolicy, true);
const trade = (sequence: number, key = `trade:${sequence}`): TopicEvent => {
	const item = { created_at: new Date(BEGINS + sequence).toISOString() };
	return { key, sequence, data: item, item };
};
/** The state a run of the process stores, read by the next one. */
const again = (cursor: ReturnType<typeof cursorOf>) =>
	cursorOf(JSON.parse(JSON.stringify(cursor.stored(NOW, true))) as unknown);

function withTaken(...sequences: number[]) {
	const cursor = cursorOf();
	for (const sequence of sequences) cursor.acknowledge(cursor.admit(trade(sequence), false, NOW)!);
	return cursor;
}

describe('the mark by which a run of the service is known again', () => {
	it('is stored beside the numbers it belongs to, taken or not', () => {
		const cursor = withTaken(1, 2);
		cursor.admit(trade(3), false, NOW);
		expect(cursor.stored(NOW, true)).toMatchObject({ coverage: [-1, [1, 2]], run: [3, 'trade:3', BEGINS + 3] });
		expect(cursor.stored(NOW, true)).not.toHaveProperty('doubtful');
		expect(again(cursor).mark()).toEqual({ sequence: 3, key: 'trade:3', time: BEGINS + 3 });
		expect(again(again(cursor)).stored(NOW, true).run).toEqual([3, 'trade:3', BEGINS + 3]);
	});

	it('is that of the run before until all of that was taken, and its numbers are in doubt', () => {
		const cursor = withTaken(1, 2);
		cursor.mayRestart();
		expect(cursor.stored(NOW, true)).toMatchObject({ run: [2, 'trade:2', BEGINS + 2], doubtful: true });
		const run = cursor.restart();
		cursor.admit(trade(1, 'other'), true, NOW);
		expect(cursor.stored(NOW, true)).toMatchObject({ run: [2, 'trade:2', BEGINS + 2], doubtful: true });
		cursor.commit({ run });
		expect(cursor.stored(NOW, true)).toMatchObject({ coverage: [-1], run: [1, 'other', BEGINS + 1] });
		expect(cursor.stored(NOW, true)).not.toHaveProperty('doubtful');
	});

	it('leaves numbers in doubt that were, so that keys tell what came of them', () => {
		const cursor = withTaken(1, 2);
		cursor.mayRestart();
		cursor.acknowledge(cursor.admit(trade(1, 'other'), false, NOW)!);
		const next = again(cursor);
		expect(next.admit(trade(1, 'other'), false, NOW)).toBeUndefined();
		expect(next.admit(trade(2, 'another'), false, NOW)).toBeDefined();
		expect(next.mark()).toMatchObject({ sequence: 2, key: 'trade:2' });
		next.restart();
		const told = [trade(1, 'other'), trade(2, 'another'), trade(3, 'third')];
		expect(told.filter((one) => next.admit(one, true, NOW)).map(({ key }) => key)).toEqual(['third']);
	});

	it('is of a run that begins the first that is read of it, although that was told in doubt', () => {
		const cursor = withTaken(1);
		cursor.mayRestart();
		cursor.acknowledge(cursor.admit(trade(1, 'other'), false, NOW)!);
		cursor.restart();
		expect(cursor.admit(trade(1, 'other'), true, NOW)).toBeUndefined();
		expect(cursor.mark()).toMatchObject({ sequence: 1, key: 'other' });
	});

	it('is stored while in doubt with every key, however many', () => {
		const cursor = withTaken(1, 2);
		cursor.mayRestart();
		for (let sequence = 1; sequence <= 2_000; sequence += 1) {
			cursor.acknowledge(cursor.admit(trade(sequence, `new:${sequence}`), false, NOW)!);
			if (sequence % 100 === 0) cursor.stored(NOW, false);
		}
		const next = again(cursor);
		next.restart();
		expect([1, 2, 1_000, 2_000].map((sequence) => next.admit(trade(sequence, `new:${sequence}`), true, NOW))).toEqual([
			...[undefined, undefined, undefined, undefined],
		]);
		expect(next.admit(trade(2_001, 'new:2001'), true, NOW)).toBeDefined();
	});

	it('is stored with every key until all was taken that came in doubt', () => {
		const cursor = withTaken(1, 2);
		cursor.mayRestart();
		const told = Array.from({ length: 2_000 }, (_, index) => trade(index + 1, `new:${index + 1}`));
		const facts = told.map((event) => cursor.admit(event, false, NOW)!);
		cursor.restart();
		for (const [index, each] of facts.entries()) {
			cursor.acknowledge(each);
			if (index % 100 === 0) cursor.stored(NOW, false);
		}
		const next = again(cursor);
		next.restart();
		expect(told.filter((event) => next.admit(event, true, NOW))).toEqual([]);
	});

	it('is stored while in doubt with every key, however soon', () => {
		const cursor = withTaken(1);
		const keysAt = (now: number) => cursor.stored(now, false).keys!.length;
		expect(keysAt(NOW)).toBe(10);
		cursor.acknowledge(cursor.admit(trade(2), false, NOW)!);
		expect(keysAt(NOW + 1)).toBe(10);
		cursor.mayRestart();
		cursor.acknowledge(cursor.admit(trade(3), false, NOW)!);
		expect(keysAt(NOW + 2)).toBe(30);
	});

	it.each([
		['without a time', { ...trade(1), item: {} }],
		['under a long key', trade(1, 'x'.repeat(201))],
	])('is not stored %s', (_, event) => {
		const cursor = cursorOf();
		cursor.acknowledge(cursor.admit(event, false, NOW)!);
		expect(cursor.mark()).toMatchObject({ sequence: 1 });
		expect(cursor.stored(NOW, true)).not.toHaveProperty('run');
	});

	it('is stored under a key of some length', () => {
		const cursor = cursorOf();
		cursor.admit(trade(1, 'x'.repeat(200)), false, NOW);
		expect(cursor.stored(NOW, true)).toHaveProperty('run');
	});

	it.each([
		[undefined],
		['all'],
		[[]],
		[['1', 'trade:1', 5]],
		[[1, 2, 5]],
		[[1, 'trade:1', '5']],
		[[1.5, 'trade:1', 5]],
	])('is not taken from %j, which has another form', (run) => {
		const cursor = cursorOf({ coverage: [1], run, doubtful: 'yes' });
		expect(cursor.mark()).toBeUndefined();
		expect(cursor.stored(NOW, true)).toEqual({ keys: '', coverage: [1] });
	});
});

describe('a message while numbers are in doubt', () => {
	const AT = { epoch: 'e1', seq: 3 };
	/** Three trades were acknowledged, and the process ended before the keys of the last two were stored. */
	function withLateKeys(): unknown {
		const cursor = cursorOf();
		cursor.advance(AT);
		cursor.reach(AT);
		for (const sequence of [1, 2, 3]) {
			cursor.acknowledge(cursor.admit(trade(sequence), false, NOW)!);
			cursor.stored(NOW, false);
		}
		return JSON.parse(JSON.stringify(cursor.stored(NOW, false)));
	}
	const doubted = (present?: { epoch: string; seq: number }, isReadAgain = true) => {
		const cursor = cursorOf(withLateKeys());
		expect(cursor.mayRestart(present, isReadAgain)).toBe(true);
		return cursor;
	};
	const keysOf = (events: readonly (object | undefined)[]) => events.map((event) => event !== undefined);

	it('is told by its number in the epoch of the numbers, as far as that is known', () => {
		const cursor = doubted();
		const come = [trade(2), trade(3), trade(4), trade(4)];
		expect(keysOf(come.map((event) => cursor.admit(event, false, NOW, 'e1')))).toEqual([false, false, true, false]);
	});

	it.each([
		['of another epoch', 'e2'],
		['without a position', undefined],
	])('is told by its key %s', (_, epoch) => {
		const cursor = doubted();
		const come = [trade(1), trade(2, 'other'), trade(2, 'other')];
		expect(keysOf(come.map((event) => cursor.admit(event, false, NOW, epoch)))).toEqual([false, true, false]);
	});

	it('is read again where that epoch began anew', () => {
		const cursor = doubted();
		expect(cursor.admit(trade(2, 'other'), false, NOW, 'e1')).toBeUndefined();
		cursor.restart();
		expect(cursor.admit(trade(2, 'other'), true, NOW)).toBeDefined();
	});

	it('is told by its key where nothing is read that would tell it', () => {
		const cursor = doubted(undefined, false);
		expect(cursor.admit(trade(2, 'other'), false, NOW, 'e1')).toBeDefined();
	});

	it('is told by its key where the process before was in doubt already, of an epoch nobody knows', () => {
		const cursor = cursorOf({ ...(withLateKeys() as object), doubtful: true });
		cursor.mayRestart(undefined, true);
		expect(cursor.admit(trade(2, 'other'), false, NOW, 'e1')).toBeDefined();
	});

	it('is told by the epoch in which the doubt arose, whatever came since', () => {
		const cursor = doubted({ epoch: 'e2', seq: 1 });
		cursor.advance({ epoch: 'e2', seq: 1 });
		cursor.mayRestart(undefined, true);
		expect(cursor.admit(trade(2, 'other'), false, NOW, 'e2')).toBeDefined();
		expect(cursor.admit(trade(3), false, NOW, 'e1')).toBeUndefined();
	});
});

describe('numbers of a cursor', () => {
	const doubted = (given: unknown, epoch?: string) => cursorOf(given).mayRestart(epoch ? { epoch, seq: 1 } : undefined);

	it.each<[string, object, string | undefined, boolean]>([
		['nobody knows where the service is', { epoch: 'e1', seq: 3, coverage: [3] }, undefined, true],
		['it is in another epoch', { epoch: 'e1', seq: 3, coverage: [3] }, 'e2', true],
		['it is in the same', { epoch: 'e1', seq: 3, coverage: [3] }, 'e1', false],
		['it is in the same, written as a number', { epoch: 1, seq: 3, coverage: [3] }, '1', false],
		['only numbers are known', { coverage: [3] }, 'e1', true],
		['only a mark is known', { coverage: [0], run: [3, 'trade:3', 5] }, 'e1', true],
		['nothing is known', { coverage: [0] }, 'e1', false],
		['no number came', { epoch: 'e1', seq: 3 }, 'e2', false],
	])('where %s are of a run that may be over: %j, %s, %s', (_, given, epoch, isDoubted) => {
		expect(doubted(given, epoch)).toBe(isDoubted);
	});
});
