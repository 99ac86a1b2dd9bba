import { type Account, type Consumer, isExchangeError, type Stream } from '@partner-exchange/core';
import { createRegistry } from '@partner-exchange/core/testing';
import { virtualTime } from '../../simulation/support/time';
import { ACCOUNT, data, fill, follow, openStage, order } from './stage';

const FILLS = { topics: ['user.fills'] };

const ORDERS = { topics: ['user.orders'] };

const SECOND_MS = 1_000;

const MINUTE_MS = 60_000;

type Stage = ReturnType<typeof openStage>;

const unsubscribed = ({ sockets }: Stage) => sockets[0]!.sent.filter(({ type }) => type === 'unsubscribe');

const incomplete = (events: { kind?: string }[]) => events.filter(({ kind }) => kind === 'incomplete_fills').length;

describe('a topic', () => {
	it('refuses a topic by name that the service does not have, before anything is requested', async () => {
		const { sockets, consume } = openStage();
		await expect(consume({ topics: ['user.fils'] }).subscription.ready).rejects.toMatchObject({
			...{ code: 'invalid_input', field: 'topics' },
			message: expect.stringContaining('There is no topic user.fils'),
		});
		const error = await consume({ topics: ['x'.repeat(1_000)] }).subscription.ready.catch(
			(entry: Error) => entry.message,
		);
		expect(error).toContain(` ${'x'.repeat(64)} (topics).`);
		expect(sockets).toEqual([]);
	});

	it('keeps a topic while order updates are listened for, whoever leaves it', async () => {
		const stage = openStage();
		const { sockets, stream, consume, settled } = stage;
		const heard: unknown[] = [];
		const stop = stream.onOrderUpdate(({ id }) => heard.push(id));
		const seen = consume({ topics: ['user.orders', 'user.fills'] });
		await seen.subscription.ready;
		await seen.subscription.close();
		expect(unsubscribed(stage)).toEqual([{ type: 'unsubscribe', topics: ['user.fills'] }]);
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		await settled();
		expect(heard).toEqual(['o1']);
		stop();
		expect(unsubscribed(stage)).toHaveLength(2);
	});
});

describe('one who listens', () => {
	it('tells a subscriber after half a minute that its topics are not confirmed', async () => {
		const { consume, pass, stream, timers } = openStage({ confirms: false });
		const seen = consume(FILLS);
		await pass(29 * SECOND_MS);
		expect(stream.status().totals.subscribers).toBe(1);
		await pass(2 * SECOND_MS);
		await expect(seen.subscription.ready).rejects.toMatchObject({
			code: 'timeout',
			message: expect.stringContaining('did not confirm the topics, or show their lists, in time'),
		});
		await stream.close();
		expect(timers()).toBe(0);
	});

	it('tells a subscriber that it left before its topics were confirmed', async () => {
		const { consume } = openStage({ confirms: false });
		const { subscription } = consume(FILLS);
		await subscription.close();
		await expect(subscription.ready).rejects.toMatchObject({
			...{ code: 'aborted', message: expect.stringContaining('closed before it was ready') },
		});
	});
});

describe('a connection that is lost', () => {
	it('reports a lost connection to the subscribers of its topics alone', async () => {
		const { sockets, consume } = openStage();
		const [private_, public_] = [consume(FILLS), consume({ topics: ['trades.USD_NGN'] })];
		await Promise.all([private_.subscription.ready, public_.subscription.ready]);
		sockets.find(({ url }) => !url.includes('token'))!.close();
		const reconnects = [private_, public_].map(({ subscription }) => subscription.counters().reconnects);
		expect(reconnects).toEqual([0, 1]);
	});
});

describe('a connection that nobody uses', () => {
	it('closes one unused connection alone, and keeps another that is used', async () => {
		const { sockets, stream, consume, pass } = await follow(FILLS);
		const trades = consume({ topics: ['trades.USD_NGN'] });
		await trades.subscription.ready;
		await trades.subscription.close();
		await pass(31 * SECOND_MS);
		expect(stream.status().connections.map(({ access }) => access)).toEqual(['private']);
		const isOpen = ({ isTerminated }: { isTerminated: boolean }) => !isTerminated;
		expect(sockets.filter(isOpen).map(({ url }) => url.includes('token'))).toEqual([true]);
	});
});

describe('the fills of an order', () => {
	it('reports missing fills to a subscriber of large fills alone, because their size is unknown', async () => {
		const { sockets, consume, pass } = openStage();
		const seen = consume({ ...FILLS, filters: { minQuantity: '100' } });
		await Promise.all([seen.subscription.ready, consume(ORDERS).subscription.ready]);
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(2 * MINUTE_MS);
		expect(incomplete(seen.events)).toBe(1);
	});
});

