import type { SocketHandlers, StreamState } from '@partner-exchange/core';
import { createSession } from '../../../packages/core/src/stream/connection/session';
import type { SessionChannel } from '../../../packages/core/src/stream/connection/session-channel';
import { statusOf } from '../../../packages/core/src/stream/connection/state';
import { IDLE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { settled, virtualTime } from '../../simulation/support/time';
import { ACCOUNT } from './stage';

const SECOND_MS = 1_000;

const fills = {
	...{ topic: 'user.fills', resumeFrom: () => undefined },
	...{ happened: () => undefined, drops: () => false },
} satisfies SessionChannel;

/** One session; the test controls its peer and what REST says of the key. */
function open() {
	const time = virtualTime();
	const began = time.now();
	const handlers: SocketHandlers[] = [];
	const [sent, states, openedAt]: [string[], StreamState[], number[]] = [[], [], []];
	const host = { terminated: 0, refused: 0, idle: 0 };
	let answer = (_isRefused: boolean): void => undefined;
	let lost = (): void => undefined;
	let changed = (_state: StreamState): unknown => undefined;
	const session = createSession({
		access: 'private',
		account: ACCOUNT,
		clock: time,
		random: () => 0.99,
		openSocket: (_url, own) => {
			handlers.push(own);
			openedAt.push((time.now() - began) / SECOND_MS);
			return {
				send: (text) => void sent.push(text),
				terminate: () => void (host.terminated += 1),
			};
		},
		channel: () => fills,
		isKeyRefused: () => new Promise((resolve) => (answer = resolve)),
		changed: (state) => {
			states.push(state);
			changed(state);
		},
		refused: () => void (host.refused += 1),
		idle: () => void (host.idle += 1),
		lost: () => lost(),
		...{ received: () => undefined, unreachable: () => undefined },
	});
	return {
		...{ session, sent, states, openedAt, host, handlers },
		latest: () => handlers.at(-1)!,
		say: (frame: object) => handlers.at(-1)!.messages([JSON.stringify(frame)]),
		answer: async (isRefused: boolean) => (answer(isRefused), settled()),
		onLost: (action: () => void) => void (lost = action),
		onChanged: (action: (state: StreamState) => unknown) => void (changed = action),
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}

describe('a session', () => {
	it('a session reconnects when a message cannot be handled', async () => {
		const { session, host, latest, onLost, pass, openedAt } = open();
		latest().opened();
		onLost(() => {
			onLost(() => undefined);
			throw new Error('no');
		});
		latest().messages(['{"type":"error","code":"rate_limited"}']);
		expect([host.terminated > 0, session.state.phase]).toEqual([true, 'waiting']);
		await pass(20);
		expect(openedAt).toHaveLength(2);
	});

	it('a session reads nothing more of a socket that it ended', async () => {
		const { session, latest, say, handlers, openedAt, pass } = open();
		latest().opened();
		say({ type: 'error', code: 'rate_limited' });
		await pass(10);
		latest().opened();
		handlers[0]!.closed({});
		handlers[0]!.messages(['{"type":"error","code":"rate_limited"}']);
		await pass(19);
		expect([session.state.phase, openedAt]).toEqual(['catching_up', [0, 9.95]]);
	});

	it('a session waits longer after each socket that does not open', async () => {
		const { latest, openedAt, pass } = open();
		for (let tries = 0; tries < 3; tries += 1) {
			latest().closed({});
			await pass(4);
		}
		expect(openedAt).toEqual([0, 0.99, 5.98, 11.96]);
	});

	it('sends a text only while its socket is open', async () => {
		const { session, latest, sent, pass } = open();
		expect(session.send('early')).toBe(false);
		latest().opened();
		expect(session.send('now')).toBe(true);
		latest().closed({});
		expect([session.send('late'), sent]).toEqual([false, ['now']]);
		await pass(9);
		expect(session.send('again')).toBe(false);
	});

	it('a session is live once its topics are confirmed, until its socket closes', () => {
		const { session, latest, say, states } = open();
		session.attach(fills.topic, false);
		latest().opened();
		say({ type: 'subscribed', topics: ['user.fills'] });
		latest().closed({});
		expect(states).toEqual(['catching_up', 'live', 'waiting']);
		expect(statusOf(session.state)).toMatchObject({ topics: 1, last_error: 'The service closed it' });
	});

	it('a session does not connect again once it is closed, whatever happens then', async () => {
		const { session, latest, answer, pass, openedAt } = open();
		latest().closed({});
		session.close();
		await answer(true);
		session.attach(fills.topic, false);
		session.subscribe(fills.topic);
		await pass(600);
		expect([session.state.phase, openedAt]).toEqual(['closed', [0]]);
	});

	it('a session opens no socket and subscribes nothing once a listener of its state closed it or left', async () => {
		const closing = open();
		closing.onChanged(() => closing.session.close());
		closing.latest().closed({});
		await closing.pass(600);
		expect([closing.session.state.phase, closing.openedAt]).toEqual(['closed', [0]]);
		const reconnecting = open();
		reconnecting.latest().closed({});
		reconnecting.onChanged((state) => state === 'connecting' && reconnecting.session.close());
		await reconnecting.pass(600);
		expect([reconnecting.session.state.phase, reconnecting.openedAt]).toEqual(['closed', [0]]);
		const leaving = open();
		leaving.session.attach(fills.topic, false);
		leaving.onChanged(() => leaving.session.detach(fills.topic));
		leaving.latest().opened();
		expect(leaving.sent.filter((text) => text.includes('"subscribe"'))).toEqual([]);
	});

	it('a session says that it is idle once it carried no topic for some time, and not while it carries one', async () => {
		const { session, host, pass } = open();
		session.attach(fills.topic, false);
		await pass(IDLE_MS_MAX / SECOND_MS + 1);
		session.detach(fills.topic);
		await pass(IDLE_MS_MAX / SECOND_MS - 1);
		session.attach(fills.topic, false);
		await pass(2);
		expect(host.idle).toBe(0);
		session.detach(fills.topic);
		await pass(IDLE_MS_MAX / SECOND_MS);
		expect(host.idle).toBe(1);
	});
});

describe('a session whose key is refused', () => {
	it.each([401, undefined])(
		'connects again after a second, and says so with the third refusal, where the status is %s',
		async (status) => {
			const { session, latest, answer, states, openedAt, host, pass } = open();
			for (let tries = 1; tries <= 4; tries += 1) {
				latest().closed({ status });
				if (status === undefined) await answer(true);
				expect(session.state.phase).toBe(tries < 3 ? 'waiting' : 'refused');
				expect(statusOf(session.state).last_error).toBe('Stream: The service does not know this key');
				await pass([1, 2, 30, 60][tries - 1]!);
			}
			expect(openedAt).toEqual([0, 1, 3, 33, 93]);
			expect([states.filter((state) => state === 'refused').length, host.refused]).toEqual([2, 1]);
		},
	);

	it('a session with a refused key connects again although REST has not answered yet', async () => {
		const { latest, openedAt, pass } = open();
		latest().closed({});
		await pass(9);
		expect(openedAt).toEqual([0, 0.99]);
	});

	it('a session gives a socket that is being opened its ten seconds, whatever REST says meanwhile', async () => {
		const { latest, answer, host, openedAt, pass } = open();
		latest().closed({});
		await pass(1);
		expect(openedAt).toEqual([0, 0.99]);
		await answer(true);
		await pass(9.9);
		expect([openedAt.length, host.terminated]).toEqual([2, 0]);
		await pass(0.1);
		expect(host.terminated).toBe(1);
	});
});
