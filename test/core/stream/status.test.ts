import { ExchangeError } from '@partner-exchange/core';
import { ACCOUNT, data, fill, follow, openStage, order, trade } from './stage';

const MINUTE_MS = 60_000;

describe('the status of a stream', () => {
	const topicOf = ({ stream }: ReturnType<typeof openStage>, name: string) =>
		stream.status().topics.find(({ topic }) => topic === name)!;

	it('the status shows of each topic its position, its deliveries by kind, and what waits or was dropped', async () => {
		const stage = openStage();
		const { sockets, lists, consume, settled, pass } = stage;
		let take: (() => void) | undefined;
		const seen = consume({
			topics: ['user.fills', 'user.orders'],
			filters: { statuses: ['filled'], pairs: ['USD/NGN'] },
			deliver: () => new Promise<void>((resolve) => (take = resolve)),
		});
		await seen.subscription.ready;
		await pass(1_000);
		sockets[0]!.say(data('user.fills', 4, { ...fill('f1'), pair_id: 'USD/NGN' }));
		sockets[0]!.say(data('user.fills', 5, { ...fill('f1'), pair_id: 'USD/NGN' }));
		sockets[0]!.say(data('user.fills', 6, { ...fill('f2'), pair_id: 'EUR/NGN' }));
		sockets[0]!.say(data('user.orders', 9, order('o1', 'accepted')));
		await settled();
		expect(topicOf(stage, 'user.fills')).toMatchObject({
			...{ state: 'subscribed', subscribers: 1, epoch: 'e1', seq: 6, received: 3, waiting: 1, filtered: 0 },
			...{ duplicates: 1, gaps: 0, delivered: { live: 0, replayed: 0, reconciled: 0 } },
			...{ last_message_at: '2026-01-05T09:00:00.000Z', lag_ms: 0 },
		});
		expect(stage.stream.status().totals).toMatchObject({ waiting: 1 });
		take!();
		lists['fill.list'] = [{ ...fill('f3'), pair_id: 'USD/NGN' }];
		await pass(MINUTE_MS);
		take!();
		await settled();
		expect(topicOf(stage, 'user.fills')).toMatchObject({
			waiting: 0,
			filtered: 1,
			delivered: { live: 1, reconciled: 1 },
		});
		expect(topicOf(stage, 'user.orders')).toMatchObject({ seq: 9, filtered: 1, delivered: { live: 0 } });
		expect(stage.stream.status().totals).toMatchObject({
			...{ connections: 1, topics: 2, subscribers: 1, received: 4, filtered: 2, duplicates: 1 },
			delivered: { live: 1, replayed: 0, reconciled: 1 },
		});
	});

	it('the status shows since when a connection is in its state, its tries, and what ended the last', async () => {
		const { time, sockets, stream, pass } = await follow({ topics: ['user.fills'] });
		const liveAt = new Date(time.now()).toISOString();
		expect(stream.status().connections).toEqual([
			{
				access: 'private',
				state: 'live',
				since: liveAt,
				attempts: 0,
				topics: 1,
				last_error: null,
				last_error_at: null,
			},
		]);
		await pass(5_000);
		sockets[0]!.close({ code: 1006 });
		expect(stream.status().connections[0]).toMatchObject({
			...{ state: 'waiting', last_error: 'The service closed it (code 1006)' },
			last_error_at: new Date(time.now()).toISOString(),
		});
	});

	it('the status shows the backfills: when the next is due, which were refused, and why', async () => {
		const stage = openStage();
		const { faults, consume, pass } = stage;
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		await pass(100);
		expect(topicOf(stage, 'user.fills')).toMatchObject({
			readings: { done: 1, refused: 0, failed: 0, next_at: expect.any(String) as string },
		});
		faults['fill.list'] = new ExchangeError('forbidden', { what: 'The key may not read fills' });
		await pass(MINUTE_MS);
		const { readings, last_error } = topicOf(stage, 'user.fills');
		expect(readings.refused).toBeGreaterThan(0);
		expect(Date.parse(readings.next_at!)).toBeGreaterThan(Date.parse(readings.last_at!));
		expect(last_error).toBe('The key may not read fills');
	});

	it('the status counts reported gaps, and lists the orders whose fills do not add up', async () => {
		const stage = openStage({ pageMax: 10 });
		const { sockets, lists, stream, client, consume, pass } = stage;
		const { page } = client;
		client.page = async (id, { after_sequence: _, ...input }) => page(id, input);
		lists['market.trades'] = [trade(1)];
		const seen = consume({ topics: ['trades.USD_NGN', 'user.fills', 'user.orders'], batchMax: 5_000 });
		await seen.subscription.ready;
		lists['market.trades'] = Array.from({ length: 36 }, (_, index) => trade(36 - index));
		const [private_, public_] = sockets[0]!.url.includes('token') ? sockets : [...sockets].reverse();
		public_!.say(data('trades.USD_NGN', 1, trade(37)));
		private_!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(MINUTE_MS);
		expect(topicOf(stage, 'trades.USD_NGN').gaps).toBe(1);
		expect(stream.status()).toMatchObject({
			totals: { gaps: 1, incomplete_fills: 1 },
			incomplete_fills: [{ order_id: 'o1', expected: '30', counted: '0', told: true }],
		});
	});

	it('the status holds no key and no field of an event', async () => {
		const { say, stream } = await follow({
			topics: ['user.fills'],
			deliver: () => new Promise(() => undefined),
		});
		await say(data('user.fills', 1, { ...fill('f1'), note: 'PAYLOAD' }));
		const text = JSON.stringify(stream.status());
		expect(text).not.toContain(ACCOUNT.apiKey);
		expect(text).not.toContain('PAYLOAD');
		expect(text).not.toContain('127.0.0.1');
	});
});
