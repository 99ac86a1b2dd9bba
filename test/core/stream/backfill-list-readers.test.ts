import { FULL_PAGE_MIN } from '../../../packages/core/src/stream/limits';
import { listStage } from './backfill-stage';

const SECOND_MS = 1_000;
const TOPIC = 'user.fills';

describe('a list that is read for several', () => {
	it('reads a shared list back to what the last of its subscribers has', async () => {
		const { service, subscribe, baseline, run, down, pass } = listStage(TOPIC);
		const [consumer, other] = [subscribe(), subscribe()];
		for (const each of [consumer, other]) await baseline(each);
		await pass(600 * SECOND_MS);
		service.rows = down(300, 300);
		await run(consumer);
		await run(consumer, other);
		expect((await other.keys()).length).toBe(300);
		expect((await consumer.keys()).length).toBe(300);
	});

	it('continues a shared list while one subscriber is full', async () => {
		const { service, subscribe, baseline, run, down } = listStage(TOPIC);
		const slow = subscribe({ deliver: async () => new Promise(() => undefined) });
		const other = subscribe();
		for (const consumer of [slow, other]) await baseline(consumer);
		service.rows = down(3_500, 3_500);
		let slices = 0;
		while (slices < 9 && !(await run(slow, other)).isWhole) slices += 1;
		expect(slices).toBeLessThan(9);
		expect((await other.keys()).length).toBe(3_500);
	});

	it('a shared list serves subscribers that joined meanwhile if they can be told apart, and otherwise does not', async () => {
		const { service, subscribe, baseline, run, down, pass } = listStage(TOPIC);
		const consumer = subscribe();
		await baseline(consumer);
		await pass(600 * SECOND_MS);
		service.rows = down(200, 200);
		await run(consumer);
		service.pageMax = 3;
		const begin = async (upTo: number) => {
			await consumer.keys();
			const checkpoint = { version: 1 as const, topics: consumer.stored() };
			service.rows = [...down(40, upTo), ...service.rows];
			expect(await run(consumer)).toMatchObject({ isWhole: false });
			return subscribe({ checkpoint });
		};
		const end = async (...ones: (typeof consumer)[]) => {
			let slices = 0;
			let read = await run(...ones);
			while (!read.isWhole && (slices += 1) < 9) read = await run(...ones);
			return read;
		};
		const back = await begin(240);
		expect(await end(consumer, back)).toMatchObject({ isWhole: true, isForAll: true });
		expect((await back.keys()).length).toBe(40);
		const again = await begin(280);
		expect(await end(consumer, again, subscribe())).toMatchObject({ isWhole: true, isForAll: false });
	});

	it.each(['newest', 'oldest'])(
		'a shared list serves a rejoining subscriber, if it shows the %s first',
		async (first) => {
			const { service, subscribe, baseline, run, down, fill, backfill, time } = listStage(TOPIC);
			await time.run(time.now() + 400 * SECOND_MS);
			const rows = down(400, 400);
			service.rows = first === 'newest' ? rows : rows.toReversed();
			const consumer = subscribe();
			await baseline(consumer);
			const news = fill('new', 401 * SECOND_MS);
			service.rows = first === 'newest' ? [news, ...rows] : [...rows.toReversed(), news];
			await run(consumer);
			expect(await consumer.keys()).toEqual(['fill:new']);
			const back = subscribe({ checkpoint: { version: 1, topics: consumer.stored()! } });
			expect(backfill.serveNewcomer!(back.subscriber)).toBe(true);
		},
	);

	it('keeps the first backfill of a shared list valid for subscribers that join later', async () => {
		const { service, subscribe, baseline, run, pass, down, offsets } = listStage(TOPIC);
		service.rows = down(60);
		const consumer = subscribe();
		await baseline(consumer);
		await pass(50 * SECOND_MS);
		await run(consumer);
		await pass(50 * SECOND_MS);
		offsets();
		await baseline(subscribe());
		expect(offsets()).toEqual([]);
		await pass(11 * SECOND_MS);
		await baseline(subscribe());
		expect(offsets()).not.toEqual([]);
	});
});

