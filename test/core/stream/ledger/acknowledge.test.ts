import { streamPolicy } from '@partner-exchange/core/testing';
import { acknowledge, merged, reach, type Delta } from '../../../../packages/core/src/stream/ledger/ledger';
import { emptyLedger, storedLedger } from '../../../../packages/core/src/stream/ledger/stored';
import { STORED_KEYS_MIN, STORED_UNDATED_KEYS_MAX } from '../../../../packages/core/src/stream/limits';
import { event, ledgerOf, timeOfTrade, trade } from './ledger-stage';

const MAX = streamPolicy.storedKeysMax;
const print = (index: number): string => String(index).padStart(10, '.');
const order = (id: string, status: string): Delta => ({
	key: id,
	order: { id, status, filled: '0' },
	prints: print(1),
});

/** The ledger after some deltas, as a checkpoint stores it. */
function after(...deltas: Delta[]) {
	const ledger = emptyLedger();
	for (const delta of deltas) acknowledge(ledger, delta, MAX);
	return storedLedger(ledger, false);
}

const keysIn = ({ keys }: ReturnType<typeof after>): number =>
	keys.reduce((sum, [prints]) => sum + prints.length / 10, 0);

describe('acknowledge', () => {
	it.each<[string, Delta[], object]>([
		['nothing', [], { keys: [] }],
		['an event', [{ prints: print(1), place: 5 }], { keys: [[print(1), 5]] }],
		[
			'events with and without a place',
			[{ prints: print(1), place: 5 }, { prints: print(2) }, { prints: print(3), place: 3 }],
			{ keys: [[print(1) + print(2) + print(3), 5]] },
		],
		[
			'an open order, which needs no key',
			[order('a', 'accepted')],
			{ keys: [], orders: [['a', 'accepted', '0', null]] },
		],
		[
			'orders, the latest change last',
			[order('a', 'accepted'), order('b', 'accepted'), order('a', 'filled')],
			{
				keys: [[print(1), null]],
				orders: [
					['b', 'accepted', '0', null],
					['a', 'filled', '0', null],
				],
			},
		],
		[
			'positions, which a replay does not move back',
			[5, 4, 6].map((seq) => ({ position: { epoch: 'e', seq } })),
			{ keys: [], epoch: 'e', seq: 6 },
		],
		[
			'a position of another epoch',
			[{ position: { epoch: 'e', seq: 6 } }, { position: { epoch: 'f', seq: 1 } }],
			{ keys: [], epoch: 'f', seq: 1 },
		],
		[
			'watermarks, the latest',
			[{ watermark: 9 }, { watermark: 8 }, { watermark: undefined }],
			{ keys: [], watermark: 9 },
		],
		[
			'numbers and ranges',
			[{ ranges: [[0, 7]] }, { sequence: 8 }, { sequence: 12 }],
			{ keys: [], coverage: [8, [12, 12]] },
		],
		[
			'what needed no delivery',
			[{ deltas: new Map([['a', order('a', 'filled')]]), watermark: 9 }],
			{ keys: [[print(1), null]], orders: [['a', 'filled', '0', null]], watermark: 9 },
		],
		[
			'a restart of the numbers, whose places say nothing any more',
			[{ sequence: 8, prints: print(1), place: 8 }, { isRenumbered: true }, { sequence: 2 }],
			{ keys: [[print(1), null]], coverage: [-1, [2, 2]] },
		],
	])('acknowledge stores %s', (_, deltas, stored) => {
		expect(after(...deltas)).toEqual(stored);
	});

	it('acknowledge forgets keys that backfills passed, down to some of the latest', () => {
		const events = Array.from({ length: 3 * STORED_KEYS_MIN }, (_, index) => ({ prints: print(index), place: index }));
		expect(keysIn(after(...events))).toBe(3 * STORED_KEYS_MIN);
		const stored = after(...events, { watermark: 3 * STORED_KEYS_MIN });
		expect(keysIn(stored)).toBeGreaterThanOrEqual(STORED_KEYS_MIN);
		expect(keysIn(stored)).toBeLessThan(2 * STORED_KEYS_MIN);
		expect(stored.forgotten).toBe(3 * STORED_KEYS_MIN - keysIn(stored) - 1);
	});

	it('acknowledge forgets no key that a backfill may show again, except beyond the limit, and says so', () => {
		const events = Array.from({ length: 2 * MAX }, (_, index) => ({ prints: print(index), place: index }));
		const stored = after({ watermark: 10 }, ...events);
		expect(keysIn(stored)).toBeLessThanOrEqual(MAX);
		expect(stored.forgotten).toBe(2 * MAX - keysIn(stored) - 1);
	});

	it('acknowledge remembers more events without a time, because every backfill shows all of them', () => {
		const events = (count: number) => Array.from({ length: count }, (_, index) => ({ prints: print(index) }));
		expect(after(...events(MAX + 2_000))).not.toHaveProperty('undatedForgotten');
		expect(after(...events(STORED_UNDATED_KEYS_MAX + 1_000))).toHaveProperty('undatedForgotten', true);
	});

	it('acknowledge drops keys without a place with the next that have one', () => {
		const undated = Array.from({ length: STORED_KEYS_MIN }, (_, index) => ({ prints: print(index) }));
		const dated = Array.from({ length: STORED_KEYS_MIN }, (_, index) => ({ prints: print(index), place: 5 }));
		const stored = after(...undated, ...dated, ...dated, { watermark: 10 });
		expect(stored).not.toHaveProperty('undatedForgotten');
		expect(stored.forgotten).toBe(5);
	});

	it('acknowledge changes nothing of what was stored before', () => {
		const ledger = emptyLedger();
		acknowledge(ledger, { prints: print(1), place: 1, sequence: 1 }, MAX);
		const before = storedLedger(ledger, false);
		const text = JSON.stringify(before);
		acknowledge(ledger, { prints: print(2), place: 2, sequence: 2 }, MAX);
		acknowledge(ledger, { sequence: 9 }, MAX);
		expect(JSON.stringify(before)).toBe(text);
	});

	it('acknowledge makes a ledger equal to what was offered once everything is acknowledged', () => {
		const { live, settle, acknowledge: take, stored, offered } = ledgerOf(undefined, { isNumbered: true });
		const deltas = [1, 2, 4, 9].map((sequence) => live(trade(sequence), { epoch: 'e', seq: sequence })!);
		for (const delta of deltas) take(delta);
		settle({ position: { epoch: 'e', seq: 9 }, ranges: [[-1, 0]] });
		expect(stored()).toMatchObject({ seq: 9, coverage: [2, [4, 4], [9, 9]] });
		expect(offered).toMatchObject({ position: { seq: 9 }, ranges: [2, [4, 4], [9, 9]] });
	});
});

