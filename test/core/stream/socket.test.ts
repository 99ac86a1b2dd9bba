import { PAUSE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { ExchangeError, type SocketHandlers, type StreamState } from '@partner-exchange/core';
import { createReconnectingSocket } from '../../../packages/core/src/stream/connection/socket';
import { settled, virtualTime } from '../../simulation/support/time';

const SECOND_MS = 1_000;
const refusedKey = () => new ExchangeError('unauthorized', { what: 'The service does not know this key' });

/** One reconnecting socket; the test controls its peer and what REST says of the key. */
function open({ canPause = false } = {}) {
	const time = virtualTime();
	const began = time.now();
	const handlers: SocketHandlers[] = [];
	const [sent, states, openedAt]: [string[], StreamState[], number[]] = [[], [], []];
	const host = { terminated: 0, paused: 0, refused: 0 };
	let answer = (_error?: ExchangeError): void => undefined;
	let received = (): void => undefined;
	const socket = createReconnectingSocket({
		url: 'ws://127.0.0.1:1/',
		clock: time,
		random: () => 0.99,
		openSocket: (_url, given) => {
			handlers.push(given);
			openedAt.push((time.now() - began) / SECOND_MS);
			return {
				send: (text) => void sent.push(text),
				terminate: () => void (host.terminated += 1),
				...(canPause ? { pause: () => void (host.paused += 1), resume: () => void (host.paused -= 1) } : {}),
			};
		},
		diagnose: () => new Promise((resolve) => (answer = resolve)),
		received: () => received(),
		changed: (state) => void states.push(state),
		refused: () => void (host.refused += 1),
		...{ opened: () => undefined, lost: () => undefined, unreachable: () => undefined },
	});
	return {
		...{ socket, sent, states, openedAt, host },
		handlers,
		latest: () => handlers.at(-1)!,
		answer: async (error?: ExchangeError) => (answer(error), settled()),
		hear: (action: () => void) => void (received = action),
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}

describe('one connection', () => {
	it('a connection ends at a message that cannot be read, and another opens', async () => {
		const { socket, host, latest, hear, pass, openedAt } = open();
		latest().opened();
		hear(() => JSON.parse('no') as undefined);
		latest().messages(['{}']);
		expect([host.terminated, socket.state()]).toEqual([1, 'waiting']);
		expect(socket.status()).toMatchObject({ last_error: 'A message ended it' });
		await pass(9);
		expect(openedAt).toHaveLength(2);
	});

	it('a connection reads nothing more of a socket it ended', async () => {
		const { socket, latest, handlers, openedAt, pass } = open();
		latest().opened();
		socket.drop();
		await pass(1);
		latest().opened();
		handlers[0]!.closed({});
		await pass(30);
		expect([socket.state(), openedAt]).toEqual(['catching_up', [0, 0.99]]);
	});

	it('a connection that does not open for no known reason waits longer each time', async () => {
		const { latest, openedAt, pass } = open();
		for (let tries = 0; tries < 3; tries += 1) {
			latest().closed({});
			await pass(4);
		}
		expect(openedAt).toEqual([0, 0.99, 5.98, 11.96]);
	});

	it('a connection sends only while it is open', async () => {
		const { socket, latest, sent, pass } = open();
		expect(socket.send('early')).toBe(false);
		latest().opened();
		expect(socket.send('now')).toBe(true);
		latest().closed({});
		expect([socket.send('late'), sent]).toEqual([false, ['now']]);
		await pass(9);
		expect(socket.send('again')).toBe(false);
	});

	it('a connection is live only while it is open', () => {
		const { socket, latest } = open();
		socket.settled();
		expect(socket.state()).toBe('connecting');
		latest().opened();
		socket.settled();
		expect(socket.state()).toBe('live');
		latest().closed({});
		socket.settled();
		expect(socket.state()).toBe('waiting');
	});

	it('a closed connection does not open again, whatever is learned or asked then', async () => {
		const { socket, latest, answer, pass, openedAt } = open();
		latest().closed({});
		socket.close();
		await answer(refusedKey());
		socket.drop();
		await pass(600);
		expect([socket.state(), openedAt]).toEqual(['closed', [0]]);
	});

	it.each([true, false])('a connection can be paused where the host can (%s), open or not', async (canPause) => {
		const { socket, latest, host, pass } = open({ canPause });
		socket.pause(PAUSE_MS_MAX);
		socket.resume();
		latest().opened();
		socket.pause(PAUSE_MS_MAX);
		expect(host.paused).toBe(canPause ? 1 : 0);
		await pass(31);
		expect(host.paused).toBe(0);
		latest().closed({});
		socket.pause(PAUSE_MS_MAX);
		socket.resume();
		expect([socket.state(), host.paused]).toEqual(['waiting', 0]);
	});
});

describe('a key that is refused', () => {
	it('retries a refused key after a second, and reports it the third time, with the reason', async () => {
		const { socket, latest, answer, states, openedAt, host, pass } = open();
		for (let tries = 1; tries <= 4; tries += 1) {
			latest().closed({ status: 401 });
			await answer(refusedKey());
			expect(socket.state()).toBe(tries < 3 ? 'waiting' : 'refused');
			expect(socket.status().last_error).toBe('The service does not know this key');
			await pass([1, 2, 30, 60][tries - 1]!);
		}
		expect(openedAt).toEqual([0, 1, 3, 33, 93]);
		expect([states.filter((state) => state === 'refused').length, host.refused]).toEqual([2, 1]);
	});

	it('retries a refused key after a second although nothing is known of it yet', async () => {
		const { latest, openedAt, pass } = open();
		latest().closed({ status: 403 });
		await pass(9);
		expect(openedAt).toEqual([0, 1]);
	});

	it('a known refusal does not end a try that began before, nor lets it take for ever', async () => {
		const { latest, answer, host, openedAt, pass } = open();
		latest().closed({ status: 401 });
		await pass(1);
		expect(openedAt).toEqual([0, 1]);
		await answer(refusedKey());
		await pass(9.9);
		expect([openedAt.length, host.terminated]).toEqual([2, 0]);
		await pass(0.1);
		expect(host.terminated).toBe(1);
	});
});
