import { ExchangeError, type Item } from '@partner-exchange/core';
import { openStage, type FakeSocket } from './stage';

const SECOND = 1_000;
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
