import { type Clock, createStream, type Item, type SocketHandlers } from '@partner-exchange/core';
import { KEYS_MAX, LAG_MAX } from '../../../packages/core/src/stream/limits';
import { admit, nothingKnown } from '../../../packages/core/src/stream/log/known';
import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { settled } from '../../simulation/support/time';
import { ACCOUNT, data, fill, openStage, trade, follow } from './stage';

const TRADES = { topics: ['trades.USD_NGN'], batchMax: 1_000 };

const SECOND_MS = 1_000;

describe('a busy pair', () => {
	it('delivers an undisturbed busy pair once, without a gap, in few requests', async () => {
		const stage = openStage({ pageMax: 100 });
		const seen = stage.consume(TRADES);
		await stage.pass(100);
		const listed = (stage.lists['market.trades'] = [] as ReturnType<typeof trade>[]);
		for (let second = 0; second < 20; second += 1) {
			for (let made = 1; made <= 250; made += 1) {
				const sequence = second * 250 + made;
				listed.push(trade(sequence));
				stage.sockets[0]!.say(data('trades.USD_NGN', sequence, trade(sequence)));
				if (made % 50 === 0) await stage.settled();
			}
			await stage.pass(SECOND_MS);
		}
		expect(seen.events).toHaveLength(5_000);
		expect(new Set(seen.keys()).size).toBe(5_000);
		expect(seen.subscription.counters()).toMatchObject({ gaps: 0 });
		expect(stage.reads.length).toBeLessThan(40);
		expect(JSON.stringify(seen.positions).length).toBeLessThan(12_000);
	});
});

describe('what waits', () => {
	it('bounds the queue of a busy pair by its length, and backfills once the host can take more', async () => {
		const stage = openStage();
		let take: (() => void) | undefined;
		const acknowledged: number[] = [];
		const seen = stage.consume({
			topics: ['user.fills'],
			batchMax: 10,
			deliver: (events) =>
				new Promise((resolve) => {
					take = () => {
						acknowledged.push(events.length);
						resolve();
					};
				}),
		});
		await seen.subscription.ready;
		const large = 'x'.repeat(900_000);
		for (let seq = 1; seq <= 100; seq += 1)
			stage.sockets[0]!.say(data('user.fills', seq, { ...fill(`f${seq}`), note: large }));
		await stage.settled();
		expect(seen.subscription.counters().waiting * large.length).toBeLessThan(40 * 1024 * 1024);
		take?.();
		await stage.settled();
		expect(acknowledged).toEqual([10]);
	});
});

const MISSED = LAG_MAX + 500;

const MINUTE_MS = 60_000;

const FILLS = { topics: ['user.fills'], batchMax: 100 };

describe('a slow host beside a fast one', () => {
	it('the fast one gets each event at once, while only so many wait for one that never returns', async () => {
		const { sockets, consume, settled } = openStage();
		const stuck = consume({ ...FILLS, deliver: () => new Promise(() => undefined) });
		const fast = consume({ ...FILLS, batchMax: 500 });
		await Promise.all([stuck.subscription.ready, fast.subscription.ready]);
		for (let seq = 1; seq <= LAG_MAX + 500; seq += 1) {
			sockets[0]!.say(data('user.fills', seq, fill(String(seq))));
			if (seq % 500 !== 0) continue;
			await settled();
			expect(stuck.subscription.counters().waiting).toBeLessThanOrEqual(LAG_MAX);
		}
		expect(fast.keys()).toHaveLength(LAG_MAX + 500);
		expect(stuck.notices.filter(({ text }) => text === noticeTexts.tooSlow)).toHaveLength(1);
	});

	it('both get once all that they missed, though it is more than may wait for the slow one', async () => {
		const stage = openStage({ pageMax: 200 });
		const make = (id: number, agoMs: number): Item => ({
			...fill(String(id)),
			created_at: new Date(stage.time.now() - agoMs).toISOString(),
		});
		const before = stage.consume(FILLS);
		await before.subscription.ready;
		stage.lists['fill.list'] = [make(0, 0)];
		await stage.pass(2 * MINUTE_MS);
		await before.subscription.close();
		await stage.pass(60 * MINUTE_MS);
		const missed = Array.from({ length: MISSED }, (_, index) => make(index + 1, index * 100));
		stage.lists['fill.list'].unshift(...missed);
		const host = { isSlow: true };
		const told: string[] = [];
		const back = { ...FILLS, checkpoint: before.positions };
		const fast = stage.consume(back);
		stage.consume({
			...back,
			deliver: async (events) => {
				if (host.isSlow) await new Promise<void>((resolve) => stage.time.after(2 * MINUTE_MS, resolve));
				for (const { eventKey } of events) told.push(eventKey);
			},
		});
		await stage.pass(3 * MINUTE_MS);
		host.isSlow = false;
		await stage.pass(10 * MINUTE_MS);
		expect(told.sort()).toEqual(missed.map(({ id }) => `fill:${String(id)}:order-1`).sort());
		expect(fast.keys().sort()).toEqual(told);
	});
});

