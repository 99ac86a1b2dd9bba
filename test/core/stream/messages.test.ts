import fc from 'fast-check';
import { readMessage } from '../../../packages/core/src/stream/connection/messages';
import { data, fill, follow, openStage, order, trade } from './stage';

const RUNS = 300;

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
	])('counts a senseless message and keeps the connection: %#', async (text) => {
		const { say, sockets, seen } = await follow({ topics: ['user.fills'] });
		sockets[0]!.sayText(text);
		await say(data('user.fills', 1, fill('f1')));
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
		expect(seen.subscription.counters().ignored).toBe(1);
		expect(sockets[0]!.isTerminated).toBe(false);
		expect(({} as Record<string, unknown>).type).toBeUndefined();
	});

	it('refuses a message alone that a host fails on, and delivers the rest', async () => {
		const { say, sockets, seen } = await follow({ topics: ['user.fills'] });
		const hostile = { type: 'data', topic: 'user.fills', data: fill('f1') };
		jest.spyOn(JSON, 'parse').mockImplementationOnce(() => ({
			...hostile,
			get topic() {
				throw new Error('a fault of ours');
			},
		}));
		expect(() => sockets[0]!.sayText('{"type": "data"}')).not.toThrow();
		await say(data('user.fills', 1, fill('next')));
		expect(sockets[0]!.isTerminated).toBe(false);
		expect(seen.keys()).toEqual(['fill:next:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ ignored: 1 });
	});

	it('ignores messages of topics nobody asked for', async () => {
		const { say, sockets, seen } = await follow({ topics: ['user.fills'] });
		for (const message of [
			{ type: 'pong' },
			{ type: 'unsubscribed', topics: ['nobody'] },
			{ type: 'subscribed', topics: ['nobody'] },
			{ type: 'error', code: 'odd' },
		])
			await say(message, data('user.fills', 1, fill('f1')));
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
		expect(sockets).toHaveLength(1);
	});

	it('never fails to read a message, whatever it is', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string(),
					fc.json(),
					fc.object().map((value) => JSON.stringify(value)),
				),
				(text) => void readMessage(text),
			),
			{ numRuns: RUNS },
		);
	});

	it('never fails as a stream, whatever a message holds', async () => {
		const { say, sockets, seen } = await follow({
			topics: ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.USD_NGN'],
		});
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
		await say(data('user.fills', 1, fill('sound')));
		expect(JSON.stringify(seen.positions)).not.toMatch(/NaN|Infinity/);
	});

	it('reads messages nested as deeply as they like', async () => {
		const { sockets, settled, seen } = await follow({ topics: ['user.orders', 'user.fills'] });
		for (const topic of ['user.orders', 'user.fills']) {
			sockets[0]!.sayText(`{"type":"data","topic":"${topic}","seq":1,"epoch":"e1","data":${deep(100_000)}}`);
			sockets[0]!.sayText(`{"type":"data","topic":"${topic}","seq":2,"epoch":"e1","data":${deep(2_000)}}`);
		}
		await settled();
		expect(seen.subscription.counters().received + seen.subscription.counters().ignored).toBe(4);
	});
});

const TRADES = 'trades.USD_NGN';

const texts = (messages: readonly object[]) => messages.map((message) => JSON.stringify(message));

