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

	it('pings a connection every twenty seconds of silence, and ends it after SILENCE_MS_MAX', async () => {
		const { at, pass } = beating();
		await pass(200);
		expect(at).toMatchObject({ ping: [20, 40], silent: [45] });
	});

	it('pings a connection twenty seconds after the last message, whenever that came', async () => {
		const { at, pass, hear } = beating();
		await pass(15);
		hear();
		await pass(45);
		expect(at).toMatchObject({ ping: [35, 55], silent: [60] });
	});

	it('takes any message as a sign that a connection lives', async () => {
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

	it('pings a paused connection, and an early pause costs no time', async () => {
		const { at, pass, pause, listening } = beating();
		await pass(10);
		pause();
		await pass(25);
		listening.resume();
		await pass(20);
		expect(at).toMatchObject({ ping: [20, 40], silent: [45] });
	});

	it('calls a connection dead only once it was read for five seconds after the second ping', async () => {
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

	it('takes unread messages as a sign that a connection lives', async () => {
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

	it('pings no ended connection, and begins again with the next one', async () => {
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
	it('pauses a connection for PAUSE_MS_MAX at most, and not again before there is room', async () => {
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

	it('the limit of an ended pause does not end the next pause of a connection', async () => {
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

	it('extends deadlines by the time a connection was paused, in all pauses', async () => {
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

	it('continues deadlines at the limit of a pause', async () => {
		const { at, pass, pause, after } = connected();
		pause();
		after(10);
		await pass(100);
		expect(at).toMatchObject({ over: [30], done: [40] });
	});

	it('cancels a deadline before, during and after a pause', async () => {
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

	it('reads a new connection that replaces a paused one', async () => {
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