/** How many fills are missed: `BACKLOGS=10000,100000,1000000 npx jest test/core/stream/busy-streams` tells how long it takes. */
const backlogs = (process.env.BACKLOGS ?? '2000').split(',').map(Number);

const PAGE_MS = 20;

const HOUR_MS = 3_600_000;

const TURNS_MAX = 1_000;

describe.each([100])('a list of the service in pages of %i rows', (pageMax) => {
	it.each(backlogs)(
		'brings a consumer that was away for an hour %i missed fills, each once',
		async (count) => {
			const { client, consume, pass, sockets, time } = openStage();
			let rows: Item[] = [];
			let requests = 0;
			client.page = async (id, { offset = 0 }) => {
				if (id !== 'fill.list') return [];
				requests += 1;
				await new Promise<void>((resolve) => time.after(PAGE_MS, resolve));
				return rows.slice(Number(offset), Number(offset) + pageMax);
			};
			const fillAt = (id: string, at: number): Item => ({
				...{ id, order_id: 'order-1', quantity: '1', side: 'buy', pair_id: 'USD/NGN' },
				created_at: new Date(at).toISOString(),
			});
			const before = consume({ topics: ['user.fills'] });
			await Promise.all([before.subscription.ready, pass(25_000)]);
			const first = fillAt('first', time.now());
			sockets[0]!.say(data('user.fills', 1, first));
			await pass(60_000);
			await before.subscription.close();
			await pass(HOUR_MS);
			const stepMs = (HOUR_MS - 1_000) / count;
			rows = Array.from({ length: count }, (_, index) => fillAt(`fill-${index}`, time.now() - index * stepMs));
			rows.push(first);
			const told = { keys: new Set<string>(), count: 0, gaps: 0, at: 0 };
			const returnedAt = time.now();
			consume({
				topics: ['user.fills'],
				batchMax: 1_000,
				checkpoint: before.positions,
				deliver: async (events) => {
					for (const { eventKey, kind } of events) {
						if (kind) told.gaps += 1;
						else told.count += 1;
						told.keys.add(eventKey);
					}
					told.at = time.now();
				},
			});
			for (let turn = 0; turn < TURNS_MAX && told.keys.size < count; turn += 1) await pass(10_000);
			// Long enough that every later read has shown what it shows.
			await pass(120_000);
			if (process.env.BACKLOGS)
				process.stderr.write(
					`${count} fills, pages of ${pageMax}: ${(told.at - returnedAt) / 1_000} s, ${requests} requests\n`,
				);
			expect({ different: told.keys.size, told: told.count, gaps: told.gaps }).toEqual({
				...{ different: count, told: count },
				gaps: 0,
			});
		},
		600_000,
	);
});

describe('what a topic remembers', () => {
	it('knows the newest of more events than it remembers, though a read that goes back shows these first', () => {
		const known = nothingKnown({ isNumbered: false, hasList: true });
		const admitted = (from: number, to: number): number => {
			let count = 0;
			for (let age = from; age < to; age += 1) {
				const event = { key: `fill-${age}`, data: undefined, time: 1_000_000_000 - age };
				if (admit(known, event, { isRead: true, now: 0 })) count += 1;
			}
			return count;
		};
		expect(admitted(0, KEYS_MAX + 50_000)).toBe(KEYS_MAX + 50_000);
		expect(admitted(0, 20_000)).toBe(0);
		// Nor does a page that begins again with the rows of the one before.
		expect(admitted(KEYS_MAX + 45_000, KEYS_MAX + 50_000)).toBe(0);
	});
});

const TOPIC = 'trades.USD_NGN';

const RECONNECTS = 30;

describe('a stream that goes on', () => {
	it('leaves no timer and no socket behind after many reconnects', async () => {
		const { seen, ...stage } = await follow({ topics: ['user.fills', TOPIC] });
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
	it('connects and reads again once after a machine slept for ten minutes, not for every minute', async () => {
		const { machine, opened, stream, reads } = await awake();
		const before = { opened: opened.length, reads: reads() };
		await machine.sleep(600_000);
		await machine.pass(30_000);
		expect(opened.length - before.opened).toBeLessThanOrEqual(3);
		expect(reads() - before.reads).toBeGreaterThan(0);
		expect(reads() - before.reads).toBeLessThanOrEqual(12);
		await stream.close();
	});

	it.each([3_600_000, -86_400_000])(
		"neither reconnects nor reads more if the machine's clock is set by %d ms",
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
