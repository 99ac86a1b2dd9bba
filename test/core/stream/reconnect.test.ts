import { newReconnects, reconnectDelayMs } from '../../../packages/core/src/stream/connection/reconnect';
import { RECONNECT_WINDOW_MS, RECONNECTS_PER_WINDOW_MAX } from '../../../packages/core/src/stream/limits';
import { openStage } from './stage';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

describe('connecting again', () => {
	it.each([0, 0.1, 1])(
		'opens no more connections in two minutes than RECONNECTS_PER_WINDOW_MAX, with chance at %d',
		(chance) => {
			const state = newReconnects();
			const opened: number[] = [];
			for (
				let now = 1;
				now < HOUR_MS && opened.length < 1_500;
				now += Math.max(1, reconnectDelayMs(state, now, chance))
			) {
				opened.push(now);
				state.begun.push(now);
				state.openedAt = now;
			}
			const most = Math.max(
				...opened.map((from) => opened.filter((at) => at >= from && at < from + RECONNECT_WINDOW_MS).length),
			);
			expect(most).toBeLessThanOrEqual(RECONNECTS_PER_WINDOW_MAX);
			expect(opened.length).toBeGreaterThan(HOUR_MS / 60_000);
		},
	);

	it('opens no more connections in two minutes than RECONNECTS_PER_WINDOW_MAX to a service that refuses them without a key', async () => {
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		consume({ topics: ['trades.USD_NGN'], retriesFirstConnection: true });
		for (let second = 0; second < 2 * 60; second += 1) {
			await settled();
			sockets.at(-1)!.close({ status: 403 });
			await pass(SECOND_MS);
		}
		expect(sockets.length).toBeGreaterThan(10);
		expect(sockets.length).toBeLessThanOrEqual(RECONNECTS_PER_WINDOW_MAX);
	});

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
		expect([isReady, sockets.map(({ isTerminated }) => isTerminated)]).toEqual([true, [true, false]]);
	});
});
