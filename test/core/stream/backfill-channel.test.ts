import { PAGES_PER_SLICE, QUEUE_MAX } from '../../../packages/core/src/stream/limits';
import { ExchangeError } from '@partner-exchange/core';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { at, joinedChannel, NAME, openChannel, STORED } from './channel-stage';
import { fill } from './stage';

describe('a topic', () => {
	it('reads a topic at once after its confirmation and after a suspicion, once each', async () => {
		const { channel, confirmed, say, pass, reads } = await joinedChannel(at(0));
		await pass(30);
		reads();
		await pass(600);
		expect(reads()).toBe(0);
		say(1, 'f1');
		say(1, 'f1');
		await pass(30);
		expect(reads()).toBe(0);
		say(3, 'f3');
		await pass(30);
		expect(reads()).toBe(1);
		channel.requestReconcile();
		await pass(30);
		expect(reads()).toBe(1);
		channel.happened({ type: 'lost', heardAt: 0 });
		confirmed(at(3), at(3));
		await pass(30);
		expect(reads()).toBe(1);
		channel.stop();
		say(9, 'f9');
		channel.requestReconcile();
		await pass(30);
		expect(reads()).toBe(0);
	});

	it('shows the backfills of a topic, and of a failed one the reason and the next try', async () => {
		const { channel, service, pass, notices } = await joinedChannel();
		await pass(30);
		const { done } = channel.status().readings;
		expect(done).toBeGreaterThan(0);
		service.fails = new Error('secret inner words');
		channel.requestReconcile();
		await pass(1);
		expect(notices.at(-1)).toMatchObject({ kind: 'degraded', topic: NAME });
		expect(notices.at(-1)!.text).toMatch(/^The backfill failed: unknown reason$/);
		expect(channel.status()).toMatchObject({ readings: { done, failed: 1, refused: 0 }, last_error: 'It failed' });
		service.fails = undefined;
		await pass(60);
		expect(channel.status().readings).toMatchObject({ done: done + 1, failed: 1 });
	});

	it('reads a topic again at growing pauses while the key may not read, which begin again after a backfill', async () => {
		const { channel, service, pass, reads, notices } = await joinedChannel();
		await pass(30);
		reads();
		const pausesOf = async () => {
			service.fails = new ExchangeError('forbidden', { what: 'The key may not read' });
			channel.requestReconcile();
			await pass(3_000);
			const matches = service.reads.splice(0);
			return matches.slice(1).map((turn, index) => Math.round(turn - matches[index]!));
		};
		expect((await pausesOf()).slice(0, 9)).toEqual([5, 5, 5, 15, 45, 135, 405, 600, 600]);
		expect(notices.at(-1)!.text).toMatch(/The key may not read.*; the next attempt is in 600 s$/);
		expect(channel.status().readings.refused).toBeGreaterThan(8);
		service.fails = undefined;
		await pass(600);
		reads();
		expect((await pausesOf()).slice(0, 4)).toEqual([5, 5, 5, 15]);
	});

	it('does not lengthen the pause of a topic that the key may not read because it was requested in between', async () => {
		const { channel, service, pass, reads, notices } = await joinedChannel();
		await pass(30);
		reads();
		service.fails = new ExchangeError('forbidden', { what: 'The key may not read' });
		for (let times = 0; times < 12; times += 1) {
			channel.requestReconcile();
			await pass(2);
		}
		expect(reads()).toBeGreaterThan(10);
		const [, againS] = /the next attempt is in (\d+) s$/.exec(notices.at(-1)!.text)!;
		expect(Number(againS)).toBeLessThan(16);
		service.fails = undefined;
		await pass(16);
		expect(reads()).toBe(1);
	});

	it('delivers new events of a topic that another read brought', async () => {
		const { channel, say, pass, keys, notices } = await joinedChannel(at(0));
		say(1, 'f1');
		channel.take(['f1', 'f2'].map((id) => fills.identify(fill(id))));
		await pass(0);
		expect(keys()).toEqual(['fill:f1', 'fill:f2']);
		expect(notices.at(-1)).toMatchObject({ kind: 'reconciled', topic: NAME, text: '1 backfilled over REST' });
	});
});

describe('a first reading', () => {
	it('retries a failed first backfill every five seconds, and reads nothing else in between', async () => {
		const { confirmed, join, service, pass } = openChannel();
		service.fails = new ExchangeError('unreachable', { what: 'It does not answer' });
		confirmed();
		await pass(1);
		const { state, notices } = join({ retriesFirstConnection: true });
		await pass(19);
		expect(service.reads).toEqual([1, 6, 11, 16]);
		expect(notices[0]).toMatchObject({
			kind: 'degraded',
			text: expect.stringContaining('It does not answer'),
		});
		service.fails = undefined;
		await pass(5);
		expect([state.is, service.reads.slice(4)]).toEqual(['joined', [21, 22]]);
	});

	it('retries a refused first backfill twice, after one second and after two', async () => {
		const { confirmed, join, service, pass } = openChannel();
		service.fails = new ExchangeError('unauthorized', { what: 'The service does not know this key' });
		const { state } = join();
		confirmed();
		await pass(4);
		expect([state.is, service.reads]).toEqual(['unauthorized', [0, 1, 3]]);
	});

	it('follows a late first backfill by another at once, for the events since it was due', async () => {
		const { confirmed, join, service, pass } = openChannel();
		service.fails = new ExchangeError('unreachable', { what: 'It does not answer' });
		const { keys } = join({ retriesFirstConnection: true });
		confirmed();
		await pass(1);
		service.fails = undefined;
		service.rows = [
			{ ...fill('since'), created_at: '2026-01-05T09:00:03.000Z' },
			{ ...fill('before'), created_at: '2026-01-05T08:00:00.000Z' },
		];
		await pass(30);
		expect(keys()).toEqual(['fill:since']);
	});
});