describe('the mark of a run', () => {
	const numbered = (stored?: unknown) => ledgerOf(stored, { isNumbered: true });

	it('the mark of a run is the latest message, because a row may be of a run that no message has shown', () => {
		const { live, read, offered } = numbered();
		read(trade(1));
		read(trade(2));
		expect(offered.mark).toMatchObject({ sequence: 1 });
		live(trade(3));
		read(trade(4));
		expect(offered.mark).toMatchObject({ sequence: 3 });
	});

	it('the mark of a run is stored with its time, beside the numbers it belongs to', () => {
		const { take, live, next, stored } = numbered();
		take(trade(1), trade(2));
		live(trade(3));
		expect(stored()).toMatchObject({ coverage: [-1, [1, 2]], run: [2, 'trade:2', timeOfTrade(2)] });
		expect(stored()).not.toHaveProperty('doubtful');
		expect(next().offered.mark).toEqual({ sequence: 2, key: 'trade:2', time: timeOfTrade(2) });
		expect(next().next().stored().run).toEqual([2, 'trade:2', timeOfTrade(2)]);
	});

	it('the mark of a run is the earlier one until all of that is acknowledged, and its numbers stay suspect', () => {
		const { take, mayRestart, restart, read, stored, acknowledge: took } = numbered();
		take(trade(1), trade(2));
		mayRestart();
		expect(stored()).toMatchObject({ run: [2, 'trade:2', timeOfTrade(2)], doubtful: true });
		restart();
		const delta = read(trade(1, 'other'))!;
		expect(stored()).toMatchObject({ run: [2, 'trade:2', timeOfTrade(2)], doubtful: true });
		took({ isRenumbered: true });
		took(delta);
		expect(stored()).toMatchObject({ coverage: [-1, [1, 1]], run: [1, 'other', timeOfTrade(1)] });
		expect(stored()).not.toHaveProperty('doubtful');
	});

	it('the mark of a run does not move while numbers are suspect, over the end of the process too', () => {
		const { take, mayRestart, next } = numbered();
		take(trade(2));
		mayRestart();
		take(trade(3, 'other'));
		const after = next();
		after.live(trade(4, 'another'));
		expect(after.offered.mark).toMatchObject({ sequence: 2 });
		expect(after.stored()).toHaveProperty('doubtful', true);
		after.confirmRun();
		after.live(trade(5));
		expect(after.offered.mark).toMatchObject({ sequence: 5 });
	});

	it.each([
		['without a time', { ...trade(1), item: {} }],
		['under a long key', trade(1, 'x'.repeat(201))],
	])('the mark of a run is not stored %s', (_, event) => {
		const { take, offered, stored } = numbered();
		take(event);
		expect(offered.mark).toMatchObject({ sequence: 1 });
		expect(stored()).not.toHaveProperty('run');
	});

	it('the mark of a run is stored under a key of limited length', () => {
		const { take, stored } = numbered();
		take(trade(1, 'x'.repeat(200)));
		expect(stored()).toHaveProperty('run');
	});

	it.each([
		[undefined],
		['all'],
		[[]],
		[['x', 'trade:1', 5]],
		[[1, 2, 5]],
		[[1, 'trade:1', '5']],
		[[1.5, 'trade:1', 5]],
	])('the mark of a run is not read from %j, which has another form', (run) => {
		const { offered, stored } = numbered({ keys: [], coverage: [1], run, doubtful: 'yes' });
		expect(offered.mark).toBeUndefined();
		expect(stored()).toEqual({ keys: [], coverage: [1] });
	});
});

