import { PAUSE_MS_MAX, PING_EVERY_MS, SILENCE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { openConnection } from './connection-stage';

/** An open connection without topics. */
function beating() {
	const stage = openConnection();
	stage.happened({ type: 'begun' });
	stage.happened({ type: 'opened' });
	return {
		...stage,
		pause: () => stage.happened({ type: 'paused', limitMs: PAUSE_MS_MAX }),
		resume: () => stage.happened({ type: 'continued' }),
		hear: () => void (stage.state.heardAt = stage.time.now()),
		pings: () => stage.seconds('send'),
		/** When it was given up for its silence. */
		ends: () => stage.seconds('terminate'),
	};
}

describe('the heartbeat of a connection', () => {
	it('the heartbeat has the limits that these tests count on', () => {
		expect([PING_EVERY_MS, SILENCE_MS_MAX, PAUSE_MS_MAX]).toEqual([20_000, 45_000, 30_000]);
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

	it('pings while reading is paused, and an early pause changes nothing', async () => {
		const { pings, ends, pass, pause, resume } = beating();
		await pass(10);
		pause();
		await pass(25);
		resume();
		await pass(20);
		expect([pings(), ends()]).toEqual([[20, 40], [45]]);
	});

	it('gives up only after five seconds of listening behind the second ping', async () => {
		const { pings, ends, pass, pause, resume } = beating();
		await pass(30);
		pause();
		await pass(20);
		resume();
		await pass(3);
		pause();
		await pass(29);
		resume();
		await pass(1.998);
		expect([pings(), ends()]).toEqual([[20, 40], []]);
		await pass(0.002);
		expect(ends()).toEqual([84]);
	});

	it('takes a message that waited unread during a pause as a sign of life', async () => {
		const { ends, pass, pause, resume, hear } = beating();
		await pass(30);
		pause();
		await pass(29);
		resume();
		await pass(1);
		hear();
		await pass(44);
		expect(ends()).toEqual([]);
		await pass(1);
		expect(ends()).toEqual([105]);
	});

	it('the heartbeat begins again with the next connection', async () => {
		const { state, pings, ends, pass, pause, happened, chance } = beating();
		await pass(41);
		pause();
		happened({ type: 'broken', why: 'a test', chance });
		expect(state.listening.pause).toBeUndefined();
		await pass(1);
		expect(state.phase).toBe('connecting');
		happened({ type: 'opened' });
		await pass(44);
		expect([pings(), ends()]).toEqual([[20, 40, 62, 82], [41]]);
		await pass(1);
		expect(ends()).toEqual([41, 87]);
	});
});

describe('a paused connection', () => {
	it('a paused connection is read again after PAUSE_MS_MAX, and not paused again before there is room', async () => {
		const { state, seconds, pass, pause, resume } = beating();
		await pass(10);
		pause();
		pause();
		expect(seconds('pause')).toEqual([10]);
		await pass(29);
		expect(seconds('resume')).toEqual([]);
		await pass(2);
		expect(seconds('resume')).toEqual([40]);
		pause();
		expect(state.listening.pause).toBeUndefined();
		resume();
		pause();
		expect(state.listening.pause).toBeDefined();
	});

	it('a connection is paused for PAUSE_MS_MAX from the latest pause', async () => {
		const { seconds, pass, pause, resume } = beating();
		pause();
		await pass(20);
		resume();
		pause();
		await pass(29);
		expect(seconds('resume')).toEqual([20]);
		await pass(1);
		expect(seconds('resume')).toEqual([20, 50]);
	});
});
