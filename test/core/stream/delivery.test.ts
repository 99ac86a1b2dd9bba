import type { Item, StreamEvent } from '@partner-exchange/core';
import { LAG_MAX } from '../../../packages/core/src/stream/limits';
import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { storedIn } from './checkpoint-stage';
import { data, fill, follow, openStage, order, trade } from './stage';

const ORDERS = { topics: ['user.orders'] };

const FILLS = { topics: ['user.fills'] };

describe('what is delivered', () => {
	it('delivers an event with its topic, position, payload and key', async () => {
		const { say, seen } = await follow(FILLS);
		await say(data('user.fills', 7, fill('f1')));
		expect(seen.events).toEqual([
			{
				topic: 'user.fills',
				seq: 7,
				epoch: 'e1',
				ts: '2026-01-05T09:00:00.000Z',
				data: fill('f1'),
				delivery: 'live',
				eventKey: 'fill:f1:order-1',
			},
		]);
	});

	it('delivers an event once although the service sends it twice, late or again after a replay', async () => {
		const { sockets, settled, seen } = await follow(FILLS);
		for (const seq of [1, 2, 2, 1, 3, 2]) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1', 'fill:f3:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ received: 6, delivered: 3, duplicates: 3 });
	});

	it.each([0, 57])('delivers an event with the number %i', async (seq) => {
		const { say, seen } = await follow(FILLS);
		await say(data('user.fills', seq, fill('f1')));
		expect(seen.events).toHaveLength(1);
		expect(seen.subscription.counters().gaps).toBe(0);
	});

	it('delivers an event that comes before the confirmation', async () => {
		const { sockets, consume, settled } = openStage({ confirms: false });
		const seen = consume(ORDERS);
		await settled();
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		sockets[0]!.say({ type: 'subscribed', topics: ['user.orders'] });
		await seen.subscription.ready;
		await settled();
		expect(seen.keys()).toEqual(['order:o1:accepted:0']);
	});

	it('delivers events whose numbers begin again with another epoch', async () => {
		const { say, reads, pass, seen } = await follow(FILLS);
		await pass(25_000);
		const before = reads.length;
		await say(data('user.fills', 900, fill('f1')), data('user.fills', 1, fill('f2'), 'e2'));
		await pass(1_500);
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1']);
		expect(reads.length).toBeGreaterThan(before);
	});

	it.each([
		['an epoch as a number, then as text', [1, '2'], [1, 1]],
		['a number written as text', ['e1', 'e1'], ['1', '2']],
		['numbers that are no numbers', ['e1', 'e1'], [2 ** 60, -1]],
		['no numbers at all', [undefined, undefined], [undefined, 1.5]],
	])('delivery survives %s', async (_, epochs, seqs) => {
		const { say, seen } = await follow(FILLS);
		await say(data('user.fills', seqs[0], fill('f1'), epochs[0]), data('user.fills', seqs[1], fill('f2'), epochs[1]));
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1']);
		expect(JSON.stringify(seen.positions)).not.toContain('null');
	});

	it.each([
		['bare', order('o1', 'accepted')],
		['under its name', { order: order('o1', 'accepted') }],
		['in a list', { orders: [order('o1', 'accepted')] }],
		['in a bare list', [order('o1', 'accepted')] as never],
		['with another name for its id', { order_id: 'o1', status: 'accepted', filled_quantity: '0.00' }],
	])('finds an order that stands %s', async (_, payload) => {
		const { say, seen } = await follow(ORDERS);
		await say(data('user.orders', 1, payload));
		expect(seen.keys()).toEqual(['order:o1:accepted:0']);
	});

	it('delivers one event per order if a message holds several', async () => {
		const { say, seen } = await follow(ORDERS);
		await say(data('user.orders', 1, { orders: [order('o1', 'accepted'), order('o2', 'pending')] }));
		expect(seen.events.map(({ data: payload }) => payload)).toMatchObject([
			order('o1', 'accepted'),
			order('o2', 'pending'),
		]);
	});

	it('delivers a payload of unknown shape, known by its content', async () => {
		const { sockets, settled, seen } = await follow({ topics: ['user.orders', 'user.fills'] });
		for (let twice = 0; twice < 2; twice += 1) {
			sockets[0]!.say(data('user.orders', 1, { surprise: true }));
			sockets[0]!.say(data('user.fills', 1, 'hello' as never));
		}
		await settled();
		expect(seen.events.map(({ data: payload }) => payload)).toEqual([{ surprise: true }, 'hello']);
	});
});

