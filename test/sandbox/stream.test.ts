import { until } from '../support/condition';
import {
	create,
	eventsOf,
	limit,
	listenTo,
	place,
	sandboxFor,
	sandboxForEach,
	subscribe,
	type Json,
} from './connection';

const sandbox = sandboxForEach();

const other = 'sandbox-key-second';
const seqs = (events: Json[]) => events.map(({ seq }) => seq);

describe('subscribing', () => {
	it('refuses private topics without a key and confirms the others of the same message', async () => {
		const line = await listenTo(sandbox);
		const confirmation = await subscribe(line, ['trades.USD_NGN', 'user.orders', 'trades.NO_PAIR']);
		expect(confirmation.topics).toEqual(['trades.USD_NGN']);
		const errors = line.heard.filter(({ type }) => type === 'error');
		expect(errors.map(({ code, topic }) => [code, topic])).toEqual([
			['unauthorized', 'user.orders'],
			['unknown_topic', 'trades.NO_PAIR'],
		]);
	});

	it('requires exchange-read access for fills, and any key for orders', async () => {
		const line = await listenTo(sandbox, 'sandbox-key-order-create');
		const { topics } = await subscribe(line, ['user.fills', 'user.orders']);
		expect(topics).toEqual(['user.orders']);
		expect(line.heard[0]).toMatchObject({ type: 'error', code: 'forbidden', topic: 'user.fills' });
	});

	it('sends snapshots in the confirmation when asked', async () => {
		const order = await place(sandbox);
		await place(sandbox, { side: 'sell', quantity: '1.00' }, other);
		const line = await listenTo(sandbox, 'sandbox-key');
		const { snapshots } = await subscribe(line, ['orderbook.USD_NGN', 'trades.USD_NGN', 'user.orders', 'user.fills'], {
			snapshot: true,
		});
		expect(snapshots!['orderbook.USD_NGN']).toMatchObject({
			bids: [{ price: '1500.00', quantity: '9.00' }],
			asks: [],
			sequence: 2,
		});
		expect(snapshots!['trades.USD_NGN']!.trades).toHaveLength(1);
		expect(snapshots!['user.orders']!.orders![0]).toMatchObject({ id: order.id, status: 'partially_filled' });
		expect(snapshots!['user.fills']!.fills![0]).toMatchObject({ order_id: order.id, quantity: '1.00' });
	});

	it('allows 50 topics: a message beyond that changes nothing, and duplicates count once', async () => {
		const line = await listenTo(sandbox);
		line.send({ type: 'subscribe', topics: Array.from({ length: 60 }, (_, index) => `trades.P${index}`) });
		expect(await line.hears(({ type }) => type === 'error', 'the refusal')).toMatchObject({ code: 'too_many_topics' });
		const { topics } = await subscribe(
			line,
			Array.from({ length: 60 }, () => 'trades.USD_NGN'),
		);
		expect(topics).toEqual(['trades.USD_NGN']);
		const rest = Array.from({ length: 50 }, (_, index) => `trades.P${index}`);
		line.send({ type: 'subscribe', topics: rest });
		await until(() => line.heard.filter(({ code }) => code === 'too_many_topics').length === 2, {
			what: 'the second refusal',
		});
		// Fifty topics are allowed, and these make fifty: each is looked up.
		line.send({ type: 'subscribe', topics: rest.slice(0, 49) });
		await until(() => line.heard.filter(({ code }) => code === 'unknown_topic').length === 49, {
			what: 'each of 49 more to be looked for',
		});
		expect(line.heard.filter(({ code }) => code === 'too_many_topics')).toHaveLength(2);
	});

	it.each([
		'null',
		'[]',
		'"x"',
		'{',
		'{}',
		'{"type":"__proto__"}',
		'{"type":"constructor"}',
		'{"type":"subscribe"}',
		'{"type":"subscribe","topics":[1]}',
		'x'.repeat(70_000),
	])('answers nonsense on the stream with an error: %.40s', async (text) => {
		const line = await listenTo(sandbox);
		line.send(text);
		expect(await line.hears(({ type }) => type === 'error', 'an error')).toMatchObject({ message: expect.any(String) });
	});
});

