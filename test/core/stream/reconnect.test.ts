import { openStage } from './stage';

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
