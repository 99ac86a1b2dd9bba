import { NEWCOMERS_SPACING_MS, READS_PER_MINUTE_MAX } from '../../../packages/core/src/stream/limits';
import {
	ensure,
	finish,
	newSchedule,
	nextAt,
	request,
	requestForNewcomers,
	start,
	wakesIn,
} from '../../../packages/core/src/stream/schedule';
import { virtualTime } from '../../simulation/support/time';

const SECOND_MS = 1_000;

/** A schedule whose backfills a timer starts, and the times they ran, in seconds from the start. */
function schedule({
	everyMs,
	chance = 0.5,
	lastsMs = 0,
	earlyMs = 0,
}: { everyMs?: number; chance?: number; lastsMs?: number; earlyMs?: number } = {}) {
	const time = virtualTime();
	const begins = time.now();
	const ran: number[] = [];
	let answers: (number | undefined | Error)[] = [];
	const state = newSchedule(begins, chance, everyMs);
	let cancel = (): void => undefined;
	function arm(): void {
		cancel();
		const delayMs = wakesIn(state, time.now());
		if (delayMs !== undefined) cancel = time.after(delayMs - earlyMs, run);
	}
	function run(): void {
		if (!start(state, time.now())) return arm();
		ran.push((time.now() - begins) / SECOND_MS);
		const answer = answers.shift();
		const outcome = answer instanceof Error ? { hasFailed: true } : { againMs: answer };
		const end = () => (finish(state, outcome, { now: time.now(), chance, everyMs }), arm());
		if (lastsMs > 0) time.after(lastsMs, end);
		else end();
	}
	arm();
	const scheduler = {
		request: (delayMs: number, isUrgent = false) => (request(state, time.now() + delayMs, isUrgent), arm()),
		ensure: (fromMs: number, toMs: number) => (ensure(state, time.now() + fromMs, time.now() + toMs), arm()),
		requestForNewcomer: () => (requestForNewcomers(state, time.now()), arm()),
		nextAt: () => nextAt(state),
	};
	return {
		scheduler,
		ran,
		answer: (...value: typeof answers) => void (answers = value),
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
		nextIn: () => scheduler.nextAt() && (scheduler.nextAt()! - time.now()) / SECOND_MS,
	};
}

