import { PING_EVERY_MS, SILENCE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { openConnection } from './connection-stage';

/** An open connection without topics. */
function beating() {
	const stage = openConnection();
	stage.happened({ type: 'begun' });
	stage.happened({ type: 'opened' });
	return {
		...stage,
		hear: () => void (stage.state.heardAt = stage.time.now()),
		pings: () => stage.seconds('send'),
		/** When it was given up for its silence. */
		ends: () => stage.seconds('terminate'),
	};
}

describe('the heartbeat of a connection', () => {
	it('the heartbeat has the limits that these tests count on', () => {
		expect([PING_EVERY_MS, SILENCE_MS_MAX]).toEqual([20_000, 45_000]);
	});

	it('pings after every twenty seconds of silence, and gives up after 45', async () => {
		const { pings, ends, pass, stop } = beating();
		await pass(45);
		stop();
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
		const { state, pings, ends, pass, happened, chance } = beating();
		await pass(41);
		happened({ type: 'broken', why: 'a test', chance });
		await pass(1);
		expect(state.phase).toBe('connecting');
		happened({ type: 'opened' });
		await pass(44);
		expect([pings(), ends()]).toEqual([[20, 40, 62, 82], [41]]);
		await pass(1);
		expect(ends()).toEqual([41, 87]);
	});
});
