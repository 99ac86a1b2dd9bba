import {
	createClient,
	createStream,
	ExchangeError,
	type HttpRequest,
	type HttpResponse,
	type OpenSocket,
} from '@partner-exchange/core';
import { createRateLimiters } from '@partner-exchange/core/testing';
import { READ_EVERY_MS, READ_LAG_MS_MAX, READS_PER_MINUTE_MAX } from '../../../packages/core/src/stream/limits';
import { random } from '../../simulation/support/random';
import { virtualTime } from '../../simulation/support/time';
import { ACCOUNT, data, fill, follow, openStage, order, trade } from './stage';

const ORDERS = { topics: ['user.orders'] };

const FILLS = { topics: ['user.fills'] };

const TRADES = { topics: ['trades.USD_NGN'] };

const MINUTE_MS = 60_000;

describe('reading what the stream did not bring', () => {
	it('reads an order again soon whose own read failed', async () => {
		const { say, lists, faults, pass, seen } = await follow(ORDERS);
		await pass(MINUTE_MS / 2);
		await say(data('user.orders', 1, order('o1', 'accepted')));
		lists['order.get'] = [order('o1', 'cancelled')];
		faults['order.get'] = new ExchangeError('unavailable', { what: 'The service failed' });
		await pass(READ_EVERY_MS / 2);
		faults['order.get'] = undefined;
		await pass(READ_LAG_MS_MAX);
		expect(seen.keys()).toEqual(['order:o1:accepted:0', 'order:o1:cancelled:0']);
	});

	it.each(['shown', 'refused'])(
		'tells what a page shows before it has looked up the orders that no page shows, lists by status are %s',
		async (by) => {
			const { time, sockets, lists, client, pass, seen } = await follow({ ...ORDERS, batchMax: 1_000 });
			await pass(MINUTE_MS / 2);
			const open = Array.from({ length: 100 }, (_, index) => order(`o${index}`, 'accepted'));
			for (const [index, item] of open.entries()) sockets[0]!.say(data('user.orders', index + 1, item));
			lists['order.list'] = [order('new', 'filled', '30', { created_at: new Date(time.now()).toISOString() })];
			const { page, call } = client;
			const slowly = async () => new Promise<void>((resolve) => time.after(MINUTE_MS, resolve));
			client.page = async (id, input) => {
				if (input.status === undefined) return page(id, input);
				if (by === 'refused') throw new ExchangeError('refused', { what: 'It has no such filter' });
				await slowly();
				return page(id, input);
			};
			client.call = async (id, input) => (await slowly(), call(id, input));
			await pass(2 * READ_EVERY_MS);
			expect(seen.keys()).toContain('order:new:filled:30');
		},
	);

	it('delivers the event behind a jump of the numbers at once, and backfills what was jumped over', async () => {
		const { say, sockets, lists, pass, seen } = await follow(FILLS);
		await pass(22_000);
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		lists['fill.list'] = [fill('f3'), fill('f2'), fill('f1')];
		await say(data('user.fills', 3, fill('f3')));
		expect(seen.keys().slice(0, 2)).toEqual(['fill:f1:order-1', 'fill:f3:order-1']);
		await pass(1_500);
		expect(seen.keys()).toEqual(['fill:f1:order-1', 'fill:f3:order-1', 'fill:f2:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ gaps: 0, reconciled: 1 });
	});

	it('reads no more than its budget however often the numbers jump', async () => {
		const { sockets, reads, pass, seen } = await follow(FILLS);
		for (let jump = 1; jump <= 100; jump += 1) sockets[0]!.say(data('user.fills', jump * 2, fill(`f${jump}`)));
		await pass(MINUTE_MS);
		expect(reads.filter((id) => id === 'fill.list').length).toBeLessThanOrEqual(13);
		expect(seen.events).toHaveLength(100);
	});

	it('retries a failed backfill and shows it in the status meanwhile', async () => {
		const { lists, faults, pass, sockets, seen } = await follow(FILLS);
		faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		lists['fill.list'] = [fill('f1')];
		sockets[0]!.close();
		await pass(20_000);
		expect(seen.notices).toContainEqual(expect.objectContaining({ kind: 'degraded', topic: 'user.fills' }));
		faults['fill.list'] = undefined;
		await pass(MINUTE_MS);
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
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
		expect(gaps).toMatchObject([
			{
				kind: 'gap',
				delivery: 'reconciled',
				data: { gap: { after_sequence: 1, before_sequence: 27 }, pair: 'USD_NGN' },
			},
		]);
		expect(seen.notices).toContainEqual(expect.objectContaining({ kind: 'gap' }));
		expect(seen.subscription.counters()).toMatchObject({ gaps: 1 });
		expect(seen.events).toHaveLength(11);
	});
});

const SECOND_MS = 1_000;

const PAIRS = Array.from({ length: 60 }, (_, index) => `P${index}`);

/** A service of 60 pairs that allows this many requests per second, and confirms subscriptions. */
function openBusyService(perSecond: number) {
	const time = virtualTime();
	const chance = random(1);
	const answered: number[] = [];
	const ends: (() => void)[] = [];
	let [refused, highest] = [0, 1];

	const send = async ({ url }: HttpRequest): Promise<HttpResponse> => {
		if (answered.filter((at) => at > time.now() - SECOND_MS).length >= perSecond) {
			refused += 1;
			return { status: 429, headers: { 'retry-after': '1' }, body: '' };
		}
		answered.push(time.now());
		const after = Number(/after_sequence=(\d+)/.exec(url)?.[1] ?? 0);
		const rows = url.includes('/trades')
			? Array.from({ length: Math.max(0, highest - after) }, (_, index) => trade(after + index + 1))
			: PAIRS.map((pair_id) => ({ pair_id }));
		return { status: 200, headers: {}, body: JSON.stringify({ status: 'success', data: rows }) };
	};
	const openSocket: OpenSocket = (_, { opened, messages, closed }) => {
		time.after(1, opened);
		ends.push(() => closed({}));
		return {
			send: (text) => {
				const { type, topics } = JSON.parse(text) as { type: string; topics?: string[] };
				if (type === 'ping') time.after(1, () => messages(['{"type":"pong"}']));
				if (topics) time.after(1, () => messages([JSON.stringify({ type: 'subscribed', topics })]));
			},
			terminate: () => undefined,
		};
	};
	const ports = { clock: time, random: chance.next, newId: chance.uuid };
	const client = createClient(ACCOUNT, { ...ports, send: createRateLimiters(time)(ACCOUNT).send(send, 'first') });
	const stream = createStream({ ...ports, account: client.account, client, openSocket });
	return {
		time,
		stream,
		answered,
		refused: () => refused,
		trade: () => void (highest += 1),
		breakAll: () => ends.splice(0).forEach((end) => end()),
	};
}

describe('what may be read at once', () => {
	it('reads a list so often a minute and no more, though each message shows that others are missing', async () => {
		const { say, reads, pass } = await follow(FILLS);
		const before = reads.length;
		for (let second = 0; second < 60; second += 1) {
			await say(data('user.fills', 10 * second + 10, fill(`fill-${second}`)));
			await pass(1_000);
		}
		expect(reads.slice(before)).toHaveLength(READS_PER_MINUTE_MAX);
	});

	it('shares the budget of reads among sixty topics, and has the last one in step within a bound', async () => {
		const service = openBusyService(10);
		const reports = new Map<string, number>();
		for (const pair of PAIRS)
			service.stream.subscribe({
				topics: [`trades.${pair}`],
				retriesFirstConnection: true,
				deliver: async (events) => void reports.set(pair, (reports.get(pair) ?? 0) + events.length),
			});
		await service.time.run(service.time.now() + 300 * SECOND_MS);
		expect(reports.size).toBe(0);
		const [before, refused] = [service.answered.length, service.refused()];
		service.trade();
		service.breakAll();
		await service.time.run(service.time.now() + 120 * SECOND_MS);
		expect([...reports.values()]).toEqual(PAIRS.map(() => 1));
		const requestCount = service.answered.length - before;
		expect((service.refused() - refused) / requestCount).toBeLessThan(0.2);
	});

	it('reads no more for 40 subscribers whose confirmations list every active topic', async () => {
		const active: string[] = [];
		const stage = openStage({
			confirms: (topics) => {
				active.push(...topics);
				return { topics: [...new Set(active)] };
			},
		});
		for (let index = 0; index < 40; index += 1) {
			stage.consume({ topics: [`trades.P${index}`], retriesFirstConnection: true });
			await stage.pass(250);
		}
		await stage.pass(20 * SECOND_MS);
		// A first backfill, and those at once, after 5 and after 20 seconds, two of which look for the newest row.
		expect(stage.reads.filter((id) => id === 'market.trades').length).toBeLessThanOrEqual(40 * 7);
	});
});