/** A host that acknowledges one batch at a time, when the test says so. */
function slowHost() {
	const batches: string[][] = [];
	const ends: { resolve(): void; reject(error: Error): void }[] = [];
	const deliver = (events: StreamEvent[]): Promise<void> => {
		batches.push(events.map(({ eventKey }) => eventKey));
		return new Promise((resolve, reject) => ends.push({ resolve, reject }));
	};
	return { deliver, batches, ends };
}

describe('handing over', () => {
	it.each([
		['user.fills', 'fill.list', 'read back to a time', (id: string, at: string) => ({ ...fill(id), created_at: at })],
		['trades.USD_NGN', 'market.trades', 'read by number', (id: string) => trade(Number(id))],
	])('loses nothing that waited for a slow host when the process died (%s, %s, %s)', async (topic, list, _, rowOf) => {
		const stage = openStage();
		const made: Item[] = [];
		const make = (id: string): void => {
			made.push(rowOf(id, new Date(stage.time.now()).toISOString()));
			stage.lists[list] = topic === 'user.fills' ? made.toReversed() : [...made];
			stage.sockets.at(-1)!.say(data(topic, Number(id), made.at(-1)!));
		};
		const host = slowHost();
		const before = stage.consume({ topics: [topic], deliver: host.deliver });
		await before.subscription.ready;
		for (let id = 1; id <= 16; id += 1) {
			make(String(id));
			await stage.pass(40_000);
		}
		// The first is acknowledged now and stored, the others wait.
		host.ends[0]!.resolve();
		await stage.settled();
		const checkpoint = before.positions;
		await before.subscription.close();
		await stage.pass(60 * 60_000);
		const after = stage.consume({ topics: [topic], checkpoint });
		await stage.pass(60_000);
		expect(after.events.map((event) => (event.data as Item).id)).toEqual(made.slice(1).map(({ id }) => id));
	});

	it('delivers rejected events again after a pause, without moving the position', async () => {
		const { say, consume, settled, pass } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver });
		await seen.subscription.ready;
		await say(data('user.fills', 1, fill('f1')));
		host.ends[0]!.reject(new Error('the workflow failed'));
		await settled();
		expect(host.batches).toHaveLength(1);
		await pass(2_000);
		expect(host.batches).toEqual([['fill:f1:order-1'], ['fill:f1:order-1']]);
		expect(storedIn(seen.positions)['user.fills']).not.toMatchObject({ seq: 1 });
	});

	it('delivers nothing after a subscriber is closed, and still moves the position for events the host was busy with', async () => {
		const { sockets, consume, settled, stream } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver });
		await seen.subscription.ready;
		for (const seq of [1, 2]) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		await settled();
		await seen.subscription.close();
		host.ends[0]!.resolve();
		await settled();
		expect(host.batches).toHaveLength(1);
		expect(storedIn(seen.positions)).toMatchObject({ 'user.fills': { seq: 1 } });
		await stream.close();
	});

	it('tells a slow host once that it falls behind, and reads for it what it missed', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver, batchMax: 5_000 });
		await seen.subscription.ready;
		const fills = Array.from({ length: 6_000 }, (_, index) => fill(`f${index}`));
		fills.forEach((row, index) => sockets[0]!.say(data('user.fills', index + 1, row)));
		lists['fill.list'] = [...fills].reverse();
		await settled();
		const slow = seen.notices.filter(({ text }) => text === noticeTexts.tooSlow);
		expect(slow).toEqual([expect.objectContaining({ kind: 'degraded', topic: 'user.fills' })]);
		expect(seen.subscription.counters().waiting).toBeLessThan(6_000 - LAG_MAX + 1);
		for (let turn = 0; turn < 10; turn += 1) {
			host.ends.at(-1)!.resolve();
			await settled();
			await pass(6_000);
		}
		expect(new Set(host.batches.flat()).size).toBe(6_000);
		expect(host.batches.flat()).toHaveLength(6_000);
	});
});