describe('a list that is longer than one reading', () => {
	it('names a gap for what a list of only the newest rows has dropped, and none where it still shows a known row', async () => {
		const { service, subscribe, baseline, run, pass, now, down, fill } = listStage(TOPIC);
		service.rows = [fill('known', 0)];
		const consumer = subscribe();
		await baseline(consumer);
		const gaps = async () => (await consumer.keys(), consumer.events.filter(({ kind }) => kind === 'gap'));
		await pass(50 * SECOND_MS);
		service.rows = [...down(FULL_PAGE_MIN, 100), fill('known', 0)];
		await run(consumer);
		expect(await gaps()).toEqual([]);
		await pass(50 * SECOND_MS);
		service.rows = down(FULL_PAGE_MIN, 300);
		await run(consumer);
		const [gap] = await gaps();
		const oldest = now + (300 - FULL_PAGE_MIN + 1) * SECOND_MS;
		expect(gap!.data).toMatchObject({ gap: { before_created_at: new Date(oldest + 1).toISOString() } });
		await run(consumer);
		expect(await gaps()).toHaveLength(1);
	});

	it('tells no gap before a short list of new rows', async () => {
		const { service, subscribe, baseline, run, pass, down, fill } = listStage(TOPIC);
		service.rows = [fill('known', 0)];
		const consumer = subscribe();
		await baseline(consumer);
		await pass(50 * SECOND_MS);
		service.rows = down(FULL_PAGE_MIN - 1, 300);
		await run(consumer);
		await consumer.keys();
		expect(consumer.events.filter(({ kind }) => kind === 'gap')).toEqual([]);
	});

	it('names a gap for what is behind the last page of a long list, and keeps no baseline valid', async () => {
		const { service, subscribe, baseline, run, pass, now, down, fill, offsets, ports } = listStage(TOPIC);
		service.rows = [fill('known', 0)];
		const consumer = subscribe();
		await baseline(consumer);
		const stored = consumer.subscriber.cursor(TOPIC).offered.watermark!;
		await pass(50 * SECOND_MS);
		const rows = down(10_010, 20_000);
		const { page } = ports.history;
		let pages = 0;
		ports.history.page = async (_list, { offset }) => {
			pages += 1;
			return await Promise.resolve(rows.slice(Number(offset), Number(offset) + 2));
		};
		for (let slices = 0; slices < 600; slices += 1) {
			const { isWhole } = await run(consumer);
			if (isWhole) break;
			await consumer.keys();
		}
		expect(pages).toBe(5_000);
		const gap = (await consumer.keys(), consumer.events.filter(({ kind }) => kind === 'gap'));
		expect(gap).toHaveLength(1);
		const oldest = now + (20_000 - 2 * 5_000 + 1) * SECOND_MS;
		expect(gap[0]!.data).toMatchObject({
			gap: { after_created_at: new Date(stored).toISOString(), before_created_at: new Date(oldest + 1).toISOString() },
			done: 'out_of_reach',
		});
		offsets();
		await pass(50 * SECOND_MS);
		ports.history.page = page;
		await baseline(subscribe());
		expect(offsets()).not.toEqual([]);
	});
});

describe('how long a list rests', () => {
	const shuffled = <Row>(rows: Row[]) => rows.map((_, index) => rows[(index * 977) % rows.length]!);

	it('a list in no known order rests half a second for every page', async () => {
		const { service, subscribe, baseline, run, down, offsets, pass } = listStage(TOPIC);
		service.rows = shuffled(down(997));
		const consumer = subscribe();
		await baseline(consumer);
		offsets();
		while (!(await run(consumer)).isWhole);
		const pages = offsets().length;
		await pass(pages * 500 - 1);
		await run(consumer);
		expect(offsets()).toEqual([0, expect.any(Number)]);
		await pass(1);
		await run(consumer);
		expect(offsets()).toHaveLength(10);
	});

	it('a list in a known order does not rest', async () => {
		const { service, subscribe, baseline, run, down, offsets, pass } = listStage(TOPIC);
		const consumer = subscribe();
		await baseline(consumer);
		await pass(600 * SECOND_MS);
		service.rows = down(400, 400);
		await run(consumer);
		expect(offsets().length).toBeGreaterThan(3);
		await consumer.keys();
		await run(consumer);
		expect(offsets()).toEqual([0, 90]);
	});

	it('says once that a list has no order if that turns out only later', async () => {
		const { service, subscribe, baseline, run, down, notices, pass } = listStage(TOPIC);
		service.rows = down(60);
		const consumer = subscribe();
		await baseline(consumer);
		await run(consumer);
		const said = () => notices.filter((text) => text.startsWith('degraded')).length;
		expect(said()).toBe(0);
		const rows = down(997, 2_000);
		service.rows = [...rows.slice(0, 90), rows[900]!, ...rows.slice(90, 900), ...rows.slice(901)];
		for (let time = 0; time < 3; time += 1) {
			while (!(await run(consumer)).isWhole) await consumer.keys();
			await pass(600 * SECOND_MS);
		}
		expect(said()).toBe(1);
	});
});
