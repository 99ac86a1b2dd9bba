import { PAUSE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { createHeartbeat } from '../../../packages/core/src/stream/connection/heartbeat';
import { createListeningTime } from '../../../packages/core/src/stream/connection/listening-time';
import { virtualTime } from '../../simulation/support/time';

const SECOND_MS = 1_000;

/** The events of one connection with their seconds. */
function connected() {
	const time = virtualTime();
	const begins = time.now();
	const at: Record<'ping' | 'silent' | 'over' | 'done', number[]> = { ping: [], silent: [], over: [], done: [] };
	const note = (name: keyof typeof at) => () => void at[name].push((time.now() - begins) / SECOND_MS);
	const listening = createListeningTime(time);
	const heartbeat = createHeartbeat(time, listening, { ping: note('ping'), silent: note('silent') });
	return {
		...{ at, heartbeat, listening },
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
		pause: () => listening.pause(PAUSE_MS_MAX, note('over')),
		hear: () => heartbeat.heard(time.now()),
		after: (seconds: number) => listening.after(seconds * SECOND_MS, note('done')),
	};
}

describe('whether a connection is alive', () => {
	function beating() {
		const stage = connected();
		stage.heartbeat.begin();
		return stage;
	}

	it('is asked every twenty seconds of silence, and given up after 45', async () => {
		const { at, pass } = beating();
		await pass(200);
		expect(at).toMatchObject({ ping: [20, 40], silent: [45] });
	});

	it('is asked twenty seconds after the last message, whenever that came', async () => {
		const { at, pass, hear } = beating();
		await pass(15);
		hear();
		await pass(45);
		expect(at).toMatchObject({ ping: [35, 55], silent: [60] });
	});

	it('is shown by any message', async () => {
		const { at, pass, hear } = beating();
		for (let heard = 0; heard < 10; heard += 1) {
			await pass(19);
			hear();
		}
		expect(at.ping).toEqual([]);
		await pass(44);
		hear();
		await pass(44);
		expect(at.silent).toEqual([]);
		await pass(1);
		expect(at.silent).toEqual([279]);
	});

	it('is asked while it is not read, and an early pause costs no time', async () => {
		const { at, pass, pause, listening } = beating();
		await pass(10);
		pause();
		await pass(25);
		listening.resume();
		await pass(20);
		expect(at).toMatchObject({ ping: [20, 40], silent: [45] });
	});

	it('is told only once it was read for five seconds after the second ping', async () => {
		const { at, pass, pause, listening } = beating();
		await pass(30);
		pause();
		await pass(20);
		listening.resume();
		await pass(3);
		pause();
		await pass(29);
		listening.resume();
		await pass(1.999);
		expect(at).toMatchObject({ ping: [20, 40], silent: [] });
		await pass(0.001);
		expect(at.silent).toEqual([84]);
	});

	it('is shown by what waited unread', async () => {
		const { at, pass, pause, listening, hear } = beating();
		await pass(30);
		pause();
		await pass(29);
		listening.resume();
		await pass(1);
		hear();
		await pass(44);
		expect(at.silent).toEqual([]);
		await pass(1);
		expect(at.silent).toEqual([105]);
	});

	it('is not asked once it ended, and begins anew with the next connection', async () => {
		const { at, pass, pause, heartbeat, listening } = beating();
		await pass(41);
		pause();
		heartbeat.end();
		listening.reset();
		await pass(300);
		expect(at).toMatchObject({ ping: [20, 40], silent: [], over: [] });
		heartbeat.begin();
		await pass(44);
		expect(at.silent).toEqual([]);
		await pass(1);
		expect(at.silent).toEqual([386]);
	});
});

describe('a connection that is not read', () => {
	it('is so for thirty seconds at most, and not again before there is room', async () => {
		const { at, pass, pause, listening } = connected();
		await pass(10);
		expect([pause(), pause()]).toEqual([true, false]);
		await pass(29);
		expect(at.over).toEqual([]);
		await pass(2);
		expect([at.over, pause()]).toEqual([[40], false]);
		listening.resume();
		expect(pause()).toBe(true);
	});

	it('is not ended by the limit of a pause that was over before', async () => {
		const { at, pass, pause, listening } = connected();
		pause();
		await pass(20);
		listening.resume();
		pause();
		await pass(29);
		expect(at.over).toEqual([]);
		await pass(1);
		expect(at.over).toEqual([50]);
	});

	it('makes what is waited for wait as much longer, in all pauses', async () => {
		const { at, pass, pause, listening, after } = connected();
		after(10);
		await pass(4);
		pause();
		await pass(9);
		listening.resume();
		await pass(5);
		pause();
		await pass(20);
		expect(at.done).toEqual([]);
		listening.resume();
		await pass(0.999);
		expect(at.done).toEqual([]);
		await pass(60);
		expect(at.done).toEqual([39]);
	});

	it('lets go on with what is waited for at the limit of the pause', async () => {
		const { at, pass, pause, after } = connected();
		pause();
		after(10);
		await pass(100);
		expect(at).toMatchObject({ over: [30], done: [40] });
	});

	it('lets be cancelled what is waited for, before, during and after a pause', async () => {
		const { at, pass, pause, listening, after } = connected();
		const [first, second, third] = [after(10), after(10), after(10)];
		await pass(5);
		first();
		pause();
		await pass(15);
		second();
		listening.resume();
		await pass(1);
		third();
		await pass(60);
		expect(at.done).toEqual([]);
	});

	it('is read where another one takes its place', async () => {
		const { at, pass, pause, listening, after } = connected();
		pause();
		await pass(31);
		pause();
		listening.reset();
		after(10);
		await pass(10);
		expect([at.done, pause()]).toEqual([[41], true]);
		listening.reset();
		await pass(60);
		expect(at.over).toEqual([30]);
	});
});