describe('resuming', () => {
	it('replays what was missed, in order and once, then continues live without a hole', async () => {
		const first = await listenTo(sandbox, 'sandbox-key');
		await subscribe(first, ['user.orders']);
		await place(sandbox);
		const { epoch } = await first.hears(({ seq }) => Number(seq) === 2, 'the second event');
		first.close();
		await place(sandbox);
		const second = await listenTo(sandbox, 'sandbox-key');
		const { resumed } = await subscribe(second, ['user.orders'], { resume: { 'user.orders': { epoch, seq: 1 } } });
		await place(sandbox);
		await second.hears(({ seq }) => Number(seq) === 6, 'the last event');
		expect(resumed).toEqual({ 'user.orders': true });
		expect(seqs(eventsOf(second, 'user.orders'))).toEqual([2, 3, 4, 5, 6]);
	});

	it.each([
		['a seq of the future', { seq: 99 }],
		['an unknown epoch', { epoch: 'long-ago', seq: 1 }],
		['an evicted seq', { seq: 1 }],
		['a negative seq', { seq: -1 }],
		['a seq that is no number', { seq: '2' }],
	])('answers a resume from %s as not resumed', async (_case, position) => {
		const sandbox = await sandboxFor({ eventsKept: 2 });
		for (let index = 0; index < 3; index++) await place(sandbox);
		const line = await listenTo(sandbox, 'sandbox-key');
		const { epoch } = sandbox.engine.events;
		const confirmation = await subscribe(line, ['user.orders'], { resume: { 'user.orders': { epoch, ...position } } });
		expect(confirmation.resumed).toEqual({ 'user.orders': false });
		expect(confirmation.positions).toEqual({ 'user.orders': { epoch, seq: 6 } });
		await place(sandbox);
		await line.hears(({ seq }) => Number(seq) === 8, 'live events');
		expect(seqs(eventsOf(line, 'user.orders'))).toEqual([7, 8]);
	});

	it('replays more than a reader may fall behind, at its pace, with live events after it', async () => {
		const sandbox = await sandboxFor({ eventsKept: 5_000, backlogBytesMax: 200_000 });
		for (let turn = 0; turn < 2_000; turn++) {
			sandbox.exchange.apply({
				kind: 'order_create',
				accountId: 'trader',
				fields: limit({ quantity: '0.01' }),
				key: `many-${turn}`,
				fingerprint: '',
			});
		}
		sandbox.advance(10);
		const line = await listenTo(sandbox, 'sandbox-key');
		await subscribe(line, ['user.orders'], {
			resume: { 'user.orders': { epoch: sandbox.engine.events.epoch, seq: 0 } },
		});
		await place(sandbox);
		await line.hears(({ seq }) => Number(seq) === 4_002, 'the last event');
		expect(seqs(eventsOf(line, 'user.orders'))).toEqual(Array.from({ length: 4_002 }, (_, index) => index + 1));
	});

	it('begins a new epoch with sequences from one after a restart', async () => {
		const [before, after] = [await sandboxFor({ clock: 'real' }), await sandboxFor({ clock: 'real' })];
		await create(before, limit());
		await create(after, limit());
		expect(before.engine.events.logs.get('trader|user.orders')?.seq).toBeGreaterThan(0);
		before.reset();
		const epochs = new Set([before.engine.events.epoch, after.engine.events.epoch]);
		before.faults.arm({ kind: 'new-epoch' });
		epochs.add(before.engine.events.epoch);
		expect(epochs.size).toBe(3);
		const line = await listenTo(before, 'sandbox-key');
		await subscribe(line, ['user.orders']);
		await create(before, limit());
		expect(await line.hears(({ type }) => type === 'data', 'an event')).toMatchObject({
			seq: 1,
			epoch: before.engine.events.epoch,
		});
	});
});

describe('delivery', () => {
	it('gives every connection of an account the same seq', async () => {
		const lines = [await listenTo(sandbox, 'sandbox-key'), await listenTo(sandbox, 'sandbox-key')] as const;
		const foreign = await listenTo(sandbox, other);
		for (const line of [...lines, foreign]) await subscribe(line, ['user.orders', 'user.fills']);
		await place(sandbox);
		await place(sandbox, { order_type: 'market', side: 'sell', quantity: '2.00' }, other);
		for (const line of lines) await line.hears(({ topic }) => topic === 'user.fills', 'the fill');
		expect(lines[0].heard.slice(1)).toEqual(lines[1].heard.slice(1));
		expect(eventsOf(lines[0], 'user.fills')).toHaveLength(1);
		await foreign.hears(({ topic }) => topic === 'user.fills', 'the other fill');
		expect(eventsOf(foreign, 'user.fills')[0]!.data!.side).toBe('sell');
	});

	it('disconnects a slow reader instead of keeping everything for it', async () => {
		const sandbox = await sandboxFor({ backlogBytesMax: 100_000 });
		const line = await listenTo(sandbox, 'sandbox-key');
		await subscribe(line, ['user.orders', 'orderbook.USD_NGN']);
		line.socket.pause();
		const sent = () => sandbox.exchange.sessions.size;
		for (let round = 0; round < 400 && sent() > 0; round++) {
			for (let index = 0; index < 100; index++) {
				sandbox.exchange.apply({
					kind: 'order_create',
					accountId: 'trader',
					fields: limit({ quantity: '0.01' }),
					key: `${round}-${index}`,
					fingerprint: '',
				});
			}
			sandbox.advance(10);
			await new Promise(setImmediate);
		}
		await until(() => sent() === 0, { what: 'the connection to be dropped' });
		line.socket.resume();
	});

	it('closes the connection on a message above a megabyte', async () => {
		const line = await listenTo(sandbox);
		const closed = new Promise((resolve) => line.socket.once('close', resolve));
		line.socket.on('error', () => undefined);
		line.send('x'.repeat(1_100_000));
		expect(await closed).toBe(1009);
	});
});

describe('the dialect', () => {
	it('refuses an unknown dialect by name', async () => {
		await expect(sandboxFor({ dialect: { errors: 'shouted' } })).rejects.toThrow('nested, message, list, text, empty');
	});
});