describe('the schedule of a topic', () => {
	it('runs each backfill once when it is due, the earliest first', async () => {
		const { scheduler, ran, pass, nextIn } = schedule();
		expect(nextIn()).toBeUndefined();
		for (const seconds of [20, 5, 10]) scheduler.request(seconds * SECOND_MS);
		expect(nextIn()).toBe(5);
		await pass(60);
		expect(ran).toEqual([5, 10, 20]);
		expect(nextIn()).toBeUndefined();
	});

	it('coalesces backfills that are due within a second of each other', async () => {
		const { scheduler, ran, pass } = schedule();
		for (const ms of [5_000, 6_000, 4_000, 7_001]) scheduler.request(ms);
		await pass(60);
		expect(ran).toEqual([5, 7.001]);
	});

	it('keeps backfills a second apart', async () => {
		const { scheduler, ran, pass } = schedule();
		scheduler.request(0);
		await pass(0.4);
		scheduler.request(1_100);
		scheduler.request(0);
		await pass(60);
		expect(ran).toEqual([0, 1, 2]);
	});

	it('runs one backfill at a time', async () => {
		const { scheduler, ran, pass } = schedule({ lastsMs: 5_000 });
		scheduler.request(0);
		await pass(1);
		scheduler.request(0, true);
		await pass(60);
		expect(ran).toEqual([0, 5]);
	});

	it('runs no more than twelve backfills a minute, but for one that is urgent', async () => {
		const { scheduler, ran, pass } = schedule();
		for (let second = 0; second < 20; second += 1) {
			scheduler.request(0);
			await pass(2);
		}
		expect(ran).toHaveLength(12);
		scheduler.request(0, true);
		await pass(1);
		expect(ran.slice(12)).toEqual([40]);
		scheduler.request(0);
		await pass(60);
		expect(ran.slice(13)).toEqual([62]);
	});

	it('makes a backfill urgent that is due anyway', async () => {
		const { scheduler, ran, pass } = schedule();
		for (let second = 0; second < 12; second += 1) {
			scheduler.request(0);
			await pass(1);
		}
		scheduler.request(0);
		scheduler.request(0, true);
		await pass(1);
		expect(ran).toHaveLength(13);
	});

	it('continues an unfinished backfill whatever the rate limit says', async () => {
		const { scheduler, ran, pass, answer, nextIn } = schedule();
		answer(...Array<number>(20).fill(500));
		scheduler.request(0);
		scheduler.request(30 * SECOND_MS);
		await pass(0.1);
		expect(nextIn()).toBeCloseTo(0.4);
		await pass(12);
		expect(ran).toEqual(Array.from({ length: 21 }, (_, index) => index / 2));
		expect(nextIn()).toBeCloseTo(17.9);
		await pass(60);
		expect(ran.slice(21)).toEqual([30]);
	});

	it('begins the next backfill if it is due before an unfinished one continues', async () => {
		const { scheduler, ran, pass, answer, nextIn } = schedule();
		answer(10_000);
		scheduler.request(0);
		scheduler.request(3_000);
		await pass(1);
		expect(nextIn()).toBe(2);
		await pass(60);
		expect(ran).toEqual([0, 3]);
	});

	it('retries a failed backfill at growing pauses until one succeeds', async () => {
		const { scheduler, ran, pass, answer } = schedule({ chance: 1 });
		answer(new Error('1'), new Error('2'), new Error('3'), undefined, new Error('4'));
		scheduler.request(0);
		await pass(100);
		expect(ran).toEqual([0, 3, 8, 17]);
		scheduler.request(0);
		await pass(10);
		expect(ran.slice(4)).toEqual([100, 103]);
	});

	it('runs no more than twelve failing backfills a minute', async () => {
		const { scheduler, ran, pass, answer } = schedule();
		answer(...Array.from({ length: 40 }, () => new Error('away')));
		for (let second = 0; second < 40; second += 1) {
			scheduler.request(0);
			await pass(1);
		}
		expect(ran).toHaveLength(READS_PER_MINUTE_MAX);
	});

	it('runs regular backfills with jitter, counted from the last one', async () => {
		const early = schedule({ everyMs: 45_000, chance: 0 });
		const late = schedule({ everyMs: 45_000, chance: 1 });
		for (const { pass } of [early, late]) await pass(150);
		expect(early.ran).toEqual([40.5, 81, 121.5]);
		expect(late.ran).toEqual([49.5, 99, 148.5]);
		early.scheduler.request(0);
		await early.pass(40);
		expect(early.ran.slice(3)).toEqual([150, 162]);
	});

	it('ensures one backfill within a stretch of time', async () => {
		const { scheduler, ran, pass } = schedule();
		scheduler.request(5_000);
		scheduler.ensure(5_000, 9_000);
		scheduler.ensure(1_000, 5_000);
		await pass(20);
		expect(ran).toEqual([5]);
		scheduler.request(3_000);
		scheduler.request(12_000);
		scheduler.ensure(4_000, 10_000);
		await pass(20);
		expect(ran.slice(1)).toEqual([23, 30, 32]);
		scheduler.request(3_000);
		scheduler.ensure(5_000, 9_000);
		await pass(20);
		expect(ran.slice(4)).toEqual([43, 49]);
	});

	it('runs a backfill for newcomers at once, and one for those that follow NEWCOMERS_SPACING_MS after it', async () => {
		const { scheduler, ran, pass } = schedule();
		for (let half = 0; half < 70; half += 1) {
			scheduler.requestForNewcomer();
			await pass(0.5);
		}
		await pass(60);
		expect(ran).toEqual([0, 1, 2, 3, 4].map((count) => (count * NEWCOMERS_SPACING_MS) / SECOND_MS));
		scheduler.requestForNewcomer();
		await pass(1);
		expect(ran.slice(5)).toEqual([95]);
	});

	it('counts backfills for newcomers in the rate limit', async () => {
		const { scheduler, ran, pass } = schedule();
		for (let second = 0; second < READS_PER_MINUTE_MAX; second += 1) {
			scheduler.request(0);
			await pass(1);
		}
		scheduler.requestForNewcomer();
		await pass(60);
		expect(ran.slice(READS_PER_MINUTE_MAX)).toEqual([60]);
	});

	it('serves newcomers by a backfill that is due by then', async () => {
		const { scheduler, ran, pass } = schedule();
		scheduler.requestForNewcomer();
		await pass(0.5);
		scheduler.request(400);
		scheduler.requestForNewcomer();
		await pass(20);
		expect(ran).toEqual([0, 1]);
		scheduler.request(30_000);
		scheduler.requestForNewcomer();
		await pass(1);
		expect(ran.slice(2)).toEqual([20.5]);
	});

	it('runs a backfill once where a timer fires a little early, as those of Node do', async () => {
		const { scheduler, ran, pass } = schedule({ everyMs: 60_000, earlyMs: 2 });
		scheduler.request(5_000);
		await pass(130);
		expect(ran).toEqual([4.998, 59.998, 119.996]);
	});
});
