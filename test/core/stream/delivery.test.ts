import { storedIn } from './checkpoint-stage';
import { data, fill, openStage, order } from './stage';

const ORDERS = { topics: ['user.orders'] };
const FILLS = { topics: ['user.fills'] };

describe('what is delivered', () => {
	it('delivers an event with its topic, position, payload and key', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 7, fill('f1')));
		await settled();
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

	it('delivers an event once although the service sends it twice, late or again after a replay (checklist 116)', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		for (const seq of [1, 2, 2, 1, 3, 2]) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1', 'fill:f3:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ received: 6, delivered: 3, duplicates: 3 });
	});

	it.each([0, 57])('delivers an event with the number %i (checklist 120)', async (seq) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', seq, fill('f1')));
		await settled();
		expect(seen.events).toHaveLength(1);
		expect(seen.subscription.counters().gaps).toBe(0);
	});

	it('delivers an event that comes before the confirmation (checklist 115)', async () => {
		const { sockets, consume, settled } = openStage({ confirms: false });
		const seen = consume(ORDERS);
		await settled();
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		sockets[0]!.say({ type: 'subscribed', topics: ['user.orders'] });
		await seen.subscription.ready;
		await settled();
		expect(seen.keys()).toEqual(['order:o1:accepted:0']);
	});

	it('delivers events whose numbers begin again with another epoch (checklist 118)', async () => {
		const { sockets, reads, consume, settled, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await pass(25_000);
		const before = reads.length;
		sockets[0]!.say(data('user.fills', 900, fill('f1')));
		sockets[0]!.say(data('user.fills', 1, fill('f2'), 'e2'));
		await settled();
		await pass(1_500);
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1']);
		expect(reads.length).toBeGreaterThan(before);
	});

	it.each([
		['an epoch as a number, then as text', [1, '2'], [1, 1]],
		['a number written as text', ['e1', 'e1'], ['1', '2']],
		['numbers that are no numbers', ['e1', 'e1'], [2 ** 60, -1]],
		['no numbers at all', [undefined, undefined], [undefined, 1.5]],
	])('delivery survives %s (checklist 119)', async (_, epochs, seqs) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', seqs[0], fill('f1'), epochs[0]));
		sockets[0]!.say(data('user.fills', seqs[1], fill('f2'), epochs[1]));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1']);
		expect(JSON.stringify(seen.positions)).not.toContain('null');
	});

	it.each([
		['bare', order('o1', 'accepted')],
		['under its name', { order: order('o1', 'accepted') }],
		['in a list', { orders: [order('o1', 'accepted')] }],
		['in a bare list', [order('o1', 'accepted')] as never],
		['with another name for its id', { order_id: 'o1', status: 'accepted', filled_quantity: '0.00' }],
	])('finds an order that stands %s (checklist 126)', async (_, payload) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(ORDERS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, payload));
		await settled();
		expect(seen.keys()).toEqual(['order:o1:accepted:0']);
	});

	it('delivers one event per order if a message holds several (checklist 126)', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(ORDERS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, { orders: [order('o1', 'accepted'), order('o2', 'pending')] }));
		await settled();
		expect(seen.events.map(({ data: payload }) => payload)).toMatchObject([
			order('o1', 'accepted'),
			order('o2', 'pending'),
		]);
	});

	it('delivers a payload of unknown shape, known by its content (checklist 126)', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.orders', 'user.fills'] });
		await seen.subscription.ready;
		for (let twice = 0; twice < 2; twice += 1) {
			sockets[0]!.say(data('user.orders', 1, { surprise: true }));
			sockets[0]!.say(data('user.fills', 1, 'hello' as never));
		}
		await settled();
		expect(seen.events.map(({ data: payload }) => payload)).toEqual([{ surprise: true }, 'hello']);
	});

	it('never delivers an older state of an order', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume(ORDERS);
		await seen.subscription.ready;
		const updates = [
			order('o1', 'accepted'),
			order('o1', 'partially_filled', '20.0'),
			order('o1', 'pending'),
			order('o1', 'partially_filled', '10'),
			order('o1', 'filled', '30'),
			order('o1', 'cancelled', '20'),
		];
		updates.forEach((update, index) => sockets[0]!.say(data('user.orders', index + 1, update)));
		await settled();
		expect(seen.keys()).toEqual(['order:o1:accepted:0', 'order:o1:partially_filled:20', 'order:o1:filled:30']);
	});

	it('delivers only what passes the filters', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({
			...ORDERS,
			filters: { statuses: ['filled'], sides: ['buy'], pairs: ['USD/NGN'], minQuantity: '30' },
		});
		await seen.subscription.ready;
		const updates = [
			order('o1', 'accepted'),
			order('o1', 'filled', '30'),
			order('o2', 'filled', '30', { side: 'sell' }),
			order('o3', 'filled', '5', { quantity: '5.00' }),
		];
		updates.forEach((update, index) => sockets[0]!.say(data('user.orders', index + 1, update)));
		await settled();
		expect(seen.keys()).toEqual(['order:o1:filled:30']);
		expect(seen.subscription.counters().filtered).toBe(3);
		expect(storedIn(seen.positions)).toMatchObject({ 'user.orders': { seq: 4 } });
	});
});
