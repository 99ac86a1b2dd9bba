import { ExchangeError, isExchangeError } from '@partner-exchange/core';
import { data, fill, openStage, order } from './stage';

const FILLS = { topics: ['user.fills'] };
const SECOND_MS = 1_000;

const unknownKey = () => new ExchangeError('unauthorized', { what: 'The service does not know this key' });
const balancesRead = (reads: string[]) => reads.filter((id) => id === 'wallet.balances').length;

describe('a connection that several share', () => {
	it('a shared connection stays for the other subscribers when one leaves', async () => {
		const { sockets, consume, pass } = openStage();
		const [first, second] = [consume(FILLS), consume({ topics: ['user.orders'] })];
		await Promise.all([first.subscription.ready, second.subscription.ready]);
		await first.subscription.close();
		await pass(20 * SECOND_MS);
		sockets[0]!.say({ type: 'pong' });
		await pass(20 * SECOND_MS);
		expect([sockets[0]!.isTerminated, sockets.length]).toEqual([false, 1]);
	});

	it('a shared connection stays if a subscriber joins before it is closed for want of use', async () => {
		const { sockets, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await seen.subscription.close();
		await pass(10 * SECOND_MS);
		await consume(FILLS).subscription.ready;
		sockets[0]!.say({ type: 'pong' });
		await pass(30 * SECOND_MS);
		expect([sockets[0]!.isTerminated, sockets.length]).toEqual([false, 1]);
	});

	it('a shared connection requests no topic again that is confirmed', async () => {
		const { sockets, stream, consume, settled } = openStage();
		await consume({ topics: ['user.orders'] }).subscription.ready;
		const before = sockets[0]!.sent.length;
		stream.onOrderUpdate(() => undefined);
		await settled();
		expect(sockets[0]!.sent.slice(before)).toEqual([]);
	});
});

describe('a host that is busy', () => {
	it('a connection continues, and what comes waits for the host', async () => {
		const { sockets, consume, settled } = openStage();
		const pending: (() => void)[] = [];
		const seen = consume({
			...{ ...FILLS, batchMax: 1_000 },
			deliver: async (events) => {
				await new Promise<void>((done) => pending.push(done));
				deliveries.push(...events);
			},
		});
		const deliveries: unknown[] = [];
		await seen.subscription.ready;
		for (let seq = 1; seq <= 1_000; seq += 1) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		for (let turn = 0; turn < 3; turn += 1) {
			await settled();
			pending.splice(0).forEach((done) => done());
		}
		await settled();
		expect([deliveries.length, sockets.length, sockets[0]!.isTerminated]).toEqual([1_000, 1, false]);
		expect(seen.subscription.counters().ignored).toBe(0);
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
	it('a stream refuses a subscriber without a topic', async () => {
		const { subscription } = openStage().consume({ topics: [] });
		await expect(subscription.ready).rejects.toMatchObject({ code: 'invalid_input', field: 'topics' });
	});

	it('a stream ignores the fills of orders if nobody follows fills', async () => {
		const { sockets, stream, reads, consume, pass } = openStage();
		await consume({ topics: ['user.orders'] }).subscription.ready;
		sockets[0]!.say(data('user.orders', 1, order('o1', 'filled', '30')));
		await pass(120 * SECOND_MS);
		expect([stream.status().incomplete_fills, reads.filter((id) => id === 'fill.list')]).toEqual([[], []]);
	});

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

	it('a lost connection does not check its key if the status says why', async () => {
		const { sockets, reads, consume, settled } = openStage({ opens: false });
		void consume({ ...FILLS, retriesFirstConnection: true });
		await settled();
		sockets[0]!.close({ status: 500 });
		await settled();
		expect(balancesRead(reads)).toBe(0);
	});

	it.each([
		[401, 'The service does not know this key'],
		[403, 'The key may not open the stream'],
	])('a lost connection says what status %i means for the key', async (status, what) => {
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		const seen = consume(FILLS);
		await settled();
		for (let tries = 0; tries < 3; tries += 1) {
			sockets[tries]!.close({ status });
			await pass(2 * SECOND_MS);
		}
		await expect(seen.subscription.ready).rejects.toMatchObject({ status, message: expect.stringContaining(what) });
	});

	it('a lost connection checks its key at the first try after an open one', async () => {
		const { sockets, reads, consume, settled, pass } = openStage({ opens: false });
		const seen = consume(FILLS);
		await settled();
		sockets[0]!.open();
		await seen.subscription.ready;
		sockets[0]!.close({});
		await pass(5 * SECOND_MS);
		expect([sockets.length, balancesRead(reads)]).toEqual([2, 0]);
		sockets[1]!.close({});
		await settled();
		expect(balancesRead(reads)).toBe(1);
	});

	it('a late answer about a refused key does not end a connection that is open again', async () => {
		const stage = openStage({ opens: false });
		const { sockets, client, consume, settled, pass } = stage;
		const answers: ((error: Error) => void)[] = [];
		client.call = async () => new Promise((_, reject) => answers.push(reject));
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await settled();
		sockets[0]!.close({});
		await pass(5 * SECOND_MS);
		sockets[1]!.open();
		await settled();
		for (const answer of answers) answer(unknownKey());
		await pass(5 * SECOND_MS);
		expect(sockets).toHaveLength(2);
		expect(stage.stream.status().connections).toMatchObject([{ topics: 1 }]);
		sockets[1]!.close({});
		await pass(9 * SECOND_MS);
		expect(sockets).toHaveLength(3);
		sockets[2]!.close({});
		await pass(SECOND_MS);
		for (const answer of answers) answer(unknownKey());
		await settled();
		expect(seen.refused).toBeUndefined();
	});

	it('a lost connection fails each waiting subscriber once', async () => {
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		const failed: string[] = [];
		const seen = consume({ ...FILLS, onFailed: ({ code }) => failed.push(code) });
		await settled();
		sockets[0]!.close({});
		await expect(seen.subscription.ready).rejects.toMatchObject({ code: 'unreachable' });
		await pass(60_000);
		expect(failed).toEqual(['unreachable']);
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

describe('one who left', () => {
	it('a subscriber that left is not counted, and its topics end with it', async () => {
		const { stream, consume } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		expect(stream.status()).toMatchObject({ totals: { subscribers: 1 } });
		await seen.subscription.close();
		expect(stream.status()).toMatchObject({ totals: { subscribers: 0 }, topics: [] });
	});

	it('a listener of orders that left gets nothing more, and its topic ends', async () => {
		const { sockets, stream, settled } = openStage();
		const heard: unknown[] = [];
		const stop = stream.onOrderUpdate((update) => heard.push(update.id));
		await settled();
		sockets[0]!.say(data('user.orders', 1, order('o1', 'open')));
		await settled();
		stop();
		sockets[0]!.say(data('user.orders', 2, order('o2', 'open')));
		await settled();
		expect(heard).toEqual(['o1']);
		expect(sockets[0]!.sent.at(-1)).toEqual({ type: 'unsubscribe', topics: ['user.orders'] });
	});
});

describe('a filter that could never be applied', () => {
	it.each(['many', '1,5'])('refuses the smallest quantity %s before anything is requested', async (minQuantity) => {
		const { sockets, consume } = openStage();
		const { subscription } = consume({ ...FILLS, filters: { minQuantity } });
		await expect(subscription.ready).rejects.toMatchObject({ code: 'invalid_input', field: 'minQuantity' });
		expect(sockets).toEqual([]);
	});

	it.each([undefined, '', '1.5'])('accepts the smallest quantity %s as a filter', async (minQuantity) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ ...FILLS, filters: { minQuantity } });
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1', 'o', '2')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:o']);
	});
});

describe('a command of which nothing is known', () => {
	const CREATE = { idempotency_key: 'key-1' };
	const outcomeOf = async (end: (stage: ReturnType<typeof openStage>) => unknown) => {
		const stage = openStage();
		const outcome = stage.stream.command('order_create', CREATE).catch((error: unknown) => error);
		await stage.settled();
		await end(stage);
		const error = await outcome;
		return isExchangeError(error) ? [error.code, error.message] : [];
	};

	it('a command of unknown outcome says that no answer came, and after how long', async () => {
		const [code, message] = await outcomeOf(async ({ pass }) => pass(60 * SECOND_MS));
		expect(code).toBe('outcome_unknown');
		expect(message).toMatch(/was not answered within \d\d seconds/);
	});

	it('a command of unknown outcome says that the connection broke', async () => {
		const [code, message] = await outcomeOf(({ sockets }) => sockets[0]!.close({}));
		expect(code).toBe('outcome_unknown');
		expect(message).toContain('The connection broke before the service answered the command');
	});
});