describe('sharing', () => {
	it('serves all subscribers over one connection, and one that leaves disturbs nobody', async () => {
		const { say, sockets, consume } = openStage();
		const all = Array.from({ length: 7 }, () => consume(FILLS));
		await Promise.all(all.map(({ subscription }) => subscription.ready));
		expect(sockets).toHaveLength(1);
		await all[0]!.subscription.close();
		await say(data('user.fills', 1, fill('f1')));
		expect(all.map(({ events }) => events.length)).toEqual([0, 1, 1, 1, 1, 1, 1]);
		expect(sockets[0]!.sent.some(({ type }) => type === 'unsubscribe')).toBe(false);
	});

	it('shares one stream per account, and closes it a while after the last subscriber left', async () => {
		const time = virtualTime();
		const registry = createRegistry(time);
		const closed: string[] = [];
		const make = (name: string) => () => ({ close: async () => void closed.push(name) }) as unknown as Stream;
		const other: Account = { ...ACCOUNT, apiKey: 'another-key' };
		const [first, second, third] = [
			registry.share(ACCOUNT, make('one')),
			registry.share({ ...ACCOUNT }, make('two')),
			registry.share(other, make('three')),
		];
		expect(second.stream).toBe(first.stream);
		expect(third.stream).not.toBe(first.stream);
		first.release();
		first.release();
		await time.run(time.now() + 60_000);
		expect(closed).toEqual([]);
		second.release();
		await time.run(time.now() + 20_000);
		const back = registry.share(ACCOUNT, make('four'));
		expect(back.stream).toBe(first.stream);
		await time.run(time.now() + 60_000);
		expect(closed).toEqual([]);
		back.release();
		await time.run(time.now() + 31_000);
		expect(closed).toEqual(['one']);
	});

	it('shares a stream only between accounts that are alike in everything, their wire names included', () => {
		const registry = createRegistry(virtualTime());
		const make = () => ({ close: () => Promise.resolve() }) as unknown as Stream;
		const named = { ...ACCOUNT, names: { 'stream.resume': 'from' } };
		expect(registry.find(ACCOUNT)).toBeUndefined();
		const [plain, other] = [registry.share(ACCOUNT, make).stream, registry.share(named, make).stream];
		expect(other).not.toBe(plain);
		expect([registry.find({ ...ACCOUNT, names: {} }) === plain, registry.find(named) === other]).toEqual([true, true]);
	});
});

describe('a connection that several share', () => {
	it('a shared connection stays for the other subscribers when one leaves', async () => {
		const { sockets, consume, pass, say, seen } = await follow(FILLS);
		await consume(ORDERS).subscription.ready;
		await seen.subscription.close();
		await pass(20 * SECOND_MS);
		await say({ type: 'pong' });
		await pass(20 * SECOND_MS);
		expect([sockets[0]!.isTerminated, sockets.length]).toEqual([false, 1]);
	});
});

describe('a notice that fills of an order are missing', () => {
	it.each([
		['USD/NGN', 1],
		['EUR/NGN', 0],
	])('a notice of missing fills passes a filter of the pair %s as its order does', async (pair, count) => {
		const { sockets, lists, consume, pass } = openStage();
		const seen = consume({ ...FILLS, filters: { pairs: [pair] } });
		await Promise.all([seen.subscription.ready, consume({ topics: ['user.orders'] }).subscription.ready]);
		lists['order.list'] = [order('o1', 'filled', '30')];
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(120 * SECOND_MS);
		expect(seen.events.filter(({ kind }) => kind === 'incomplete_fills')).toHaveLength(count);
	});
});

describe('what a stream refuses or leaves alone', () => {
	it('a stream refuses a command that is stopped before there is a connection', async () => {
		const { sockets, stream, settled } = openStage({ opens: false });
		const stopped = new AbortController();
		const outcome = stream.command('order_create', {}, stopped.signal).catch((error: unknown) => error);
		await settled();
		stopped.abort();
		const error = await outcome;
		expect(isExchangeError(error) && [error.code, error.message]).toEqual([
			'aborted',
			expect.stringContaining('before the command was sent'),
		]);
		expect(sockets[0]!.sent).toEqual([]);
	});
});

describe('a connection that does not come back', () => {
	it('a lost connection shows its state with each of its topics', async () => {
		const { sockets, stream, consume, settled, pass } = openStage({ opens: false });
		void consume({ ...FILLS, retriesFirstConnection: true });
		await settled();
		const state = () => stream.status().topics.map((topic) => topic.state);
		expect(state()).toEqual(['connecting']);
		sockets[0]!.close({});
		expect(state()).toEqual(['waiting']);
		await pass(9 * SECOND_MS);
		sockets[1]!.open();
		await pass(SECOND_MS);
		expect(state()).toEqual(['subscribed']);
	});
});

