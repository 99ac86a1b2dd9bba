import type { Item } from '@partner-exchange/core';
import { DATED_AHEAD_MAX, PAGES_PER_SLICE, QUEUE_MAX } from '../../../packages/core/src/stream/limits';
import { step } from '../../../packages/core/src/stream/sync/step';
import { listStage } from './backfill-stage';
import { records } from './step-stage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

describe('a list that is read back', () => {
	it('a first backfill makes a list old as far as one page of the newest and the overlap reach', async () => {
		const { service, subscribe, baseline, run, down, fill, now, offsets, observed } = listStage('user.fills');
		service.rows = down(2_000);
		const consumer = subscribe();
		await baseline(consumer);
		expect(offsets().length).toBeLessThanOrEqual(7);
		expect(observed.length).toBeGreaterThanOrEqual(110);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBe(
			now - DATED_AHEAD_MAX * SECOND_MS - MINUTE_MS,
		);
		service.rows = [fill('new', 500), ...service.rows];
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: true });
		expect(await consumer.keys()).toEqual(['fill:new']);
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: false });
	});

	it('moves no watermark and reads the whole list if no row has a time', async () => {
		const { service, subscribe, baseline, run } = listStage('user.fills');
		service.rows = Array.from({ length: 700 }, (_, index) => ({ id: `f${index}`, quantity: '1' }));
		const consumer = subscribe();
		await baseline(consumer);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBeUndefined();
		expect(await run(consumer)).toMatchObject({ isWhole: true, hasNews: false });
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBeUndefined();
	});

	it('moves the watermark no further back than the list was read, if much came within the overlap', async () => {
		const { service, subscribe, baseline, now, fill } = listStage('user.fills');
		service.rows = Array.from({ length: 700 }, (_, index) => fill(`f${index}`, -index * 50));
		const consumer = subscribe();
		await baseline(consumer);
		const watermark = consumer.subscriber.cursor('user.fills').offered.watermark!;
		expect(watermark).toBeGreaterThan(now - 30_000);
		expect(watermark).toBeLessThanOrEqual(now - 20_000);
	});

	it('repeats a backfill of a list that began before the connection was lost', async () => {
		const { service, subscribe, baseline, run, state, fill, now } = listStage('user.fills');
		const loseConnection = () => {
			step(records, state, { type: 'lost', heardAt: 0 }, now);
			step(records, state, { type: 'confirmed' }, now);
		};
		const consumer = subscribe();
		await baseline(consumer);
		service.rows = Array.from({ length: 150 }, (_, index) => fill(`f${index}`, 1_000 - index));
		service.fails = ({ offset }) => Number(offset) > 0;
		expect(await run(consumer)).toMatchObject({ isWhole: false });
		loseConnection();
		service.fails = undefined;
		service.rows = [{ ...fill('new', 0), created_at: new Date(now + 2_000).toISOString() }, ...service.rows];
		expect(await run(consumer)).toMatchObject({ isWhole: true, isForAll: false });
		// It began in the window of before, so it confirms nothing to those who join.
		expect(state.window.readAt).toBe(-Infinity);
		expect(await run(consumer)).toMatchObject({ isWhole: true, isForAll: true });
		expect(state.window.readAt).toBe(now);
		expect(new Set(await consumer.keys()).size).toBe(151);
		loseConnection();
		expect(await run(consumer)).toMatchObject({ isWhole: true, isForAll: true });
	});

	it('does not read a list for a subscriber that has to catch up first', async () => {
		const { service, subscribe, baseline, run, fill } = listStage('user.fills');
		const [consumer, behind] = [subscribe(), subscribe()];
		await baseline(consumer);
		await baseline(behind);
		behind.subscriber.queue.lagging.set('user.fills', 0);
		service.rows = [fill('new', 1)];
		await run(consumer, behind);
		expect([await consumer.keys(), await behind.keys()]).toEqual([['fill:new'], []]);
		behind.subscriber.queue.lagging.delete('user.fills');
		await run(consumer, behind);
		expect([await consumer.keys(), await behind.keys()]).toEqual([['fill:new'], ['fill:new']]);
	});

	it('delivers rows in the order of creation, whatever the order of the list', async () => {
		const { service, subscribe, baseline, run, fill } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		service.rows = [fill('b', 2), fill('d', 4), { id: 'none', quantity: '1' }, fill('a', 1), fill('c', 3)];
		await run(consumer);
		expect(await consumer.keys()).toEqual(['fill:none', 'fill:a', 'fill:b', 'fill:c', 'fill:d']);
	});

	it('a late first backfill treats rows created before the subscription as old, and later ones as new', async () => {
		const { service, subscribe, baseline, fill, now } = listStage('user.fills');
		service.rows = [fill('c', 3_000), fill('b', 2_000), fill('a', 1_000), { id: 'none', quantity: '1' }];
		const consumer = subscribe();
		await baseline(consumer, now + 2_000);
		expect(await consumer.keys()).toEqual(['fill:c']);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBe(now + SECOND_MS - MINUTE_MS);
	});

	it('finds a new row deep among known ones, as long as no KNOWN_IN_A_ROW are in a row', async () => {
		const { service, subscribe, baseline, run, fill } = listStage('user.fills');
		const consumer = subscribe();
		service.rows = [fill('base', 0)];
		await baseline(consumer);
		const newer = Array.from({ length: 100 }, (_, index) => fill(`newer${index}`, -index * 500));
		const mixed = Array.from({ length: 150 }, (_, index) => [
			...[fill(`new${index}`, -59 * SECOND_MS - index), fill(`old${index}`, -61 * SECOND_MS - index)],
		]);
		service.rows = [...newer, ...mixed.flat()];
		await run(consumer);
		expect((await consumer.keys()).filter((key) => key.startsWith('fill:new')).length).toBe(250);
	});

	it('reads a list for the first time until KNOWN_IN_A_ROW rows in a row are a minute older than the newest', async () => {
		const { service, subscribe, baseline, down, offsets } = listStage('user.fills');
		Object.assign(service, { rows: down(450, 450), pageMax: 40 });
		await baseline(subscribe());
		expect(offsets()).toEqual([0, 30, 60, 90]);
	});

	it('a late first backfill reads back to the moment of the subscription, however much is newer', async () => {
		const { service, subscribe, baseline, down, now } = listStage('user.fills');
		service.rows = down(900, 900);
		const consumer = subscribe();
		await baseline(consumer, now + 100_000);
		expect((await consumer.keys()).length).toBe(800);
	});

	it('reads a list in slices of PAGES_PER_SLICE pages, and says when it is whole', async () => {
		const { service, subscribe, baseline, run, down, offsets } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		service.pageMax = 20;
		service.rows = down(450, 450);
		offsets();
		expect(await run(consumer)).toEqual({ isWhole: false, hasNews: true });
		expect(offsets()).toHaveLength(10);
		let slices = 1;
		while (!(await run(consumer)).isWhole) slices += 1;
		expect(slices).toBeGreaterThanOrEqual(2);
		expect(new Set(await consumer.keys()).size).toBe(450);
		expect(consumer.events).toHaveLength(450);
	});

	it('ends a backfill after PAGES_MAX pages, and says what lies behind them', async () => {
		const { service, subscribe, baseline, run, down, now } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		Object.assign(service, { rows: down(5_010, 5_010), pageMax: 1 });
		let [slices, isWhole] = [0, false];
		for (; !isWhole && slices < 600; slices += 1) {
			({ isWhole } = await run(consumer));
			await consumer.keys();
		}
		const gap = {
			after_created_at: new Date(0).toISOString(),
			before_created_at: new Date(now + 11_001).toISOString(),
		};
		expect([slices, consumer.events.length]).toEqual([501, 5_001]);
		expect(consumer.events.at(-1)).toMatchObject({ kind: 'gap', data: { gap, done: 'out_of_reach' } });
	});

	it('takes two seconds for a slice of a list at most', async () => {
		const { service, subscribe, baseline, run, down, offsets, time, ports } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		service.pageMax = 20;
		service.rows = down(450, 450);
		offsets();
		const { page } = ports.history;
		ports.history.page = async (...args) => {
			await time.run(time.now() + SECOND_MS);
			return page(...args);
		};
		expect(await run(consumer)).toMatchObject({ isWhole: false });
		expect(offsets()).toHaveLength(3);
	});

	it('delivers what was read before a failure, and continues where it failed', async () => {
		const { service, subscribe, baseline, run, down, offsets } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		service.pageMax = 20;
		service.rows = down(90, 90);
		service.fails = ({ offset }) => Number(offset) > 50;
		offsets();
		expect(await run(consumer)).toEqual({ isWhole: false, hasNews: true });
		const reportCount = (await consumer.keys()).length;
		expect(reportCount).toBeGreaterThanOrEqual(40);
		await expect(run(consumer)).rejects.toThrow('The service failed');
		service.fails = undefined;
		expect(await run(consumer)).toMatchObject({ isWhole: true, hasNews: true });
		expect(await consumer.keys()).toHaveLength(90);
	});

	it('reads a list for no subscriber that is full, and continues without one that left', async () => {
		const { service, subscribe, baseline, run, down, offsets } = listStage('user.fills');
		const slow = subscribe({ deliver: async () => new Promise(() => undefined) });
		const other = subscribe();
		for (const consumer of [slow, other]) await baseline(consumer);
		const slices = QUEUE_MAX / (PAGES_PER_SLICE * 100) + 1;
		const rows = (slices + 0.5) * PAGES_PER_SLICE * 100;
		service.rows = down(rows, rows);
		for (let slice = 0; slice < slices; slice += 1) {
			expect(await run(slow, other)).toMatchObject({ isWhole: false });
			await other.keys();
		}
		offsets();
		expect(await run(slow)).toEqual({ isWhole: false, hasNews: false });
		expect(offsets()).toEqual([]);
		expect(await run(other)).toMatchObject({ hasNews: false });
		expect(offsets().length).toBeGreaterThan(0);
	});

	it('a backfill serves new subscribers next time, and a rejoining one at once', async () => {
		const { service, subscribe, baseline, run, fill, backfill, offsets } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		service.rows = [fill('a', 1_000)];
		await run(consumer);
		expect(await consumer.keys()).toEqual(['fill:a']);
		const stored = consumer.stored();
		const back = subscribe({ checkpoint: { version: 1, topics: stored } });
		service.rows = [fill('b', 2_000), fill('a', 1_000)];
		await run(consumer);
		offsets();
		expect(backfill.serveNewcomer!(back.subscriber)).toBe(true);
		expect([await back.keys(), offsets()]).toEqual([['fill:b'], []]);
		const newcomer = subscribe();
		expect(backfill.serveNewcomer!(newcomer.subscriber)).toBe(false);
		expect(await newcomer.keys()).toEqual([]);
	});

	it('a backfill moves the watermark to the newest row, less the overlap until so much time has passed', async () => {
		const { service, subscribe, baseline, run, fill, now, pass } = listStage('user.fills');
		const consumer = subscribe();
		await baseline(consumer);
		await pass(5 * MINUTE_MS);
		service.rows = [fill('a', 2 * MINUTE_MS)];
		await run(consumer);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBe(now + MINUTE_MS);
		await pass(30_000);
		await run(consumer);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBe(now + 1.5 * MINUTE_MS);
		await pass(MINUTE_MS);
		await run(consumer);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBe(now + 2 * MINUTE_MS);
		service.rows = [fill('future', 60 * MINUTE_MS), ...service.rows];
		await run(consumer);
		expect(consumer.subscriber.cursor('user.fills').offered.watermark).toBe(now + 2 * MINUTE_MS);
	});
});

