import { statusOf } from '../../../packages/core/src/stream/connection/state';
import { IDLE_MS_MAX, PING_EVERY_MS, SILENCE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { book, fills, openConnection } from './connection-stage';

const SECOND_MS = 1_000;

describe('a connection', () => {
	it('the state of a connection can be printed, and copied as it is', () => {
		const { connection, latest, say } = openConnection();
		connection.attach(fills.topic);
		latest().opened();
		say({ type: 'subscribed', topics: [fills.topic] });
		expect(structuredClone(connection.state)).toEqual(connection.state);
		expect(connection.state).toMatchObject({ phase: 'live', hasConfirmed: true });
		expect([...connection.state.topics]).toEqual([[fills.topic, expect.objectContaining({ is: 'confirmed' })]]);
	});

	it('subscribes all topics in one message when the socket opens, and those that join then at once', () => {
		const { connection, latest, sent } = openConnection();
		for (const topic of [fills.topic, book.topic]) connection.attach(topic);
		latest().opened();
		connection.attach('user.orders');
		expect(sent).toMatchObject(
			[
				...[{ topics: [fills.topic, book.topic], snapshot: true, resume: { [fills.topic]: fills.resumeFrom() } }],
				...[{ topics: ['user.orders'], snapshot: false, resume: { 'user.orders': fills.resumeFrom() } }],
			].map((message) => ({ type: 'subscribe', ...message })),
		);
	});

	it.each([
		['asks for nothing after one that asked and ended', 59, false],
		['asks again after one that asked and held', 60, true],
	])('a connection %s', async (_, seconds, asks) => {
		const { connection, latest, say, sent, pass } = openConnection();
		for (const topic of [fills.topic, book.topic]) connection.attach(topic);
		latest().opened();
		say({ type: 'subscribed' });
		for (let passed = 0; passed < seconds; passed += 1) {
			await pass(1);
			say({ type: 'pong' });
		}
		latest().closed({});
		await pass(1);
		sent.splice(0);
		latest().opened();
		expect(sent[0]).toMatchObject({ snapshot: asks });
		expect('resume' in sent[0]!).toBe(asks);
	});

	it('waits longer after each socket that ended early, and briefly after one that held', async () => {
		const { latest, openedAt, pass, say } = openConnection({ access: 'public', chance: 1 });
		const pause = async (facts: { isLimited?: true } = {}) => {
			const count = openedAt.length;
			if (facts.isLimited) say({ type: 'error', code: 'rate_limited' });
			else latest().closed({});
			for (let seconds = 0; ; seconds += 1) {
				if (openedAt.length > count) return seconds;
				await pass(1);
			}
		};
		const pauses: number[] = [];
		for (let tries = 0; tries < 6; tries += 1) pauses.push(await pause());
		expect(pauses).toEqual([1, 2, 4, 8, 15, 15]);
		latest().opened();
		for (let minute = 0; minute < 6; minute += 1) {
			await pass(10);
			say({ type: 'pong' });
		}
		pauses.splice(0);
		for (let tries = 0; tries < 6; tries += 1) {
			pauses.push(await pause({ isLimited: true }));
			latest().opened();
		}
		// With a chance of nought these are half as long.
		expect(pauses).toEqual([10, 20, 40, 80, 120, 120]);
	});

	it('a connection reconnects when a message cannot be handled', async () => {
		const { connection, endedAt, latest, onLost, pass, openedAt } = openConnection();
		latest().opened();
		onLost(() => {
			onLost(() => undefined);
			throw new Error('no');
		});
		latest().messages(['{"type":"error","code":"rate_limited"}']);
		expect([endedAt.length > 0, connection.state.phase]).toEqual([true, 'waiting']);
		await pass(20);
		expect(openedAt).toHaveLength(2);
	});

	it('a connection reads nothing more of a socket that it ended', async () => {
		const { connection, latest, say, handlers, openedAt, pass } = openConnection();
		latest().opened();
		say({ type: 'error', code: 'rate_limited' });
		await pass(10);
		latest().opened();
		handlers[0]!.closed({});
		handlers[0]!.messages(['{"type":"error","code":"rate_limited"}']);
		await pass(19);
		expect([connection.state.phase, openedAt]).toEqual(['catching_up', [0, 9.95]]);
	});

	it('sends a text only while its socket is open', async () => {
		const { connection, latest, sent, pass } = openConnection();
		expect(connection.send('{"say":"early"}')).toBe(false);
		latest().opened();
		expect(connection.send('{"say":"now"}')).toBe(true);
		latest().closed({});
		expect([connection.send('{"say":"late"}'), sent]).toMatchObject([false, [{ say: 'now' }]]);
		await pass(9);
		expect(connection.send('{"say":"again"}')).toBe(false);
	});

	it('a connection is live once its topics are confirmed, until its socket closes', () => {
		const { connection, latest, say, states } = openConnection();
		connection.attach(fills.topic);
		latest().opened();
		say({ type: 'subscribed', topics: ['user.fills'] });
		latest().closed({});
		expect(states).toEqual(['catching_up', 'live', 'waiting']);
		expect(statusOf(connection.state)).toMatchObject({ topics: 1, last_error: 'The service closed it' });
	});

	it('a connection does not connect again once it is closed, whatever happens then', async () => {
		const { connection, latest, answer, pass, openedAt } = openConnection();
		latest().closed({});
		connection.close();
		await answer(true);
		connection.attach(fills.topic);
		connection.subscribe(fills.topic);
		await pass(600);
		expect([connection.state.phase, openedAt]).toEqual(['closed', [0]]);
	});

	it('a connection opens no socket and subscribes nothing once a listener of its state closed it or left', async () => {
		const closing = openConnection();
		closing.onChanged(() => closing.connection.close());
		closing.latest().closed({});
		await closing.pass(600);
		expect([closing.connection.state.phase, closing.openedAt]).toEqual(['closed', [0]]);
		const reconnecting = openConnection();
		reconnecting.latest().closed({});
		reconnecting.onChanged((state) => state === 'connecting' && reconnecting.connection.close());
		await reconnecting.pass(600);
		expect([reconnecting.connection.state.phase, reconnecting.openedAt]).toEqual(['closed', [0]]);
		const leaving = openConnection();
		leaving.connection.attach(fills.topic);
		leaving.onChanged(() => leaving.connection.detach(fills.topic));
		leaving.latest().opened();
		expect(leaving.sent.filter(({ type }) => type === 'subscribe')).toEqual([]);
	});

	it('a connection says that it is idle once it carried no topic for some time, and not while it carries one', async () => {
		const { connection, host, pass } = openConnection();
		connection.attach(fills.topic);
		await pass(IDLE_MS_MAX / SECOND_MS + 1);
		connection.detach(fills.topic);
		await pass(IDLE_MS_MAX / SECOND_MS - 1);
		connection.attach(fills.topic);
		await pass(2);
		expect(host.unused).toBe(0);
		connection.detach(fills.topic);
		await pass(IDLE_MS_MAX / SECOND_MS);
		expect(host.unused).toBe(1);
	});
});

describe('a connection whose key is refused', () => {
	it.each([401, undefined])(
		'connects again after a second, and says so with the third refusal, where the status is %s',
		async (status) => {
			const { connection, latest, answer, states, openedAt, host, pass } = openConnection();
			for (let tries = 1; tries <= 4; tries += 1) {
				latest().closed({ status });
				if (status === undefined) await answer(true);
				expect(connection.state.phase).toBe(tries < 3 ? 'waiting' : 'refused');
				expect(statusOf(connection.state).last_error).toBe('Stream: The service does not know this key');
				await pass([1, 2, 30, 60][tries - 1]!);
			}
			expect(openedAt).toEqual([0, 1, 3, 33, 93]);
			expect([states.filter((state) => state === 'refused').length, host.refused]).toEqual([2, 1]);
		},
	);

	it('a connection with a refused key connects again although REST has not answered yet', async () => {
		const { latest, openedAt, pass } = openConnection();
		latest().closed({});
		await pass(9);
		expect(openedAt).toEqual([0, 0.99]);
	});

	it('a connection gives a socket that is being opened its ten seconds, whatever REST says meanwhile', async () => {
		const { latest, answer, endedAt, openedAt, pass } = openConnection();
		latest().closed({});
		await pass(1);
		expect(openedAt).toEqual([0, 0.99]);
		await answer(true);
		await pass(9.9);
		expect([openedAt.length, endedAt.length]).toEqual([2, 0]);
		await pass(0.1);
		expect(endedAt.length).toBe(1);
	});
});

/** An open connection without topics. */
function beating() {
	const stage = openConnection({ access: 'public' });
	stage.latest().opened();
	return {
		...stage,
		hear: () => stage.say({ type: 'pong' }),
		pings: () => stage.sent.flatMap(({ type, second }) => (type === 'ping' ? [second] : [])),
		/** When it was given up for its silence. */
		ends: () => stage.endedAt,
	};
}

describe('the heartbeat of a connection', () => {
	it('the heartbeat has the limits that these tests count on', () => {
		expect([PING_EVERY_MS, SILENCE_MS_MAX]).toEqual([20_000, 45_000]);
	});

	it('pings after every twenty seconds of silence, and gives up after 45', async () => {
		const { pings, ends, pass } = beating();
		await pass(45);
		expect([pings(), ends()]).toEqual([[20, 40], [45]]);
	});

	it('pings twenty seconds after the last message, whenever that came', async () => {
		const { pings, ends, pass, hear } = beating();
		await pass(15);
		hear();
		await pass(45);
		expect([pings(), ends()]).toEqual([[35, 55], [60]]);
	});

	it('takes any message as a sign of life', async () => {
		const { pings, ends, pass, hear } = beating();
		for (let heard = 0; heard < 10; heard += 1) {
			await pass(19);
			hear();
		}
		expect(pings()).toEqual([]);
		await pass(44);
		hear();
		await pass(44);
		expect(ends()).toEqual([]);
		await pass(1);
		expect(ends()).toEqual([279]);
	});

	it('the heartbeat begins again with the next connection', async () => {
		const { connection, pings, ends, pass, latest } = beating();
		await pass(41);
		latest().closed({});
		await pass(1);
		expect(connection.state.phase).toBe('connecting');
		latest().opened();
		await pass(44);
		expect([pings(), ends()]).toEqual([[20, 40, 62, 82], []]);
		await pass(1);
		expect(ends()).toEqual([87]);
	});
});
