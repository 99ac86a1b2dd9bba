import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, type FakeSocket, fill, follow, openStage } from './stage';

const FILLS = { topics: ['user.fills'] };

const SECOND = 1_000;

describe('the connection', () => {
	it('sends the key, encoded once, for private topics only', async () => {
		const { sockets } = await follow({ topics: ['user.fills', 'trades.USD_NGN'] }, { account: { apiKey: 'a+b/c=&d' } });
		expect(sockets.map(({ url }) => url)).toEqual([
			'ws://127.0.0.1:4010/v1/ws?token=a%2Bb%2Fc%3D%26d',
			'ws://127.0.0.1:4010/v1/ws',
		]);
	});

	it('refuses private topics without a key before anything is sent', async () => {
		const { sockets, consume } = openStage({ account: { apiKey: '' } });
		await expect(consume(FILLS).subscription.ready).rejects.toMatchObject({ code: 'invalid_account', field: 'apiKey' });
		await expect(
			consume({ topics: ['trades.USD_NGN', 'orderbook.USD_NGN'] }).subscription.ready,
		).resolves.toBeUndefined();
		expect(sockets).toHaveLength(1);
	});

	it('ends a silent connection and opens another', async () => {
		const { sockets, pass } = await follow(FILLS);
		await pass(44 * SECOND);
		expect(sockets[0]!.isTerminated).toBe(false);
		expect(sockets[0]!.sent.filter(({ type }) => type === 'ping')).toHaveLength(2);
		await pass(10 * SECOND);
		expect(sockets[0]!.isTerminated).toBe(true);
		expect(sockets[1]!.sent[0]).toMatchObject({ type: 'subscribe', topics: ['user.fills'] });
	});

	it('keeps a connection while data flows although no pong ever comes', async () => {
		const { sockets, pass } = await follow(FILLS);
		for (let seq = 1; seq <= 10; seq += 1) {
			await pass(30 * SECOND);
			sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		}
		expect(sockets).toHaveLength(1);
	});

	it.each([401, 403])(
		'reports a first connection whose key is refused with status %i, once that is confirmed, however long it asks to wait',
		async (status) => {
			const { sockets, consume, settled, pass, timers } = openStage({ opens: false });
			const seen = consume(FILLS);
			await settled();
			for (let tries = 0; tries < 3; tries += 1) {
				sockets[tries]!.close({ status, retryAfterMs: 90 * SECOND });
				await pass(2 * SECOND);
			}
			await expect(seen.subscription.ready).rejects.toMatchObject({
				code: status === 401 ? 'unauthorized' : 'forbidden',
			});
			await pass(600 * SECOND);
			expect(sockets).toHaveLength(3);
			expect(timers()).toBe(0);
		},
	);

	it('asks REST about the key if the status of a refusal is hidden', async () => {
		const { sockets, faults, consume, settled, pass } = openStage({ opens: false });
		faults['fill.list'] = faults['wallet.balances'] = new ExchangeError('unauthorized', {
			what: 'The service does not know this key',
		});
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await settled();
		for (let tries = 0; tries < 3; tries += 1) {
			sockets[tries]!.close({});
			await pass(2 * SECOND);
		}
		expect(seen.refused).toMatchObject({ code: 'unauthorized' });
		expect(seen.notices.at(-1)).toMatchObject({ kind: 'state', state: 'refused' });
		await pass(30 * SECOND);
		expect(sockets).toHaveLength(4);
		faults['fill.list'] = faults['wallet.balances'] = undefined;
		sockets[3]!.open();
		await pass(10 * SECOND);
		await seen.subscription.ready;
	});

	it('tells a ready subscriber that its key is refused later', async () => {
		const { sockets, faults, consume, settled, pass } = openStage({ opens: false });
		const seen = consume(FILLS);
		await settled();
		sockets[0]!.open();
		await seen.subscription.ready;
		faults['wallet.balances'] = new ExchangeError('unauthorized', { what: 'The service does not know this key' });
		sockets[0]!.close({});
		for (let minute = 0; minute < 60; minute += 1) {
			sockets.at(-1)!.close({ status: 401 });
			await pass(60 * SECOND);
		}
		expect(seen.refused).toMatchObject({ code: 'unauthorized' });
		expect(seen.failed).toBeUndefined();
		expect(sockets.length).toBeLessThanOrEqual(15);
		faults['wallet.balances'] = undefined;
		const tried = sockets.length;
		for (let minute = 0; minute < 11 && sockets.length === tried; minute += 1) await pass(60 * SECOND);
		sockets.at(-1)!.open();
		await settled();
		sockets.at(-1)!.say(data('user.fills', 1, fill('after')));
		await settled();
		expect(seen.keys()).toEqual(['fill:after:order-1']);
	});

	it('reports a first connection that does not open and leaves nothing running', async () => {
		const { sockets, consume, settled, pass, timers } = openStage({ opens: false });
		const seen = consume(FILLS);
		await settled();
		sockets[0]!.close({});
		await expect(seen.subscription.ready).rejects.toMatchObject({
			...{ code: 'unreachable', message: expect.stringContaining('The Stream Address (wsUrl) does not answer') },
		});
		await pass(600 * SECOND);
		expect(sockets).toHaveLength(1);
		expect(timers()).toBe(0);
	});

	it.each([
		[404, 'answers with status 404, and opens no stream. Check the Stream Address'],
		[429, 'answers with status 429, and opens no stream. Try again later'],
		[503, 'answers with status 503, and opens no stream. Try again later'],
	])('says with which status %i the address answered in place of a stream, and what to do', async (status, said) => {
		const { sockets, consume, settled } = openStage({ opens: false });
		const seen = consume(FILLS);
		await settled();
		sockets[0]!.close({ status });
		const error = await seen.subscription.ready.catch((reason: ExchangeError) => reason);
		expect(error).toMatchObject({ code: 'unreachable', status, message: expect.stringContaining(said) });
	});

	it('retries the first connection for a subscriber that can wait', async () => {
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await settled();
		sockets[0]!.close({});
		await pass(9 * SECOND);
		sockets[1]!.open();
		await expect(seen.subscription.ready).resolves.toBeUndefined();
		expect(seen.refused).toBeUndefined();
	});

	it('reconnects through 100 restarts, spread and capped, and slower once it keeps failing', async () => {
		const { time, sockets, pass, seen } = await follow(FILLS);
		const waits: number[] = [];
		for (let restart = 0; restart < 100; restart += 1) {
			const [count, from] = [sockets.length, time.now()];
			sockets.at(-1)!.close({});
			while (sockets.length === count) await pass(500);
			waits.push(time.now() - from);
			await pass(100);
		}
		expect(Math.max(...waits)).toBeLessThanOrEqual(121 * SECOND);
		expect(new Set(waits).size).toBeGreaterThan(10);
		expect(waits.reduce((sum, wait) => sum + wait) / waits.length).toBeGreaterThan(2 * SECOND);
		expect(seen.subscription.counters().reconnects).toBe(100);
	});

	it('reconnects quickly again only after a connection held for a while', async () => {
		const { sockets, pass } = await follow(FILLS);
		for (let failure = 0; failure < 8; failure += 1) {
			sockets.at(-1)!.close({});
			await pass(9 * SECOND);
		}
		for (let second = 0; second < 70; second += 10) {
			sockets.at(-1)!.say({ type: 'pong' });
			await pass(10 * SECOND);
		}
		const count = sockets.length;
		sockets.at(-1)!.close({});
		await pass(1_100);
		expect(sockets.length).toBe(count + 1);
	});

	it.each([
		{ type: 'error', code: 'rate_limited' },
		{ type: 'error', reason: 'RATE_LIMITED' },
		{ type: 'error', error: { message: 'rate limited, slow down' } },
		{ type: 'error', message: 'Too many requests' },
		{ type: 'rate_limited' },
	])('reconnects later after %j', async (message) => {
		const { sockets, pass, seen } = await follow(FILLS);
		sockets[0]!.say(message);
		expect(sockets[0]!.isTerminated).toBe(true);
		await pass(4_900);
		expect(sockets).toHaveLength(1);
		await pass(6 * SECOND);
		expect(sockets).toHaveLength(2);
		expect(seen.failed).toBeUndefined();
	});

	it('opens another connection for the 51st topic, and carries fewer once some are released', async () => {
		const { sockets, consume, pass } = openStage();
		const topics = Array.from({ length: 51 }, (_, index) => `trades.A${index}_B`);
		const first = consume({ topics: topics.slice(0, 50) });
		await pass(10 * SECOND);
		await first.subscription.ready;
		const second = consume({ topics: topics.slice(50) });
		await pass(20 * SECOND);
		await second.subscription.ready;
		expect(sockets).toHaveLength(2);
		await first.subscription.close();
		const again = consume({ topics: topics.slice(0, 49) });
		await pass(20 * SECOND);
		await again.subscription.ready;
		expect(sockets).toHaveLength(2);
	});

	it('opens no connection once the stream is closed, not even while one waits or opens', async () => {
		for (const opens of [true, false]) {
			const { sockets, consume, stream, settled, pass, timers } = openStage({ opens });
			const seen = consume({ ...FILLS, retriesFirstConnection: true });
			await settled();
			if (opens) sockets[0]!.close({});
			await seen.subscription.close();
			await stream.close();
			await pass(600 * SECOND);
			expect([sockets.length, timers()]).toEqual([1, 0]);
			await expect(consume(FILLS).subscription.ready).rejects.toMatchObject({ code: 'stream_closed' });
		}
	});

	it('closes a connection after a while when nobody uses it', async () => {
		const { sockets, pass, timers, seen } = await follow(FILLS);
		await seen.subscription.close();
		expect(sockets[0]!.sent.at(-1)).toEqual({ type: 'unsubscribe', topics: ['user.fills'] });
		await pass(31 * SECOND);
		expect(sockets[0]!.isTerminated).toBe(true);
		expect(timers()).toBe(0);
	});
});