describe('a list in no known order', () => {
	const shuffled = (rows: Item[]) => rows.map((_, index) => rows[(index * 977) % rows.length]!);

	it('reads a list in no known order whole, then rests, and looks only at its ends in between', async () => {
		const { service, subscribe, baseline, run, down, fill, offsets, pass } = listStage('user.fills');
		service.rows = shuffled(down(997));
		const consumer = subscribe();
		await baseline(consumer);
		const readWhole = async (): Promise<void> => {
			while (!(await run(consumer)).isWhole) await pass(1);
		};
		await readWhole();
		offsets();
		expect(await run(consumer)).toMatchObject({ isWhole: true, hasNews: false });
		expect(offsets()).toHaveLength(2);
		service.rows = [...service.rows, fill('end', SECOND_MS)];
		expect(await run(consumer)).toMatchObject({ isWhole: false, hasNews: true });
		expect(await consumer.keys()).toEqual(['fill:end']);
		offsets();
		await readWhole();
		expect(offsets().length).toBeGreaterThan(5);
		service.rows = [fill('begin', 2 * SECOND_MS), ...service.rows];
		expect(await run(consumer)).toMatchObject({ isWhole: false, hasNews: true });
		await readWhole();
		service.rows = service.rows.toSpliced(500, 0, fill('middle', 3 * SECOND_MS));
		expect(await run(consumer)).toMatchObject({ isWhole: true, hasNews: false });
		await pass(MINUTE_MS);
		await readWhole();
		expect(await consumer.keys()).toEqual(['fill:end', 'fill:begin', 'fill:middle']);
	});

	it('says once that a list has no known order', async () => {
		const { service, subscribe, baseline, run, down, notices, pass } = listStage('user.fills');
		service.rows = shuffled(down(997));
		const consumer = subscribe();
		await baseline(consumer);
		for (let time = 0; time < 3; time += 1) {
			await run(consumer);
			await pass(10 * MINUTE_MS);
		}
		expect(notices).toEqual(['degraded: The sort order of the list is unknown; each backfill reads all of it']);
	});
});
