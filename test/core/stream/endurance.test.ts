import { createStream, type Clock, type SocketHandlers } from '@partner-exchange/core';
import { settled } from '../../simulation/support/time';
import { ACCOUNT, data, openStage, trade } from './stage';

const TOPIC = 'trades.USD_NGN';
const RECONNECTS = 100;

describe('a stream that goes on', () => {
	it('leaves no timer and no socket behind after a hundred reconnects (fault 54)', async () => {
		const stage = openStage();
		const seen = stage.consume({ topics: ['user.fills', TOPIC] });
		await seen.subscription.ready;
		const counts: number[] = [];
		for (let made = 0; made < RECONNECTS; made += 1) {
			stage.sockets.at(-1)!.close({ code: 1006 });
			await stage.pass(70_000);
			counts.push(stage.timers());
		}
		expect(stage.sockets.length).toBeGreaterThan(RECONNECTS);
		const open = stage.sockets.filter(({ isOpen, isTerminated }) => isOpen && !isTerminated);
		expect(open.length).toBeLessThanOrEqual(2);
		expect(Math.max(...counts.slice(2)) - Math.min(...counts.slice(2))).toBeLessThanOrEqual(2);
		await stage.stream.close();
		expect(stage.timers()).toBe(0);
	});

	it('delivers or names every trade of a burst of 5,000 a second, and keeps few of them (fault 55)', async () => {
		const stage = openStage();
		let most = 0;
		const acknowledged = new Set<number>();
		const seen = stage.consume({
			topics: [TOPIC],
			batchMax: 1_000,
			deliver: async (events) => {
				for (const event of events) acknowledged.add((event.data as { sequence: number }).sequence);
				await Promise.resolve();
			},
		});
		await seen.subscription.ready;
		const all = 50_000;
		for (let sequence = 1; sequence <= all; sequence += 1) {
			stage.sockets.at(-1)!.say(data(TOPIC, sequence, trade(sequence)));
			if (sequence % 500 !== 0) continue;
			most = Math.max(most, seen.subscription.counters().waiting);
			await stage.pass(100);
		}
		await stage.pass(120_000);
		expect(acknowledged.size).toBe(all);
		expect(seen.notices.filter(({ kind }) => kind === 'gap')).toEqual([]);
		expect(most).toBeLessThanOrEqual(5_000);
		await stage.stream.close();
	});
});

/** The clock of a machine that sleeps: when it wakes, everything that was due is due at once. */
function sleepingClock() {
	let now = Date.UTC(2026, 0, 5);
	let elapsed = 0;
	let timers: { due: number; action: () => void }[] = [];
	const clock: Clock = {
		now: () => now,
		elapsed: () => elapsed,
		after: (delayMs, action) => {
			const timer = { due: elapsed + delayMs, action };
			timers.push(timer);
			return () => void (timers = timers.filter((other) => other !== timer));
		},
	};
	async function fire(): Promise<void> {
		for (;;) {
			const due = timers.filter((timer) => timer.due <= elapsed).sort((a, b) => a.due - b.due)[0];
			if (!due) return;
			timers = timers.filter((timer) => timer !== due);
			due.action();
			await settled();
		}
	}
	return {
		clock,
		pass: async (ms: number) => {
			for (let step = 0; step < ms; step += 250) {
				now += 250;
				elapsed += 250;
				await fire();
			}
		},
		sleep: async (ms: number) => {
			now += ms;
			elapsed += ms;
			await fire();
		},
		/** Sets the wall clock. */
		set: (ms: number) => void (now += ms),
	};
}

/** A stream on such a machine, with a service that replies to pings while the machine is awake. */
async function awake() {
	const machine = sleepingClock();
	const opened: SocketHandlers[] = [];
	let reads = 0;
	const stream = createStream({
		account: ACCOUNT,
		client: {
			page: async () => {
				reads += 1;
				return await Promise.resolve([]);
			},
			call: async () => await Promise.reject(new Error('nothing')),
			serviceTime: () => undefined,
		},
		clock: machine.clock,
		random: () => 0.5,
		newId: () => 'id',
		openSocket: (_, handlers) => {
			let open = true;
			opened.push(handlers);
			queueMicrotask(handlers.opened);
			const send = (text: string): void => {
				const { type, topics } = JSON.parse(text) as { type: string; topics?: string[] };
				const answer = type === 'subscribe' ? { type: 'subscribed', topics } : { type: 'pong' };
				queueMicrotask(() => open && handlers.messages([JSON.stringify(answer)]));
			};
			return { send, terminate: () => void (open = false) };
		},
	});
	const { ready } = stream.subscribe({ topics: ['user.fills'], deliver: async () => undefined });
	await machine.pass(1_000);
	await ready;
	await machine.pass(60_000);
	return { machine, opened, stream, reads: () => reads };
}

describe('a machine', () => {
	it('connects and reads again once after a machine slept for ten minutes, not for every minute (fault 65)', async () => {
		const { machine, opened, stream, reads } = await awake();
		const before = { opened: opened.length, reads: reads() };
		await machine.sleep(600_000);
		await machine.pass(30_000);
		expect(opened.length - before.opened).toBeLessThanOrEqual(3);
		expect(reads() - before.reads).toBeGreaterThan(0);
		expect(reads() - before.reads).toBeLessThanOrEqual(12);
		await stream.close();
	});

	it.each([3_600_000, -3_600_000, 1_000, -86_400_000])(
		"neither reconnects nor reads more if the machine's clock is set by %d ms (fault 64)",
		async (ms) => {
			const [set, left] = [await awake(), await awake()];
			set.machine.set(ms);
			for (const { machine } of [set, left]) await machine.pass(300_000);
			expect(set.opened.length).toBe(left.opened.length);
			expect(Math.abs(set.reads() - left.reads())).toBeLessThanOrEqual(2);
			await set.stream.close();
			await left.stream.close();
		},
	);
});