const SECOND_MS = 1_000;

describe('connecting again', () => {
	it('waits longer for the confirmation of a service under load, which confirms late', async () => {
		const { sockets, time, consume, settled, pass } = openStage({ confirms: false });
		let isReady = false;
		const { subscription } = consume({ topics: ['user.fills'], retriesFirstConnection: true });
		subscription.ready.then(
			() => (isReady = true),
			() => undefined,
		);
		for (let second = 0; second < 60; second += 1) {
			await settled();
			const { sent, say } = sockets.at(-1)!;
			for (const { type, topics } of sent.splice(0))
				if (type === 'subscribe') time.after(15 * SECOND_MS, () => say({ type: 'subscribed', topics }));
			await pass(SECOND_MS);
		}
		expect([isReady, sockets.map(({ isTerminated }) => isTerminated)]).toEqual([true, [true, true, false]]);
	});
});

describe('a topic that the service removes by itself', () => {
	it.each([['user.fills'], ['trades.*']])(
		'subscribes %s again after the service removed it, and reads what was missed or names a gap',
		async (topic) => {
			const { sockets, lists, pass, time, seen } = await follow({ topics: [topic, 'user.orders'] });
			await pass(30 * SECOND_MS);
			sockets[0]!.sent.splice(0);
			sockets[0]!.say({ type: 'unsubscribed', topics: [topic, 'somebody.else'] });
			await pass(SECOND_MS / 2);
			lists['fill.list'] = [{ ...fill('missed'), created_at: new Date(time.now()).toISOString() }];
			await pass(3 * SECOND_MS);
			expect(sockets[0]!.sent.filter(({ type }) => type === 'subscribe')).toMatchObject([{ topics: [topic] }]);
			expect(seen.events).toMatchObject([
				topic === 'user.fills' ? { eventKey: 'fill:missed:order-1' } : { kind: 'gap' },
			]);
		},
	);

	it('the late confirmation of a removal does not request a topic once more that was subscribed again', async () => {
		const { sockets, consume, pass } = openStage();
		const orders = consume({ topics: ['user.orders'] });
		const first = consume({ topics: ['user.fills'] });
		await Promise.all([orders.subscription.ready, first.subscription.ready]);
		await first.subscription.close();
		const again = consume({ topics: ['user.fills'] });
		sockets[0]!.say({ type: 'unsubscribed', topics: ['user.fills'] });
		await again.subscription.ready;
		await pass(5 * SECOND_MS);
		expect(sockets[0]!.sent.filter(({ type }) => type === 'subscribe')).toMatchObject([{}, { topics: ['user.fills'] }]);
	});
});