/** A subscriber of trades, once it is served. */
async function open() {
	const stage = openStage();
	const seen = stage.consume({
		topics: [TRADES],
		batchMax: 10,
	});
	await seen.subscription.ready;
	await stage.pass(100);
	return { ...stage, seen, socket: stage.sockets[0]! };
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

const trades = (sequences: readonly number[]) => sequences.map((sequence) => data(TRADES, sequence, trade(sequence)));

describe('messages that arrive together', () => {
	it('delivers messages that arrive together in order, each once, with its own place', async () => {
		const { socket, seen, settled } = await open();
		const [first, second, ...others] = trades(numbers(1, 300));
		socket.sayTogether(texts([first!, second!, second!, ...others]));
		socket.sayTogether(texts([...others.slice(-1), ...trades(numbers(301, 2))]));
		await settled();
		expect(seen.events.map(({ seq, eventKey }) => [seq, eventKey])).toEqual(
			numbers(1, 302).map((sequence) => [sequence, `trade:trade-${sequence}`]),
		);
		expect(seen.subscription.counters()).toMatchObject({ received: 304, delivered: 302, duplicates: 2, gaps: 0 });
	});

	it('delivers messages that arrive together but for one that is no JSON, with exact amounts', async () => {
		const { socket, seen, settled } = await open();
		const [name, odd, exact, last] = texts(trades([1, 2, 3, 4]));
		socket.sayTogether([name!, odd!.replace('"side"', 'side'), exact!.replace('"1500"', '1500.00'), last!]);
		await settled();
		expect(seen.events.map(({ seq, data: payload }) => [seq, (payload as { price: string }).price])).toEqual([
			[1, '1500'],
			[3, '1500.00'],
			[4, '1500'],
		]);
		expect(seen.subscription.counters()).toMatchObject({ received: 3, ignored: 1, gaps: 0 });
	});

	it('delivers each of several messages that a service writes into one, a line each, also behind one nobody reads', async () => {
		const { socket, seen, settled } = await open();
		const unread = data('trades.GHS_NGN', 1, trade(11));
		const [first, ...others] = texts([unread, ...trades([1, 2]), { type: 'pong' }, ...trades([3])]);
		socket.sayText([first, ...others].join('\n'));
		socket.sayText(texts(trades([4, 5])).join('\r\n') + '\n');
		socket.sayText(JSON.stringify(trades([6])[0], null, 2));
		await settled();
		expect(seen.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
		expect(seen.subscription.counters()).toMatchObject({ received: 6, gaps: 0, ignored: 0 });
	});

	it('delivers no message behind one that ended the connection', async () => {
		const { socket, seen, settled } = await open();
		const [before, behind] = [texts(trades([1, 2])), texts(trades([3, 4]))];
		socket.sayTogether([...before, '{"type":"rate_limited"}', ...behind]);
		await settled();
		expect(socket.isTerminated).toBe(true);
		expect(seen.events.map(({ seq }) => seq)).toEqual([1, 2]);
		expect(seen.subscription.counters().received).toBe(2);
	});
});

const PAIRS = ['trades.USD_NGN', 'trades.GHS_NGN'];

describe('messages that nobody wants', () => {
	it('drops messages of a pair no filter passes, and tells them to whoever joins without one', async () => {
		const { say, sockets, consume, pass } = openStage();
		const only = consume({ topics: PAIRS, filters: { pairs: ['USD/NGN'] } });
		await only.subscription.ready;
		sockets[0]!.say(data('trades.GHS_NGN', 1, trade(1)));
		sockets[0]!.say(data('trades.USD_NGN', 1, trade(1)));
		await pass(100);
		expect(only.events.map(({ topic }) => topic)).toEqual(['trades.USD_NGN']);
		expect(only.subscription.counters()).toMatchObject({ received: 2, filtered: 1, ignored: 0 });
		const all = consume({ topics: PAIRS });
		await all.subscription.ready;
		await say(data('trades.GHS_NGN', 2, trade(2)));
		expect(all.keys()).toEqual(['trade:trade-2']);
	});
});

describe('messages that are told', () => {
	it('tells two equal events of messages without numbers', async () => {
		const { sockets, settled, seen } = await follow({ topics: ['user.orders'] });
		for (const status of ['odd', 'even', 'odd']) sockets[0]!.say(data('user.orders', undefined, order('o1', status)));
		await settled();
		expect(seen.keys()).toEqual(['order:o1:odd:0', 'order:o1:even:0', 'order:o1:odd:0']);
	});

	it.each([
		['another order of names', '{"seq":1,"topic":"user.fills","type":"data","epoch":"e1","data":{"id":"f1"}}'],
		['spaces', '{ "type": "data", "topic": "user.fills", "seq": 1, "epoch": "e1", "data": { "id": "f1" } }'],
		['an escaped topic', '{"type":"data","topic":"user\\u002efills","seq":1,"epoch":"e1","data":{"id":"f1"}}'],
	])('tells messages with %s', async (_, text) => {
		const { sockets, settled, seen } = await follow({ topics: ['user.fills'] });
		sockets[0]!.sayText(text);
		await settled();
		expect(seen.keys()).toEqual(['fill:f1']);
	});
});
