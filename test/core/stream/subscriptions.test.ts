/* eslint-disable @typescript-eslint/no-explicit-any */
import type { ExchangeError, Item } from '@partner-exchange/core';
import { createSubscriptions, type SessionChannel } from '../../../packages/core/src/stream/connection/subscriptions';
import type { Position } from '../../../packages/core/src/stream/position';
import { virtualTime } from '../../simulation/support/time';
import { ACCOUNT } from './stage';

const SECOND_MS = 1_000;
const at = (seq: number): Position => ({ epoch: 'e1', seq });

/** The topics of one connection, and what is sent and told of them. */
function open(topics: Record<string, { position?: Position; isBook?: boolean; wasConfirmed?: boolean }>, names = {}) {
	const time = virtualTime();
	const told: unknown[] = [];
	const sent: Item[] = [];
	const useless = new Set<string>();
	let drops = 0;
	const channels = new Map<string, SessionChannel>();
	for (const [topic, { position, isBook = false, wasConfirmed = false }] of Object.entries(topics)) {
		const ignore = () => undefined;
		channels.set(topic, {
			...{ topic, wantsSnapshot: isBook, resumeFrom: () => position, wasConfirmed: () => wasConfirmed },
			confirmed: (head, snapshot, resumedFrom) => void told.push(['confirmed', topic, head, snapshot, resumedFrom]),
			refused: (error: ExchangeError) => void told.push(['refused', topic, error.code, error.message]),
			unavailable: (error, againMs) => void told.push(['unavailable', topic, error.code, againMs / SECOND_MS]),
			...{ asked: ignore, lost: ignore, receive: ignore, drops: () => false, hasRoom: () => true, stop: ignore },
		});
	}
	const subscriptions = createSubscriptions({
		clock: time,
		account: { ...ACCOUNT, names },
		channels,
		resumeGuard: {
			isUseful: (topic) => !useless.has(topic),
			confirmed: (topic, head, resumedFrom) => void told.push(['guard', topic, head, resumedFrom]),
			...{ heard: () => undefined, excuse: () => undefined, lost: () => undefined },
		},
		send: (text) => (sent.push(JSON.parse(text) as Item), true),
		drop: () => void (drops += 1),
	});
	const frame = (fields: object) => ({
		type: 'subscribed' as const,
		topics: [],
		positions: {},
		snapshots: {},
		...fields,
	});
	const error = (fields: object) => ({
		type: 'error' as const,
		kind: 'other' as const,
		text: '',
		code: '',
		topics: [],
		...fields,
	});
	return {
		...{ subscriptions, channels, useless },
		request: (...wanted: string[]) => subscriptions.request(wanted.map((topic) => channels.get(topic)!)),
		confirm: (...named: string[]) => subscriptions.confirmed(frame({ topics: named })),
		confirmWith: (fields: object) => subscriptions.confirmed(frame(fields)),
		refuse: (fields: object = {}) => subscriptions.refused(error(fields)),
		sent: () => sent.splice(0),
		topics: () => sent.splice(0).map(({ topics: named }) => (named as string[]).join()),
		told: () => told.splice(0).filter(([kind]: any) => kind !== 'guard'),
		guarded: () => told.splice(0).filter(([kind]: any) => kind === 'guard'),
		drops: () => drops,
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}

describe('topics asked for together', () => {
	it('are asked for in one message, and books, which begin with a snapshot, in another', () => {
		const { request, sent } = open({ a: { position: at(3) }, b: {}, book: { isBook: true } });
		request('book', 'a', 'b');
		expect(sent()).toEqual([
			{ type: 'subscribe', topics: ['a', 'b'], snapshot: false, resume: { a: at(3) } },
			{ type: 'subscribe', topics: ['book'], snapshot: true },
		]);
	});

	it('are not resumed where that is in vain, or not wanted', () => {
		const { request, sent, useless, subscriptions, channels } = open({ a: { position: at(3) } });
		useless.add('a');
		request('a');
		useless.clear();
		subscriptions.request([...channels.values()], false);
		expect(sent().map((message) => 'resume' in message)).toEqual([false, false]);
		const none = open({ a: { position: at(3) } }, { 'stream.resume': '' });
		none.request('a');
		none.confirm('a');
		expect(none.told()).toEqual([['confirmed', 'a', undefined, undefined, undefined]]);
	});

	it('are confirmed by name, or all where none is named, each once', () => {
		const { request, confirm, told, subscriptions } = open({ a: {}, b: {}, c: {} });
		request('a', 'b', 'c');
		expect(subscriptions.isSettled()).toBe(false);
		confirm('b', 'other', 'b');
		expect(told().map(([, topic]: any) => topic as string)).toEqual(['b']);
		confirm();
		expect(told().map(([, topic]: any) => topic as string)).toEqual(['a', 'c']);
		expect(subscriptions.isSettled()).toBe(true);
		confirm('a');
		expect(told()).toEqual([]);
	});

	it('hear where the service stands, what the book is, and where they were resumed from', () => {
		const stage = open({ a: { position: at(3) } });
		stage.request('a');
		stage.confirmWith({ topics: ['a'], positions: { a: at(9) }, snapshots: { a: { sequence: 1 } } });
		expect(stage.told()).toEqual([['confirmed', 'a', at(9), { sequence: 1 }, at(3)]]);
		stage.request('a');
		stage.confirm('a');
		expect(stage.guarded()).toEqual([['guard', 'a', undefined, at(3)]]);
	});

	it('begin anew on another connection where none is confirmed in ten seconds', async () => {
		const { request, pass, drops, told } = open({ a: {} });
		request('a');
		await pass(9.999);
		expect(drops()).toBe(0);
		await pass(0.001);
		expect([drops(), told()]).toEqual([1, []]);
		await pass(60);
		expect(drops()).toBe(1);
	});

	it('are not waited for twice, nor once they are let go or the connection is gone', async () => {
		const { request, pass, drops, subscriptions, topics } = open({ a: {}, b: {} });
		request('a', 'b');
		await pass(5);
		request('a', 'b');
		await pass(9);
		expect(drops()).toBe(0);
		subscriptions.cancel('a');
		expect(topics().at(-1)).toBe('a');
		subscriptions.reset();
		await pass(60);
		expect([drops(), subscriptions.isSettled()]).toEqual([0, true]);
	});
});

describe('a topic that is not confirmed while others are', () => {
	it('is asked for again alone, and then refused', async () => {
		const { request, confirm, pass, drops, told, topics } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		topics();
		told();
		await pass(10);
		expect([topics(), told()]).toEqual([[], []]);
		await pass(1);
		expect(topics()).toEqual(['a']);
		await pass(10);
		expect(told()).toEqual([['refused', 'a', 'timeout', expect.stringContaining('does not confirm the topic a')]]);
		expect(drops()).toBe(0);
		await pass(60);
		expect(topics()).toEqual([]);
	});

	it('is nobody’s where it was let go meanwhile', async () => {
		const { request, confirm, pass, drops, channels } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		channels.delete('a');
		await pass(10);
		expect(drops()).toBe(1);
	});
});

describe('topics that are refused', () => {
	it.each([
		['key', 'unauthorized'],
		['forbidden', 'forbidden'],
		['other', 'refused'],
	])('are so for the reason %s, once that is confirmed', async (kind, code) => {
		const { request, refuse, told, topics, pass } = open({ a: {} });
		request('a');
		refuse({ kind, text: 'no CANARY-key', code: 'X', topics: ['a'] });
		expect([topics(), told()]).toEqual([['a'], []]);
		await pass(0.999);
		expect(topics()).toEqual([]);
		await pass(0.001);
		expect(topics()).toEqual(['a']);
		refuse({ kind, text: 'no CANARY-key', code: 'X', topics: ['a'] });
		const [[, , said, message]] = told() as [[string, string, string, string]];
		expect(said).toBe(code);
		expect(message).toContain('no ');
		expect(message).not.toContain('CANARY');
		await pass(600);
		expect(topics()).toEqual([]);
	});

	it('together with a place are asked for without it first', () => {
		const { request, refuse, sent, told } = open({ a: { position: at(3) }, b: {} });
		request('a', 'b');
		sent();
		refuse();
		expect(sent()).toEqual([{ type: 'subscribe', topics: ['a', 'b'], snapshot: false }]);
		expect(told()).toEqual([]);
		request('a', 'b');
		sent();
		refuse({ topics: ['b'] });
		expect(sent()).toEqual([]);
	});

	it('because of the key are not asked for without a place', async () => {
		for (const kind of ['key', 'forbidden']) {
			const { request, refuse, topics, pass } = open({ a: { position: at(3) } });
			request('a');
			topics();
			refuse({ kind });
			expect(topics()).toEqual([]);
			await pass(1);
			expect(topics()).toEqual(['a']);
		}
	});

	it('without being named are asked for one by one, the next when one is decided', async () => {
		const { request, refuse, confirm, topics, told, pass } = open({ a: {}, b: {}, c: {} });
		request('a', 'b', 'c');
		topics();
		refuse();
		expect(topics()).toEqual(['a']);
		refuse();
		expect(topics()).toEqual(['b']);
		confirm('b');
		expect(topics()).toEqual(['c']);
		confirm();
		await pass(1);
		expect(topics()).toEqual(['a']);
		refuse();
		expect(told().map(([kind, topic]: any) => `${kind} ${topic}`)).toEqual(['confirmed b', 'confirmed c', 'refused a']);
	});

	it('because of the key are all refused, although none is named', async () => {
		const { request, refuse, topics, told, pass } = open({ a: {}, b: {} });
		request('a', 'b');
		topics();
		refuse({ kind: 'key' });
		expect(topics()).toEqual([]);
		await pass(1);
		expect(topics()).toEqual(['a']);
		refuse({ kind: 'key' });
		expect(topics()).toEqual(['b']);
		refuse({ kind: 'key' });
		expect(told().map(([kind, topic]: any) => `${kind} ${topic}`)).toEqual(['refused a', 'refused b']);
	});

	it('and were there before are asked for again at growing pauses', async () => {
		const { request, refuse, topics, told, pass } = open({ a: { wasConfirmed: true } });
		request('a');
		refuse();
		const pauses: number[] = [];
		for (let refused = 0; refused < 7; refused += 1) {
			await pass(refused === 0 ? 1 : pauses.at(-1)!);
			expect(topics().length).toBeGreaterThan(0);
			refuse();
			pauses.push((told() as [[string, string, string, number]])[0][3]);
		}
		expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
	});

	it('begin to count anew once they are confirmed, let go or refused for good', async () => {
		const { request, refuse, confirm, told, topics, pass, subscriptions } = open({ a: {} });
		const isRefusedAtOnce = () => {
			request('a');
			refuse();
			return told().some(([kind]: any) => kind === 'refused');
		};
		expect(isRefusedAtOnce()).toBe(false);
		request('a');
		confirm('a');
		expect(isRefusedAtOnce()).toBe(false);
		subscriptions.cancel('a');
		expect(isRefusedAtOnce()).toBe(false);
		expect(isRefusedAtOnce()).toBe(true);
		expect(isRefusedAtOnce()).toBe(false);
		subscriptions.reset();
		topics();
		await pass(600);
		expect(topics()).toEqual([]);
	});

	it('are not asked for again where nobody has them any more', async () => {
		const { request, refuse, topics, pass, channels } = open({ a: {}, b: {} });
		request('a', 'b');
		refuse();
		topics();
		channels.delete('b');
		refuse();
		expect(topics()).toEqual([]);
		channels.delete('a');
		await pass(5);
		expect(topics()).toEqual([]);
	});
});
