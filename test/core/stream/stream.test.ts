import { ExchangeError } from '@partner-exchange/core';
import { storedIn } from './checkpoint-stage';
import { data, fill, openStage, order, trade } from './stage';

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

	it('reads a topic whose messages jump, although its own numbers do not', async () => {
		const { sockets, lists, reads, consume, pass } = openStage();
		lists['market.trades'] = [trade(1)];
		await consume({ topics: ['trades.USD_NGN'] }).subscription.ready;
		sockets[0]!.say(data('trades.USD_NGN', 1, trade(2)));
		await pass(30 * SECOND_MS);
		const before = reads.length;
		sockets[0]!.say(data('trades.USD_NGN', 3, trade(3)));
		await pass(SECOND_MS);
		expect(reads.length).toBe(before + 1);
	});

	it('reads a topic after a message without a place, because others may be missing', async () => {
		const { sockets, reads, consume, pass } = openStage();
		await consume(FILLS).subscription.ready;
		await pass(30 * SECOND_MS);
		const before = reads.length;
		sockets[0]!.say({ type: 'data', topic: 'user.fills', data: fill('f1') });
		await pass(SECOND_MS);
		expect(reads.length).toBe(before + 1);
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
			message: expect.stringContaining('did not confirm the topics in time'),
		});
		await stream.close();
		expect(timers()).toBe(0);
	});

	it('leaves no timer behind once a subscriber was ready', async () => {
		const { consume, stream, timers } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await stream.close();
		expect(timers()).toBe(0);
		await expect(consume(FILLS).subscription.ready).rejects.toMatchObject({
			code: 'stream_closed',
			message: expect.stringContaining('Open it again'),
		});
	});

	it('tells a subscriber that it left before its topics were confirmed', async () => {
		const { consume } = openStage({ confirms: false });
		const { subscription } = consume(FILLS);
		await subscription.close();
		await expect(subscription.ready).rejects.toMatchObject({
			...{ code: 'aborted', message: expect.stringContaining('closed before it was ready') },
		});
	});

	it('a listener may ignore that its key is refused, and a command fails all the same', async () => {
		const { sockets, stream, consume, settled, pass } = openStage({ opens: false });
		void consume({ ...FILLS, retriesFirstConnection: true, onRefused: undefined });
		const outcome = stream.command('order_create', {}).catch((error: unknown) => error);
		await settled();
		for (let tries = 0; tries < 3; tries += 1) {
			sockets[tries]!.close({ status: 401 });
			await pass(2 * SECOND_MS);
		}
		expect(await outcome).toMatchObject({ code: 'unauthorized' });
	});

	it('stores since when a topic is followed whose first backfill is not done, with what was delivered of it', async () => {
		const { sockets, client, consume, settled, time } = openStage();
		const { page } = client;
		client.page = async (id, input) => (id === 'order.list' ? new Promise(() => undefined) : page(id, input));
		const began = time.now();
		const seen = consume({ topics: ['user.fills', 'user.orders'], retriesFirstConnection: true });
		await settled();
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect([seen.keys().includes('fill:f1:order-1'), storedIn(seen.positions)]).toEqual([
			true,
			{ 'user.fills': expect.anything(), 'user.orders': expect.objectContaining({ unreadSince: began }) },
		]);
		const next = openStage();
		next.lists['order.list'] = [order('o1', 'cancelled')];
		const resumed = next.consume({ topics: ['user.orders'], checkpoint: seen.positions });
		await resumed.subscription.ready;
		await next.settled();
		expect(resumed.keys()).toEqual([expect.stringContaining('order:o1:cancelled')]);
	});

	it('stops a subscriber whose callback for positions fails, and says why', async () => {
		const { sockets, stream, consume, settled } = openStage();
		let [isBroken, calls] = [false, 0];
		const onCheckpoint = () => isBroken && ((calls += 1), JSON.parse('no') as undefined);
		const seen = consume({ ...FILLS, onCheckpoint });
		await seen.subscription.ready;
		isBroken = true;
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.failed).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('onCheckpoint') });
		expect([stream.status().totals.subscribers, calls]).toEqual([0, 1]);
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
		const { sockets, stream, consume, pass } = openStage();
		await consume(FILLS).subscription.ready;
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
	it('compares the fills of an order that was only found by reading', async () => {
		const { sockets, lists, consume, pass } = openStage();
		const seen = consume({ topics: ['user.fills', 'user.orders'] });
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		lists['order.list'] = [order('o1', 'filled', '30')];
		await pass(3 * MINUTE_MS);
		expect(incomplete(seen.events)).toBe(1);
	});

	it('looks for the fills of an order again if somebody subscribes to fills once more', async () => {
		const { sockets, consume, pass } = openStage();
		const first = consume(FILLS);
		await Promise.all([first.subscription.ready, consume(ORDERS).subscription.ready]);
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await first.subscription.close();
		await pass(5 * SECOND_MS);
		const second = consume(FILLS);
		await second.subscription.ready;
		await pass(2 * MINUTE_MS);
		expect(incomplete(second.events)).toBe(1);
	});

	it('stops reading the fills of an order once the stream is closed', async () => {
		const { sockets, stream, client, consume, pass } = openStage();
		await consume({ topics: ['user.fills', 'user.orders'] }).subscription.ready;
		let signal: AbortSignal | undefined;
		client.page = (_id, input, options) => {
			if (input.order_id === 'o1') signal = options?.signal;
			return new Promise(() => undefined);
		};
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(MINUTE_MS);
		expect(signal?.aborted).toBe(false);
		await stream.close();
		expect(signal?.aborted).toBe(true);
	});

	it('reports missing fills to a subscriber of large fills alone, because their size is unknown', async () => {
		const { sockets, consume, pass } = openStage();
		const seen = consume({ ...FILLS, filters: { minQuantity: '100' } });
		await Promise.all([seen.subscription.ready, consume(ORDERS).subscription.ready]);
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(2 * MINUTE_MS);
		expect(incomplete(seen.events)).toBe(1);
	});
});

describe('a refusal of the key', () => {
	it('a refused key does not fail subscribers whose first connection failed for another reason', async () => {
		const { sockets, faults, consume, settled } = openStage({ opens: false });
		faults['wallet.balances'] = new ExchangeError('unreachable', { what: 'It does not answer' });
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await settled();
		sockets[0]!.close({});
		await settled();
		expect([seen.refused, seen.failed]).toEqual([undefined, undefined]);
	});
});
