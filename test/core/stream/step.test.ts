import { ExchangeError } from '@partner-exchange/core';
import { HELD_MAX, HOLD_MS_MAX, READ_AFTER_MS, READ_LAG_MS_MAX } from '../../../packages/core/src/stream/limits';
import type { TopicInput, TopicRules } from '../../../packages/core/src/stream/sync/effects';
import { step } from '../../../packages/core/src/stream/sync/step';
import { observe } from '../../../packages/core/src/stream/sync/window';
import type { Subscriber } from '../../../packages/core/src/stream/delivery/subscriber';
import { openCursor } from '../../../packages/core/src/stream/delivery/cursor';
import { streamPolicy } from '@partner-exchange/core/testing';
import {
	at,
	book,
	chance,
	confirmed,
	dueIn,
	liveOnly,
	joined,
	message,
	NOW,
	read,
	records,
	someone,
	topicAfter,
	trades,
} from './step-stage';

const late: TopicInput = { type: 'baseline_read', subscriber: someone(), isLate: true };

describe('a step of a topic', () => {
	it.each<[string, TopicRules, TopicInput[], TopicInput, string[]]>([
		['delivers a message that follows the one before', records, [confirmed({ head: at(4) })], message(5), ['deliver']],
		['counts a gap and delivers', records, [confirmed({ head: at(4) })], message(7), ['count_gap', 'deliver']],
		[
			'delivers a repeated message, whose events are known',
			records,
			[confirmed({ head: at(4) })],
			message(4),
			['deliver'],
		],
		[
			'serves those who joined when it is confirmed again',
			records,
			[confirmed({ head: at(4) })],
			confirmed({ head: at(4) }),
			['place', 'serve'],
		],
		[
			'reads for all when it is confirmed again in another epoch',
			records,
			[confirmed({ head: at(4) })],
			confirmed({ head: at(1, 'f') }),
			['place'],
		],
		[
			'tells a gap after a disconnection that cannot be read',
			liveOnly,
			[confirmed({ head: at(4) }), { type: 'lost', heardAt: 0 }],
			confirmed({ head: at(9) }),
			['tell_gap', 'place'],
		],
		[
			'tells no gap where everything is replayed',
			liveOnly,
			[confirmed({ head: at(4) }), { type: 'lost', heardAt: 0 }],
			confirmed({ head: at(9), resumedFrom: at(4) }),
			['place'],
		],
		[
			'tells no gap where nothing happened',
			liveOnly,
			[confirmed({ head: at(4) }), { type: 'lost', heardAt: 0 }],
			confirmed({ head: at(4) }),
			['place'],
		],
		[
			'begins a book with the snapshot of its confirmation',
			book,
			[],
			confirmed({ head: at(4), snapshot: { sequence: 7 } }),
			['place', 'follow_book', 'offer_book'],
		],
		[
			'begins a book over REST where its snapshot is older than what was delivered',
			book,
			[confirmed({ snapshot: { sequence: 9 } }), { type: 'lost', heardAt: 0 }],
			confirmed({ snapshot: { sequence: 7 } }),
			['place', 'follow_book'],
		],
		[
			'takes an older snapshot where nothing newer can be read',
			{ ...book, canRead: false },
			[confirmed({ snapshot: { sequence: 9 } }), { type: 'lost', heardAt: 0 }],
			confirmed({ snapshot: { sequence: 7 } }),
			['place', 'follow_book', 'offer_book'],
		],
		['reads when a backfill is due', records, [confirmed()], { type: 'woken' }, ['read']],
		[
			'subscribes a stale book again that cannot be read',
			{ ...book, canRead: false },
			[{ type: 'doubted' }],
			{ type: 'woken' },
			['subscribe'],
		],
		['does nothing when nothing is due', records, [], { type: 'woken' }, []],
		['does not read while a backfill runs', records, [confirmed(), { type: 'woken' }], { type: 'woken' }, []],
		[
			'says when a refused read is tried again',
			records,
			[confirmed(), { type: 'woken' }],
			{ type: 'read_failed', error: new ExchangeError('unauthorized', { what: 'The key may not' }), chance },
			['tell_failure'],
		],
	])('a step of a topic: %s', (_, rules, before, input, effects) => {
		expect(topicAfter(rules, ...before).effects(input)).toEqual(effects);
	});

	it('marks a message as replayed up to the head of a resumed subscription', () => {
		const { take } = topicAfter(records, confirmed({ head: at(9), resumedFrom: at(4) }));
		expect(take(message(5))).toEqual([{ do: 'deliver', isReplay: true }]);
		expect(take(message(9))).toContainEqual({ do: 'deliver', isReplay: true });
		expect(take(message(10))).toEqual([{ do: 'deliver', isReplay: false }]);
	});

	it('requests backfills at once, and again because lists lag', () => {
		const { state, take } = topicAfter(records, confirmed({ head: at(4) }));
		expect(dueIn(state)).toEqual([...READ_AFTER_MS]);
		state.schedule.due = [];
		take(message(9));
		expect(dueIn(state)).toEqual([...READ_AFTER_MS]);
	});

	it('makes the first backfill after a subscription urgent, and none after a gap', () => {
		expect(topicAfter(records, confirmed()).state.schedule.isUrgent).toBe(true);
		expect(topicAfter(records, { type: 'doubted' }).state.schedule.isUrgent).toBe(false);
	});

	it('requests nothing for a sign that the policy does not count', () => {
		const { state, take } = topicAfter({ ...records, impliesGap: () => false }, confirmed({ head: at(4) }));
		state.schedule.due = [];
		take(message(9));
		expect(dueIn(state)).toEqual([]);
	});

	it('forgets what was seen before an outage, and counts the outage', () => {
		const { state, take } = topicAfter(records, confirmed({ head: at(4) }));
		observe(state.window, [{ key: 'fill:1', data: {} }]);
		take({ type: 'lost', heardAt: 0 });
		expect(state).toMatchObject({ window: { events: [{ key: 'fill:1' }] }, outages: 0 });
		take(confirmed({ head: at(4) }));
		expect(state).toMatchObject({ window: { events: [] }, outages: 1 });
	});

	it.each<[string, TopicInput[], TopicInput, number, boolean]>([
		['a confirmation in another epoch', [], confirmed({ head: at(4, 'f') }), 0, true],
		['a confirmation in the same epoch', [], confirmed({ head: at(4) }), 0, false],
		['a first position in another epoch', [], message(5, 'f'), 0, true],
		['a new epoch', [confirmed({ head: at(4) })], message(1, 'f'), 0, true],
		['a backfill of an unconfirmed topic', [{ type: 'doubted' }], { type: 'woken' }, 1, true],
	])('doubts the numbers of each subscriber at %s', (_, before, input, afterMs, isDoubted) => {
		const stored = { epoch: 'e', seq: 3, keys: [], coverage: [7] };
		const open = () => openCursor('trades.USD_NGN', stored, { policy: streamPolicy, isRead: true, keys: new Map() });
		const cursors = [open(), open()];
		const numbered = cursors.map(
			(cursor) => ({ queue: { lagging: new Map() }, cursor: () => cursor }) as unknown as Subscriber,
		);
		const { take } = topicAfter(trades, ...numbered.map((subscriber) => joined(subscriber)), ...before);
		for (const { offered } of cursors) offered.doubt = undefined;
		take(input, afterMs);
		for (const { ledger, offered } of cursors)
			expect([offered.doubt, ledger.isDoubtful === true]).toEqual([isDoubted ? { highest: 7 } : undefined, isDoubted]);
	});

	it('suspects missing messages after a rejoin, and not at a first start', () => {
		expect(topicAfter(records, confirmed()).state.missingSince).toBeUndefined();
		const returning = joined(someone(), { isReturning: true });
		expect(topicAfter(records, joined(someone()), confirmed()).state.missingSince).toBeUndefined();
		expect(topicAfter(records, returning, confirmed()).state.missingSince).toBe(NOW);
		expect(topicAfter(records, confirmed(), { type: 'lost', heardAt: 0 }, confirmed()).state.missingSince).toBe(NOW);
		expect(topicAfter(records, late).state.missingSince).toBe(NOW);
	});

	it('reads a topic twice after a late baseline, because lists lag', () => {
		expect(dueIn(topicAfter(records, late).state)).toEqual([0, READ_LAG_MS_MAX]);
	});

	it('holds messages of an ordered topic until its backfill is done', () => {
		const { effects, take } = topicAfter(trades, confirmed({ head: at(4) }), { type: 'woken' });
		expect([effects(message(5)), effects(message(6))]).toEqual([[], []]);
		const [released] = take(read);
		expect(released).toMatchObject({
			do: 'release',
			frames: [
				[message(5), false],
				[message(6), false],
			],
		});
		expect(effects(message(7))).toEqual(['deliver']);
	});

	it('holds no message of a topic without an order', () => {
		expect(topicAfter(records, confirmed({ head: at(4) })).effects(message(5))).toEqual(['deliver']);
	});

	it('holds messages for a limited time, and reports it of a book', () => {
		const pending = (rules: TopicRules) =>
			topicAfter(rules, confirmed({ head: at(4) }), { type: 'woken' }, message(5, 'e', 5));
		expect(pending(trades).effects({ type: 'woken' }, HOLD_MS_MAX - 1)).toEqual([]);
		expect(pending(trades).effects({ type: 'woken' }, HOLD_MS_MAX)).toEqual(['release']);
		expect(pending(book).effects({ type: 'woken' }, HOLD_MS_MAX)).toEqual(['tell_stale', 'release']);
	});

	it('extends the hold of messages by no further backfill', () => {
		const { take, effects } = topicAfter(trades, confirmed({ head: at(4) }), message(5));
		take({ type: 'newcomers' }, HOLD_MS_MAX - 1);
		expect(effects({ type: 'woken' }, HOLD_MS_MAX)).toContain('release');
	});

	it('holds a limited number of messages', () => {
		const { effects } = topicAfter(trades, confirmed({ head: at(0) }));
		const all = Array.from({ length: HELD_MAX }, (_, index) => effects(message(index + 1)));
		expect(all.findIndex((each) => each.includes('release'))).toBe(HELD_MAX - 1);
	});

	it('drops the messages held for a book before its next snapshot', () => {
		const { effects, state } = topicAfter(book, confirmed({ head: at(4) }), message(5, 'e', 5));
		expect(state.backlog?.frames).toHaveLength(1);
		expect(effects(confirmed({ snapshot: { sequence: 9 } }))).not.toContain('release');
		expect(state.backlog).toBeUndefined();
	});

	it('drops the messages held for a book when a message of another epoch comes', () => {
		const { state } = topicAfter(book, confirmed({ head: at(4) }), message(5, 'e', 5), message(6, 'e', 6));
		step(book, state, message(3, 'd', 3), NOW);
		expect(state.backlog).toMatchObject({ frames: [[message(3, 'd', 3), false]], length: 10 });
	});

	it('treats repeated changes of a book in one epoch as a gap', () => {
		const { effects } = topicAfter(book, confirmed({ head: at(9), snapshot: { sequence: 3 } }), message(10, 'e', 4));
		expect([1, 2].map((seq) => effects(message(seq, 'e', 5)))).toEqual([['deliver'], ['deliver']]);
		expect(effects(message(3, 'e', 9))).toEqual(['count_gap']);
	});

	it('the state of a topic can be printed', () => {
		const { state } = topicAfter(trades, confirmed({ head: at(4) }), message(5));
		expect(JSON.parse(JSON.stringify(state))).toMatchObject({
			...{ isConfirmed: true, sequence: { position: at(5) }, backlog: { length: 10 }, schedule: { isUrgent: true } },
		});
	});
});
