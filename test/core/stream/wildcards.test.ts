import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { data, openStage, order, trade, follow } from './stage';

const NGN = 'trades.USD_NGN';
const EUR = 'trades.EUR_NGN';
const report = (seen: { events: readonly { topic: string; eventKey: string }[] }) =>
	seen.events.map(({ topic, eventKey }) => [topic, eventKey]);

describe('a wildcard topic', () => {
	it.each(['trades.*', 'trades.#', 'trades.>', '*.USD_NGN', 'trades.USD_*'])(
		'a wildcard is sent as it was typed, as %s, and brings each event under its exact topic',
		async (wildcard) => {
			const { say, sockets, seen } = await follow({ topics: [wildcard] });
			expect(sockets[0]!.sent).toEqual([{ type: 'subscribe', topics: [wildcard], snapshot: false }]);
			await say(data(NGN, 1, trade(1)), data('orderbook.EUR_NGN', 1, { bids: [], asks: [], sequence: 1 }));
			expect(seen.events).toEqual([
				expect.objectContaining({ topic: NGN, seq: 1, epoch: 'e1', delivery: 'live', eventKey: 'trade:trade-1' }),
			]);
		},
	);

	it('a wildcard says in a notice that it is live only, and reads nothing', async () => {
		const { reads, pass, seen } = await follow({ topics: ['trades.*'] });
		await pass(300_000);
		expect(seen.notices).toContainEqual(
			expect.objectContaining({
				kind: 'degraded',
				topic: 'trades.*',
				text: 'A wildcard topic brings what is live; missed events of it cannot be backfilled',
			}),
		);
		expect(reads).toEqual([]);
	});

	it('a wildcard delivers nothing again that an exact subscription of the same subscriber delivers, or that came twice', async () => {
		const { consume, sockets, pass } = openStage();
		const both = consume({ topics: ['trades.*', NGN] });
		const broad = consume({ topics: ['trades.*'] });
		await Promise.all([both.subscription.ready, broad.subscription.ready]);
		await pass(10_000);
		// A service may send one message for each subscription.
		for (let copy = 0; copy < 2; copy += 1) sockets[0]!.say(data(NGN, 1, trade(1)));
		sockets[0]!.say(data(EUR, 1, trade(2)));
		await pass(10_000);
		const all = [
			[NGN, 'trade:trade-1'],
			[EUR, 'trade:trade-2'],
		];
		expect([report(both), report(broad)]).toEqual([all, all]);
	});

	it('a wildcard marks changes of order books as stale, because none of the books is ever whole', async () => {
		const { say, seen } = await follow({ topics: ['orderbook.*'] });
		await say(data('orderbook.USD_NGN', 1, { bids: [], asks: [], sequence: 7 }));
		expect(seen.events).toEqual([expect.objectContaining({ topic: 'orderbook.USD_NGN', stale: true })]);
	});

	it('a wildcard of private topics is subscribed with the key', async () => {
		const { say, sockets, seen } = await follow({ topics: ['user.*'] });
		expect(sockets[0]!.url).toContain('token=');
		await say(data('user.orders', 1, order('o1', 'accepted')));
		expect(report(seen)).toEqual([['user.orders', 'order:o1:accepted:0']]);
	});

	it('a wildcard reports after a lost connection what may be missing, as an item, and is subscribed without a position', async () => {
		const { sockets, settled, pass, seen } = await follow({ topics: ['trades.*'] });
		sockets[0]!.say(data(NGN, 1, trade(1)));
		sockets[0]!.close();
		await pass(10_000);
		sockets[1]!.say(data(NGN, 9, trade(9)));
		await settled();
		expect(sockets[1]!.sent[0]).toEqual({ type: 'subscribe', topics: ['trades.*'], snapshot: false });
		expect(seen.events.map(({ kind, topic }) => [kind, topic])).toEqual([
			[undefined, NGN],
			['gap', 'trades.*'],
			[undefined, NGN],
		]);
		expect(seen.events[1]!.data).toMatchObject({ pair: null, done: 'not_readable' });
		expect(seen.subscription.counters()).toMatchObject({ delivered: 2, gaps: 1, received: 2 });
	});

	it('a wildcard stores no position, and leaves those of exact topics alone', async () => {
		const { consume, sockets, settled, lists } = openStage();
		lists['user.fills'] = [];
		const seen = consume({ topics: ['trades.*', 'user.fills'] });
		await seen.subscription.ready;
		sockets.at(-1)!.say(data(NGN, 1, trade(1)));
		await settled();
		expect(Object.keys(seen.positions!.topics as object)).toEqual(['user.fills']);
	});

	it('a refused wildcard is an error in words', async () => {
		const { consume, sockets, pass } = openStage({ confirms: false });
		const seen = consume({ topics: ['trades.*'] });
		const failed = seen.subscription.ready.catch((error: Error) => error.message);
		await pass(10);
		const refusal = { type: 'error', code: 'unknown_topic', message: 'There is no such topic.', topic: 'trades.*' };
		sockets[0]!.say(refusal);
		await pass(1_010);
		sockets[0]!.say(refusal);
		expect(await failed).toBe(
			'Stream: The service refuses the wildcard topic trades.* (topics) (the service said: There is no such topic). ' +
				'Choose the pairs one by one, or type the pattern that the service uses instead of *.',
		);
	});

	it('a refused wildcard is not confirmed by the topics that others asked for in the same message', async () => {
		const { consume, sockets, pass, settled } = openStage({ confirms: false });
		const others = consume({ topics: ['trades.*', NGN] });
		const refused = consume({ topics: ['trades.#'] });
		const ended = refused.subscription.ready.catch(({ message }: Error) => message);
		await settled();
		sockets[0]!.say({ type: 'error', message: 'no such topic' });
		for (let tries = 0; tries < 6; tries += 1) {
			await settled();
			const asked = sockets[0]!.sent.at(-1)!.topics as string[];
			sockets[0]!.say(
				asked.includes('trades.#')
					? { type: 'error', topics: asked, message: 'no such topic' }
					: { type: 'subscribed', topics: asked },
			);
			await pass(3_000);
		}
		await others.subscription.ready;
		expect(await ended).toContain('The service refuses the wildcard topic trades.#');
	});

	it('a wildcard drops what is no topic of the service, and counts it', async () => {
		const { say, seen } = await follow({ topics: ['*'] });
		await say(data('weather.LAGOS', 1, { id: 'x' }));
		expect(seen.events).toEqual([]);
		expect(seen.subscription.counters().ignored).toBe(1);
	});

	it('a wildcard of a subscriber that is too slow reports what it lost, and continues', async () => {
		const { consume, sockets, pass, time } = openStage();
		let release: () => void = () => undefined;
		const first = new Promise<void>((resolve) => (release = resolve));
		const keys: string[] = [];
		const seen = consume({
			topics: ['trades.*'],
			batchMax: 10_000,
			deliver: async (events) => {
				await first;
				keys.push(...events.map(({ kind, eventKey, data: told }) => (kind ? JSON.stringify(told) : eventKey)));
			},
		});
		await seen.subscription.ready;
		const began = time.now();
		for (let number = 1; number <= 5_100; number += 1) {
			sockets[0]!.say(data(NGN, number, trade(number)));
			// What was handed over before is not lost.
			if (number === 4_000 || number === 4_999) await pass(5_000);
		}
		release();
		await pass(1);
		sockets[0]!.say(data(NGN, 6_000, trade(6_000)));
		await pass(1);
		const gaps = keys.filter((key) => !key.startsWith('trade:'));
		expect([gaps.length, keys.at(-1)]).toEqual([1, 'trade:trade-6000']);
		const [after, before] = [5_000, 10_000].map((ms) => new Date(began + ms).toISOString());
		expect(gaps[0]).toContain(`{"after_created_at":"${after}","before_created_at":"${before}"}`);
		const losses = seen.notices.filter(({ kind, text }) => kind === 'gap' || text === noticeTexts.wildcardTooSlow);
		expect(losses.map(({ topic }) => topic)).toEqual(['trades.*', 'trades.*']);
	});

	it('a wildcard whose connection fell silent reports as lost what came since the last thing heard', async () => {
		const { say, pass, seen } = await follow({ topics: ['trades.*'] });
		await pass(10_000);
		await say(data(NGN, 1, trade(1)));
		await pass(60_000);
		const gap = seen.events.find(({ kind }) => kind === 'gap')!.data as { gap: Record<string, string> };
		const [after, before] = ['after_created_at', 'before_created_at'].map((name) => Date.parse(gap.gap[name]!));
		expect(before! - after!).toBeGreaterThanOrEqual(45_000);
		expect(before! - after!).toBeLessThan(60_000);
	});
});
