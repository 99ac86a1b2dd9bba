import fc from 'fast-check';
import { readFrame } from '../../../packages/core/src/stream/connection/frames';
import { positionsIn } from '../../../packages/core/src/stream/position';
import { data, fill, openStage } from './stage';

const RUNS = 2_000;
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('messages', () => {
	it.each([
		'',
		'null',
		'[]',
		'"text"',
		'5',
		'{not json',
		'{}',
		'{"type":5}',
		'{"type":"unheard"}',
		'{"type":"__proto__"}',
		'{"__proto__":{"type":"data"}}',
		'{"type":"data"}',
		'{"type":"data","topic":"user.fills"}',
		deep(10_000),
		`{"type":"data","topic":"user.fills","data":"${'x'.repeat(2_000_000)}"}`,
	])('counts a senseless message and keeps the connection (checklist 136, 167): %#', async (text) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		sockets[0]!.sayText(text);
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
		expect(seen.subscription.counters().ignored).toBe(1);
		expect(sockets[0]!.isTerminated).toBe(false);
		expect(({} as Record<string, unknown>).type).toBeUndefined();
	});

	const zeros = `0.${'0'.repeat(400_000)}`;
	it.each<[string, unknown]>([
		[
			'a filled quantity',
			{ type: 'data', topic: 'user.orders', data: { id: 'o1', status: 'accepted', filled_quantity: `${zeros}1` } },
		],
		[
			'a quantity of a fill',
			{ type: 'data', topic: 'user.fills', data: { fill_id: 'f0', order_id: 'o1', quantity: zeros } },
		],
		['an id', { type: 'data', topic: 'user.fills', data: { fill_id: 'f'.repeat(500_000) } }],
		[
			'a time',
			{
				type: 'data',
				topic: 'user.fills',
				ts: '1'.repeat(500_000),
				data: { fill_id: 'f0', created_at: '1'.repeat(500_000) },
			},
		],
		['an epoch', { type: 'data', topic: 'user.fills', epoch: 'e'.repeat(500_000), seq: 1, data: { fill_id: 'f0' } }],
		['a topic', { type: 'data', topic: `user.fills${'.'.repeat(500_000)}`, data: {} }],
		['an error', { type: 'error', message: 'rate '.repeat(100_000), topics: ['t'.repeat(200_000)] }],
		[
			'an error code',
			{ type: 'command_error', request_id: 'r', code: 'c'.repeat(500_000), message: 'm'.repeat(400_000) },
		],
		[
			'a confirmation',
			{
				type: 'subscribed',
				topics: ['user.fills'],
				positions: { 'user.fills': { epoch: 'e'.repeat(900_000), seq: 1 } },
			},
		],
	])('reads messages with %s of any length at no more cost, and then the next one', async (_, message) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills', 'user.orders'] });
		await seen.subscription.ready;
		sockets[0]!.sayText(JSON.stringify(message));
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.keys()).toContain('fill:f1:order-1');
		for (const key of seen.keys()) expect(key.length).toBeLessThan(3_000);
	});

	it('the reader of frames survives errors nested 5,000 deep', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		const nested = `{"type":"error","error":${'{"a":'.repeat(5_000)}"deep"${'}'.repeat(5_000)}}`;
		expect(() => sockets[0]!.sayText(nested)).not.toThrow();
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
	});

	it('refuses a message alone that a host fails on, and delivers the rest', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		const hostile = { type: 'data', topic: 'user.fills', data: fill('f1') };
		jest.spyOn(JSON, 'parse').mockImplementationOnce(() => ({
			...hostile,
			get topic() {
				throw new Error('a fault of ours');
			},
		}));
		expect(() => sockets[0]!.sayText('{"type": "data"}')).not.toThrow();
		sockets[0]!.say(data('user.fills', 1, fill('next')));
		await settled();
		expect(sockets[0]!.isTerminated).toBe(false);
		expect(seen.keys()).toEqual(['fill:next:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ ignored: 1 });
	});

	it('ignores messages of topics nobody asked for (checklist 138)', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		for (const message of [
			{ type: 'pong' },
			{ type: 'unsubscribed', topics: ['nobody'] },
			{ type: 'subscribed', topics: ['nobody'] },
			{ type: 'error', code: 'odd' },
		])
			sockets[0]!.say(message);
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
		expect(sockets).toHaveLength(1);
	});

	it('never fails to read a message, whatever it is (checklist 136, 171)', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string(),
					fc.json(),
					fc.object().map((value) => JSON.stringify(value)),
				),
				(text) => void readFrame(text),
			),
			{ numRuns: RUNS },
		);
	});

	it('never fails as a stream, whatever a message holds (checklist 136, 171)', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.USD_NGN'] });
		await seen.subscription.ready;
		const types = fc.constantFrom(
			'data',
			'subscribed',
			'unsubscribed',
			'pong',
			'error',
			'command_ack',
			'command_error',
		);
		const topic = fc.constantFrom('user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.USD_NGN', 'other');
		const item = fc.record(
			{
				id: fc.jsonValue(),
				status: fc.jsonValue(),
				filled_quantity: fc.jsonValue(),
				created_at: fc.jsonValue(),
				sequence: fc.jsonValue(),
			},
			{ requiredKeys: [] },
		);
		const message = fc.record(
			{
				type: types,
				topic,
				topics: fc.jsonValue(),
				seq: fc.jsonValue(),
				epoch: fc.jsonValue(),
				ts: fc.jsonValue(),
				data: fc.oneof(item, fc.jsonValue()),
			},
			{ requiredKeys: ['type'] },
		);
		fc.assert(
			fc.property(message, (options) => sockets.forEach((socket) => socket.say(options))),
			{ numRuns: RUNS },
		);
		sockets[0]!.say(data('user.fills', 1, fill('sound')));
		await settled();
		expect(JSON.stringify(seen.positions)).not.toMatch(/NaN|Infinity/);
	});

	it('reads messages nested as deeply as they like (checklist 167)', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.orders', 'user.fills'] });
		await seen.subscription.ready;
		for (const topic of ['user.orders', 'user.fills']) {
			sockets[0]!.sayText(`{"type":"data","topic":"${topic}","seq":1,"epoch":"e1","data":${deep(100_000)}}`);
			sockets[0]!.sayText(`{"type":"data","topic":"${topic}","seq":2,"epoch":"e1","data":${deep(2_000)}}`);
		}
		await settled();
		expect(seen.subscription.counters().received + seen.subscription.counters().ignored).toBe(4);
	});

	it.each([
		[{ positions: { a: { epoch: 'e', seq: 1 } } }],
		[{ topics: [{ topic: 'a', epoch: 'e', seq: 1 }] }],
		[{ resume: { a: { epoch: 'e', seq: '1' }, b: { epoch: {}, seq: 1 } } }],
	])('reads the position of a message in several shapes: %j', (message) => {
		expect(positionsIn(message as never)).toEqual({ a: { epoch: 'e', seq: 1 } });
	});

	it('gives messages with another order of the same fields one key', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.orders'] });
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, { a: 1, b: { c: 2, d: 3 } }));
		sockets[0]!.say(data('user.orders', 2, { b: { d: 3, c: 2 }, a: 1 }));
		await settled();
		expect(seen.events).toHaveLength(1);
	});
});