const TOPICS = { topics: ['user.fills'] };

const unauthorized: Item = { type: 'error', code: 'UNAUTHORIZED', message: 'unknown key' };

const ways: [how: string, refuse: (socket: FakeSocket) => void][] = [
	['closes with 4401', (socket) => socket.close({ code: 4401 })],
	['closes with 1008', (socket) => socket.close({ code: 1008 })],
	['closes without a code', (socket) => socket.close({})],
	[
		'says so and closes',
		(socket) => {
			socket.say(unauthorized);
			socket.close({ code: 4401 });
		},
	],
	['says so and stays', (socket) => socket.say(unauthorized)],
];

/** A service that opens every connection and refuses the key from a moment on. */
function openRefusing(refuse: (socket: FakeSocket) => void) {
	let isRefused = false;
	const stage = openStage({ confirms: false });
	const { sockets, faults, pass } = stage;
	/** Answers each request for topics, as a service does. */
	async function live(seconds: number): Promise<void> {
		const answered = new Map<FakeSocket, number>();
		for (let half = 0; half < 2 * seconds; half += 1) {
			await pass(SECOND / 2);
			for (const socket of sockets) {
				const asked = socket.sent.filter(({ type }) => type === 'subscribe').length;
				if (!socket.isOpen || socket.isTerminated || asked <= (answered.get(socket) ?? 0)) continue;
				answered.set(socket, asked);
				if (isRefused) refuse(socket);
				else socket.say({ type: 'subscribed', topics: TOPICS.topics });
			}
		}
	}
	const refuseFromNowOn = () => {
		isRefused = true;
		faults['wallet.balances'] = faults['fill.list'] = new ExchangeError('unauthorized', { what: 'Unknown key' });
	};
	return { ...stage, live, refuseFromNowOn };
}