describe('a topic that the service refuses', () => {
	it('a refused topic fails every subscriber that follows it, and they leave', async () => {
		const { sockets, stream, consume, settled, pass } = openStage({ confirms: false });
		const all = [consume(FILLS), consume(FILLS)];
		await settled();
		for (let refusals = 0; refusals < 2; refusals += 1) {
			sockets[0]!.say({ type: 'error', code: 'unavailable', topics: ['user.fills'] });
			await pass(2 * SECOND_MS);
		}
		for (const { subscription } of all) await expect(subscription.ready).rejects.toMatchObject({ code: 'refused' });
		expect(stream.status()).toMatchObject({ totals: { subscribers: 0 }, topics: [] });
	});
});

describe('a filter that could never be applied', () => {
	it.each([undefined, '', '1.5'])('accepts the smallest quantity %s as a filter', async (minQuantity) => {
		const { say, seen } = await follow({ ...FILLS, filters: { minQuantity } });
		await say(data('user.fills', 1, fill('f1', 'o', '2')));
		expect(seen.keys()).toEqual(['fill:f1:o']);
	});
});

const full = new Error('disk full');

/** A script that awaits no `ready` has its callbacks alone to hear of an end. */
describe('a subscription whose ready nobody awaits', () => {
	const FILLS = { topics: ['user.fills'] };
	const toldOf = (seen: { notices: { text: string }[] }): string[] => seen.notices.map(({ text }) => text);

	it('hears that its first connection failed, once, and no notice promises another one', async () => {
		const { sockets, consume, pass } = openStage({ opens: false });
		const seen = consume(FILLS);
		await pass(1_000);
		sockets[0]!.close();
		await pass(60_000);
		expect(seen.failed).toMatchObject({ code: 'unreachable' });
		await expect(seen.subscription.ready).rejects.toBe(seen.failed);
		expect(toldOf(seen)).not.toContain('Disconnected, reconnecting');
	});

	it('hears that nothing was confirmed in time', async () => {
		const { consume, pass } = openStage({ confirms: false });
		const seen = consume({ topics: ['trades.USD_NGN'] });
		await pass(120_000);
		expect(seen.failed?.message).toContain('Stream');
		await expect(seen.subscription.ready).rejects.toBe(seen.failed);
	});

	it.each<[string, () => void]>([
		[
			'throws',
			() => {
				throw full;
			},
		],
		// What a script writes whose store is asynchronous.
		['rejects', () => Promise.reject(full)],
	])(
		'hears that its checkpoint could not be stored because onCheckpoint %s, with the error of its own',
		async (_, onCheckpoint) => {
			const { consume, sockets, pass, settled } = openStage();
			const seen = consume({ ...FILLS, onCheckpoint });
			await settled();
			sockets[0]!.say(data('user.fills', 1, fill('f1')));
			await pass(60_000);
			expect(seen.failed).toMatchObject({ code: 'invalid_input' });
			expect(seen.failed?.cause).toBe(full);
			expect(JSON.stringify(seen.failed)).not.toContain(full.message);
		},
	);

	it('hears that its events come again, with what its deliver rejected with', async () => {
		const { consume, sockets, pass, settled } = openStage();
		const taken: string[] = [];
		let tries = 0;
		const deliver: Consumer['deliver'] = async ([event]) => {
			tries += 1;
			if (tries < 3) throw full;
			taken.push(event!.eventKey);
		};
		const seen = consume({ ...FILLS, deliver });
		await settled();
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await pass(60_000);
		expect(seen.notices.filter(({ cause }) => cause !== undefined)).toEqual([
			{ kind: 'degraded', state: 'live', text: expect.stringContaining('delivered again') as string, cause: full },
		]);
		expect(taken).toHaveLength(1);
	});

	it('ends where what is told of a refused key rejects, and no rejection is left to the process', async () => {
		const unhandled: unknown[] = [];
		const note = (error: unknown) => void unhandled.push(error);
		process.on('unhandledRejection', note);
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		const onRefused = () => Promise.reject(full) as never;
		const seen = consume({ ...FILLS, retriesFirstConnection: true, onRefused });
		await settled();
		for (let tries = 0; tries < 3; tries += 1) {
			sockets[tries]!.close({ status: 401 });
			await pass(2_000);
		}
		await new Promise((resolve) => setImmediate(resolve));
		process.off('unhandledRejection', note);
		expect([unhandled, seen.failed?.cause]).toEqual([[], full]);
	});
});
