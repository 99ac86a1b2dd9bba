import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, fill, openStage, order, trade } from './stage';

const ORDERS = { topics: ['user.orders'] };
const FILLS = { topics: ['user.fills'] };
const TRADES = { topics: ['trades.USD_NGN'] };
const MINUTE_MS = 60_000;

describe('reading what the stream did not bring', () => {
	it('delivers no event from before a first start', async () => {
		const { lists, consume, pass } = openStage();
		lists['fill.list'] = [fill('old')];
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await pass(MINUTE_MS);
		expect(seen.events).toEqual([]);
	});

	it('finds after a restart what happened meanwhile, though nothing can be replayed (checklist 123)', async () => {
		const first = openStage();
		const before = first.consume({ topics: ['user.orders', 'user.fills'] });
		await before.subscription.ready;
		first.sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		await first.settled();
		const second = openStage();
		second.lists['order.list'] = [order('o1', 'filled', '30')];
		second.lists['fill.list'] = [fill('f1', 'o1', '30')];
		const after = second.consume({ topics: ['user.orders', 'user.fills'], checkpoint: before.positions });
		await after.subscription.ready;
		await second.pass(100);
		expect(after.keys().sort()).toEqual(['fill:f1:o1', 'order:o1:filled:30']);
		expect(after.events.map(({ delivery }) => delivery)).toEqual(['reconciled', 'reconciled']);
	});

	it('reads an open order by itself when the list does not show it', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		const seen = consume(ORDERS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		await settled();
		lists['order.get'] = [order('o1', 'cancelled')];
		await pass(MINUTE_MS);
		expect(seen.keys()).toEqual(['order:o1:accepted:0', 'order:o1:cancelled:0']);
	});

	it('keeps a live state over a backfill that is older (checklist 124)', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		const seen = consume(ORDERS);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await settled();
		lists['order.list'] = [order('o1', 'partially_filled', '10')];
		await pass(MINUTE_MS);
		expect(seen.keys()).toEqual(['order:o1:filled:30']);
	});

	it('delivers the event behind a jump of the numbers at once, and backfills what was jumped over (checklist 117)', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await pass(22_000);
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		lists['fill.list'] = [fill('f3'), fill('f2'), fill('f1')];
		sockets[0]!.say(data('user.fills', 3, fill('f3')));
		await settled();
		expect(seen.keys().slice(0, 2)).toEqual(['fill:f1:order-1', 'fill:f3:order-1']);
		await pass(1_500);
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f3:order-1', 'fill:f2:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ gaps: 0, reconciled: 1 });
	});

	it('reads no more than its budget however often the numbers jump (checklist 117)', async () => {
		const { sockets, reads, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		for (let jump = 1; jump <= 1_000; jump += 1) sockets[0]!.say(data('user.fills', jump * 2, fill(`f${jump}`)));
		await pass(MINUTE_MS);
		expect(reads.filter((id) => id === 'fill.list').length).toBeLessThanOrEqual(13);
		expect(seen.events).toHaveLength(1_000);
	});

	it('a topic reads no more than its budget if events are missing all the time', async () => {
		const { sockets, lists, reads, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		const listed: Item[] = (lists['fill.list'] = []);
		await pass(MINUTE_MS);
		const before = reads.length;
		for (let second = 1; second <= 60; second += 1) {
			listed.unshift(fill(`lost${second}`));
			sockets.at(-1)!.say(data('user.fills', second * 2, fill(`f${second}`)));
			await pass(1_000);
		}
		// Each backfill reads a second page to see that the list ends.
		expect(reads.slice(before).filter((id) => id === 'fill.list').length).toBeLessThanOrEqual(2 * 13);
		await pass(MINUTE_MS);
		expect(seen.events).toHaveLength(120);
	});

	it('a topic is read at once after a new connection, although its budget is used up', async () => {
		const { sockets, lists, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		for (let jump = 1; jump <= 15; jump += 1) {
			lists['fill.list'] = [fill(`missed ${jump}`), ...(lists['fill.list'] ?? [])];
			sockets[0]!.say(data('user.fills', jump * 2, fill(`f${jump}`)));
			await pass(1_100);
		}
		sockets[0]!.close();
		lists['fill.list'] = [fill('missed meanwhile'), ...lists['fill.list']!];
		await pass(9_000);
		expect(sockets).toHaveLength(2);
		expect(seen.keys()).toContain('fill:missed meanwhile:order-1');
	});

	it.each<[string, (seq: number) => unknown]>([
		['numbers that always jump', (seq) => seq],
		['numbers that cannot be read', (seq) => `number ${seq}`],
	])('reads less once %s', async (_, numberOf) => {
		const { sockets, reads, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		let seq = 0;
		const jumpFor = async (seconds: number) => {
			for (let second = 0; second < seconds; second += 5) {
				sockets[0]!.say(data('user.fills', numberOf((seq += 2)), fill(`f${seq}`)));
				await pass(5_000);
			}
		};
		await jumpFor(120);
		const before = reads.length;
		await jumpFor(300);
		expect(reads.length - before).toBeLessThanOrEqual(15);
	});

	it('reads a list again after 5 and 20 seconds, because it may lag behind the stream', async () => {
		const { sockets, lists, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		sockets[0]!.close();
		await pass(9_000);
		expect(sockets).toHaveLength(2);
		lists['fill.list'] = [fill('late')];
		await pass(20_000);
		expect(seen.keys()).toEqual(['fill:late:order-1']);
	});

	it('retries a failed backfill and shows it in the status meanwhile', async () => {
		const { lists, faults, consume, pass, sockets } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		lists['fill.list'] = [fill('f1')];
		sockets[0]!.close();
		await pass(20_000);
		expect(seen.notices).toContainEqual(expect.objectContaining({ kind: 'degraded', topic: 'user.fills' }));
		faults['fill.list'] = undefined;
		await pass(MINUTE_MS);
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
	});

	it('a topic continues without backfills if the key may not read, once that is confirmed', async () => {
		const { faults, consume, sockets, settled, pass } = openStage();
		faults['fill.list'] = new ExchangeError('forbidden', { what: 'The key may not do this' });
		const seen = consume(FILLS);
		await pass(4_000);
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
	});

	it('reads the fills that an ended order says it had', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		const seen = consume({ topics: ['user.orders', 'user.fills'] });
		await seen.subscription.ready;
		await pass(25_000);
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o1', '10')));
		lists['fill.list'] = [fill('f2', 'o1', '20'), fill('f1', 'o1', '10')];
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await settled();
		await pass(3_500);
		expect(seen.keys()).toContain('fill:f2:o1');
	});

	it('reads public trades that a number shows as missing, in their order', async () => {
		const { sockets, lists, consume, settled, pass } = openStage({ confirms: false });
		lists['market.trades'] = [trade(1), trade(2)];
		const seen = consume(TRADES);
		await settled();
		sockets[0]!.say({ type: 'subscribed', topics: ['trades.USD_NGN'] });
		await seen.subscription.ready;
		lists['market.trades'] = [trade(1), trade(2), trade(3), trade(4)];
		sockets[0]!.say(data('trades.USD_NGN', 1, trade(5)));
		await pass(6_000);
		expect(seen.keys()).toEqual(['trade:trade-5', 'trade:trade-3', 'trade:trade-4']);
	});

	it.each([
		['the pair as the markets name it', [{ pair_id: 'USD/NGN' }, { pair_id: 'A_B/C' }], 'A_B/C'],
		['a pair with a slash for each underscore where no market is found', [], 'A/B/C'],
	])('reads %s, and asks for its name once', async (_, markets, pair_id) => {
		const { lists, reads, requests, consume, pass } = openStage();
		lists['market.list'] = markets;
		await consume({ topics: ['trades.A_B_C'] }).subscription.ready;
		await pass(2 * MINUTE_MS);
		expect(requests.filter((input) => 'after_sequence' in input)).not.toEqual([]);
		expect(requests.flatMap((input) => input.pair_id ?? [])).toEqual(Array(requests.length - 1).fill(pair_id));
		expect(reads.filter((id) => id === 'market.list')).toHaveLength(1);
	});

	it('reads on under the likely name of a pair while the markets cannot be read', async () => {
		const { lists, faults, requests, consume, pass } = openStage();
		lists['market.list'] = [{ pair_id: 'A_B/C' }];
		faults['market.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		await consume({ topics: ['trades.A_B_C'] }).subscription.ready;
		expect(requests.at(-1)).toMatchObject({ pair_id: 'A/B/C' });
		faults['market.list'] = undefined;
		await pass(MINUTE_MS);
		expect(requests.at(-1)).toMatchObject({ pair_id: 'A_B/C' });
	});

	it('reads a busy pair from half a minute ago, not from where it began', async () => {
		const { sockets, lists, requests, consume, pass } = openStage();
		const seen = consume({ ...TRADES, batchMax: 100 });
		await seen.subscription.ready;
		for (let sequence = 1; sequence <= 1_200; sequence += 1) {
			sockets[0]!.say(data('trades.USD_NGN', sequence, trade(sequence)));
			(lists['market.trades'] ??= []).push(trade(sequence));
			await pass(200);
		}
		const last = requests.findLast((input) => 'after_sequence' in input);
		expect(last!.after_sequence).toBeGreaterThan(300);
	});

	it('reads more public trades at once if pages are small', async () => {
		const { sockets, lists, consume, pass } = openStage({ pageMax: 10 });
		lists['market.trades'] = [trade(1)];
		const seen = consume({ ...TRADES, batchMax: 100 });
		await seen.subscription.ready;
		lists['market.trades'] = Array.from({ length: 36 }, (_, index) => trade(index + 1));
		sockets.at(-1)!.close();
		await pass(3_000);
		expect(seen.events).toHaveLength(35);
	});

	it('names a gap for public trades that small pages, the newest first, put out of reach', async () => {
		const { lists, client, consume, pass } = openStage({ pageMax: 10 });
		const { page } = client;
		client.page = async (id, { after_sequence: _, ...input }) => page(id, input);
		lists['market.trades'] = [trade(1)];
		const seen = consume({ ...TRADES, batchMax: 100 });
		await seen.subscription.ready;
		lists['market.trades'] = Array.from({ length: 36 }, (_, index) => trade(36 - index));
		await pass(MINUTE_MS);
		const gaps = seen.events.filter(({ data: payload }) => 'gap' in (payload as object));
		expect(gaps).toMatchObject([{ data: { gap: { after_sequence: 1, before_sequence: 27 } } }]);
		expect(seen.events).toHaveLength(11);
	});
});