describe('a key that is refused after the connection has opened', () => {
	it.each(ways)(
		'tells a consumer within 90 seconds that has been served before, where the service %s',
		async (_, refuse) => {
			const { consume, live, refuseFromNowOn, sockets } = openRefusing(refuse);
			const seen = consume(TOPICS);
			await live(2);
			await seen.subscription.ready;
			refuseFromNowOn();
			sockets[0]!.close({});
			await live(90);
			expect(seen.refused).toMatchObject({ code: 'unauthorized' });
			expect(seen.failed).toBeUndefined();
		},
	);

	it.each(ways)('ends a first start within 90 seconds, where the service %s', async (_, refuse) => {
		const { consume, live, refuseFromNowOn } = openRefusing(refuse);
		refuseFromNowOn();
		const { subscription } = consume(TOPICS);
		const ended = expect(subscription.ready).rejects.toMatchObject({ code: 'unauthorized' });
		await live(90);
		await ended;
	});
});

describe('a service that refuses every request for a replay', () => {
	it('confirms the topic at once to a consumer that comes back after an outage of the topic', async () => {
		let isAway = false;
		const stage = openStage({
			confirms: () => {
				const { resume } = stage.sockets.at(-1)!.sent.at(-1)!;
				return isAway || resume !== undefined ? { type: 'error', code: 'resume_unavailable' } : {};
			},
		});
		const first = stage.consume(FILLS);
		const other = stage.consume(FILLS);
		await first.subscription.ready;
		stage.sockets[0]!.say(data('user.fills', 1, fill('fill-1')));
		await stage.pass(SECOND);
		const checkpoint = first.positions;
		await first.subscription.close();
		stage.sockets[0]!.say(data('user.fills', 2, fill('fill-2')));
		isAway = true;
		stage.sockets[0]!.say({ type: 'unsubscribed', topics: FILLS.topics });
		await stage.pass(20 * SECOND);
		isAway = false;
		const back = stage.consume({ ...FILLS, checkpoint });
		await stage.pass(SECOND);
		const isReady = back.subscription.ready.then(() => true);
		await expect(Promise.race([isReady, stage.pass(SECOND).then(() => false)])).resolves.toBe(true);
		await other.subscription.close();
	});
});