describe('what is stored', () => {
	it('a checkpoint stores what was acknowledged, and not what was only offered', () => {
		const { live, stored, offered } = ledgerOf({ keys: [], epoch: 'e1', seq: 5 });
		live(event('a'));
		reach(offered, { epoch: 'e1', seq: 4 });
		expect(offered.position).toEqual({ epoch: 'e1', seq: 5 });
		reach(offered, { epoch: 'e1', seq: 9 });
		expect(offered.position).toEqual({ epoch: 'e1', seq: 9 });
		expect(stored()).toEqual({ keys: [], epoch: 'e1', seq: 5 });
	});

	it.each([
		[{ orders: [[1, 'filled'], ['a'], 'a', ['b', 'accepted', 5, 7]] }, { orders: [['b', 'accepted', 5, 7]] }],
		[{ orders: { 0: ['a', 'accepted'] }, deep: 'yes', watermark: '5', keys: [['short', 1], [print(1), 'x'], 5] }, {}],
		[{ watermark: Number.NaN, forgotten: 'x', earlier: { digests: 'short' }, undatedForgotten: 1 }, {}],
		[{ shapes: { live: 5, read: 'i' } }, { shapes: { read: 'i' } }],
		[null, {}],
		['all', {}],
	])('a checkpoint is read from %j as far as it has the right form', (stored, read) => {
		expect(JSON.parse(JSON.stringify(ledgerOf(stored).stored()))).toEqual({ keys: [], ...read });
	});
});

describe('merged', () => {
	it('merging takes the later of two deltas if both have a value, and either if one does', () => {
		const both = merged(merged(undefined, { watermark: 1, position: { epoch: 'e', seq: 1 } }), { watermark: 2 });
		expect(both).toMatchObject({ watermark: 2, position: { epoch: 'e', seq: 1 } });
	});

	it('merging joins adjacent ranges, in either direction, and keeps others apart', () => {
		const ranges = (
			[
				[1, 2],
				[3, 4],
				[9, 9],
				[8, 8],
				[20, 30],
			] as [number, number][]
		).reduce<Delta>(
			(sum, range) => merged(sum as ReturnType<typeof merged>, { ranges: [range] }),
			merged(undefined, {}),
		).ranges;
		expect(ranges).toEqual([
			[1, 4],
			[8, 9],
			[20, 30],
		]);
	});

	it('merging leaves its arguments unchanged', () => {
		const first: Delta = { ranges: [[1, 2]], deltas: new Map([['a', order('a', 'accepted')]]) };
		const both = merged(merged(undefined, first), { ranges: [[3, 4]], deltas: new Map([['a', order('a', 'filled')]]) });
		expect(first.ranges).toEqual([[1, 2]]);
		expect(first.deltas!.get('a')).toMatchObject({ order: { status: 'accepted' } });
		expect(both.deltas!.get('a')).toMatchObject({ order: { status: 'filled' } });
	});

	it('merging drops the ranges before a restart of the numbers', () => {
		const both = merged(merged(undefined, { ranges: [[1, 2]], watermark: 5 }), {
			isRenumbered: true,
			ranges: [[0, 1]],
		});
		expect(both).toEqual({
			ranges: [[0, 1]],
			watermark: 5,
			isRenumbered: true,
			position: undefined,
			shapes: undefined,
		});
	});
});