describe('while a topic is read', () => {
	it('delivers live events while a backfill is in progress', async () => {
		const { channel, service, say, pass, keys } = await joinedChannel(at(0));
		await pass(30);
		service.answers = new Promise(() => undefined);
		channel.requestReconcile();
		await pass(1);
		say(1, 'f1');
		await pass(0);
		expect(keys()).toEqual(['fill:f1']);
	});

	it('reads once more for a subscriber that rejoins during a backfill', async () => {
		const { channel, confirmed, join, service, pass, reads } = await joinedChannel(at(7));
		await pass(120);
		let answer = (): void => undefined;
		service.answers = new Promise((resolve) => (answer = resolve));
		channel.requestReconcile();
		await pass(1);
		const back = join({ checkpoint: STORED });
		confirmed(at(7), at(1));
		reads();
		service.answers = Promise.resolve();
		service.rows = [fill('missed')];
		answer();
		await pass(30);
		expect([back.keys(), reads()]).toEqual([['fill:missed'], 1]);
	});
});

describe('a reading that is not done', () => {
	const never = { deliver: () => new Promise<void>(() => undefined) };

	it.each([
		['half a second', [never, { batchMax: 10 * QUEUE_MAX }], 500],
		['a second, where nobody has room', [never], 1_000],
	])('continues an unfinished backfill after %s', async (_name, consumers, againMs) => {
		const { channel, confirmed, join, service, pass, time } = openChannel();
		const all = consumers.map(join);
		confirmed();
		await Promise.all(all.map(({ joined }) => joined));
		await pass(60);
		service.rows = Array.from({ length: 4 * QUEUE_MAX }, (_row, index) => fill(`f${index}`));
		service.pageMax = (0.9 * QUEUE_MAX) / PAGES_PER_SLICE;
		channel.requestReconcile();
		await pass(0.5);
		expect(Date.parse(channel.status().readings.next_at!) - time.now()).toBe(againMs);
	});
});

describe('jumps of the numbers behind which nothing was missing', () => {
	it('jumps with nothing missing behind them do not cause a backfill at once, and a new connection does', async () => {
		const { channel, confirmed, say, pass, reads } = await joinedChannel(at(0));
		await pass(60);
		for (let jump = 1; jump <= 6; jump += 1) {
			say(jump * 10, `f${jump}`);
			await pass(60);
		}
		reads();
		say(70, 'f7');
		await pass(12);
		expect(reads()).toBe(0);
		await pass(48);
		expect(reads()).toBe(1);
		say(80, 'f8');
		channel.happened({ type: 'lost', heardAt: 0 });
		confirmed(at(80), at(80));
		await pass(1);
		expect(reads()).toBe(1);
	});
});

describe('one who comes back to a topic that others follow', () => {
	it.each([
		['says where it stands', at(9)],
		['does not say where it stands', undefined],
	])(
		'serves a rejoining subscriber from the last backfill, without another, where the service %s',
		async (_name, head) => {
			const { service, confirmed, join, say, pass, reads } = await joinedChannel(at(7));
			await pass(30);
			service.rows = [fill('missed')];
			say(9, 'f9');
			await pass(30);
			reads();
			const back = join({ checkpoint: STORED });
			confirmed(head, at(1));
			await back.joined;
			await pass(0);
			expect(back.keys()).toContain('fill:missed');
			await pass(30);
			expect(reads()).toBe(0);
		},
	);

	it('reads for a rejoining subscriber if nothing was read lately', async () => {
		const { service, confirmed, join, pass, reads, keys } = await joinedChannel(at(7));
		await pass(3_600);
		reads();
		service.rows = [fill('missed')];
		const back = join({ checkpoint: STORED });
		confirmed(at(7), at(1));
		await back.joined;
		await pass(30);
		expect([reads(), back.keys(), keys()]).toEqual([1, ['fill:missed'], ['fill:missed']]);
	});

	it('reads for a rejoining subscriber if the service began again', async () => {
		const { pass, confirmed, join, reads } = await joinedChannel(at(7));
		await pass(30);
		reads();
		const back = join({ checkpoint: STORED });
		confirmed(at(0, 'e2'), at(1));
		await back.joined;
		await pass(30);
		expect(reads()).toBeGreaterThan(0);
	});
});
