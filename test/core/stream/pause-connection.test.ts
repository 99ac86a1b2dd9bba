import { QUEUE_MAX, SHARED_PAUSE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { openConnection } from './connection-stage';
import { data, openStage, trade, type FakeSocket } from './stage';

const SECOND_MS = 1_000;
const [FILLS, TRADES] = ['user.fills', 'trades.USD_NGN'];

/** A host that acknowledges when the test says so. */
function slowHost() {
	const pending: (() => void)[] = [];
	return {
		deliver: () => new Promise<void>((resolve) => pending.push(resolve)),
		takeAll: () => pending.splice(0).forEach((take) => take()),
	};
}

const fillQueue = (socket: FakeSocket, from: number): void => {
	for (let seq = from; seq < from + QUEUE_MAX; seq += 1) socket.say(data(TRADES, seq, trade(seq)));
};

describe('a connection that is not read while a host is busy', () => {
	/** A connection that has said all it will for now. */
	function open() {
		const connection = openConnection();
		connection.happened({ type: 'begun' });
		connection.happened({ type: 'attached', topic: FILLS, isBook: false });
		connection.happened({ type: 'opened' });
		connection.happened({ type: 'subscribed', topics: [FILLS], positions: {}, snapshots: {} });
		return connection;
	}

	it('pauses only the connection whose events wait', async () => {
		const { sockets, consume, pass } = openStage();
		const seen = consume({ topics: [FILLS, TRADES], batchMax: 2 * QUEUE_MAX, deliver: slowHost().deliver });
		await seen.subscription.ready;
		await pass(SECOND_MS);
		fillQueue(
			sockets.find(({ url }) => !url.includes('token'))!,
			1,
		);
		expect(sockets.map(({ url, isPaused }) => [url.includes('token'), isPaused])).toEqual([
			[true, false],
			[false, true],
		]);
	});

	it('ends a paused connection that is silent, however often it was paused', async () => {
		const { happened, pass, seconds, stop } = open();
		for (let count = 0; count < 30 && seconds('terminate').length === 0; count += 1) {
			happened({ type: 'paused', limitMs: 30 * SECOND_MS });
			await pass(9);
			happened({ type: 'continued' });
			await pass(1);
		}
		stop();
		// Forty seconds of silence, and five more in which it is read, of which one is in every ten.
		expect(seconds('terminate')).toEqual([90]);
	});

	it('keeps a paused connection whose unread messages come as soon as it is read', async () => {
		const { state, happened, pass, seconds, stop, time } = open();
		await pass(30);
		happened({ type: 'paused', limitMs: 30 * SECOND_MS });
		await pass(25);
		happened({ type: 'continued' });
		await pass(4);
		state.heardAt = time.now();
		await pass(40);
		stop();
		expect(seconds('terminate')).toEqual([]);
	});

	it('waits for a confirmation as long as the connection was read', async () => {
		const { sockets, consume, settled, pass } = openStage({ confirms: false });
		const host = slowHost();
		const busy = consume({ topics: [TRADES], batchMax: 2 * QUEUE_MAX, deliver: host.deliver });
		await settled();
		const [socket] = sockets as [FakeSocket];
		socket.say({ type: 'subscribed', topics: [TRADES] });
		await busy.subscription.ready;
		await pass(SECOND_MS);
		fillQueue(socket, 1);
		const other = consume({ topics: ['trades.EUR_NGN'] });
		await settled();
		await pass(25 * SECOND_MS);
		host.takeAll();
		await settled();
		socket.say({ type: 'subscribed', topics: ['trades.EUR_NGN'] });
		await other.subscription.ready;
		const requests = socket.sent.filter(
			({ type, topics }) => type === 'subscribe' && String(topics) === 'trades.EUR_NGN',
		);
		expect([requests.length, sockets.length, socket.isTerminated]).toEqual([1, 1, false]);
	});

	it('reads a paused connection again for its other subscribers after SHARED_PAUSE_MS_MAX, while one of them never acknowledges', async () => {
		const { sockets, consume, pass, settled } = openStage();
		const stuck = consume({ topics: [TRADES], batchMax: 2 * QUEUE_MAX, deliver: slowHost().deliver });
		const quick = consume({ topics: [TRADES], batchMax: 2 * QUEUE_MAX });
		await Promise.all([stuck.subscription.ready, quick.subscription.ready]);
		await pass(SECOND_MS);
		const [socket] = sockets as [FakeSocket];
		fillQueue(socket, 1);
		expect(socket.isPaused).toBe(true);
		await pass(SHARED_PAUSE_MS_MAX);
		expect(socket.isPaused).toBe(false);
		socket.say(data(TRADES, QUEUE_MAX + 1, trade(QUEUE_MAX + 1)));
		await settled();
		expect(quick.events.at(-1)).toMatchObject({ seq: QUEUE_MAX + 1 });
	});

	it('keeps a connection paused for a slow subscriber, although another acknowledges', async () => {
		const { sockets, consume, pass, settled } = openStage();
		const host = slowHost();
		const slow = consume({ topics: [TRADES], batchMax: 2 * QUEUE_MAX, deliver: host.deliver });
		const quick = consume({ topics: [TRADES], batchMax: 10 });
		await Promise.all([slow.subscription.ready, quick.subscription.ready]);
		await pass(SECOND_MS);
		const [socket] = sockets as [FakeSocket];
		fillQueue(socket, 1);
		await settled();
		expect([quick.subscription.counters().waiting, slow.subscription.counters().waiting]).toEqual([0, QUEUE_MAX]);
		expect(socket.isPaused).toBe(true);
		host.takeAll();
		await settled();
		expect(socket.isPaused).toBe(false);
	});
});
