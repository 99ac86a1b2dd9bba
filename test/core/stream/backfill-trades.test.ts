import type { Item } from '@partner-exchange/core';
import { mayRestart } from '../../../packages/core/src/stream/delivery/cursor';
import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { trades } from '../../../packages/core/src/stream/topics/trades';
import { baselinedTrades, trade, tradeKeys, tradesStage, tradesUpTo } from './backfill-stage';

const TOPIC = 'trades.USD_NGN';
const BEGINS = Date.UTC(2026, 0, 5, 9);

describe('public trades that come another way than most', () => {
	const timed = (sequence: number, ms: number, id = `t${sequence}`): Item => ({
		...trade(sequence),
		id,
		created_at: new Date(BEGINS + ms).toISOString(),
	});

	it('delivers public trades of a service that began again while nobody was subscribed', async () => {
		const { service, subscribe, run, time } = tradesStage();
		service.rows = tradesUpTo(7);
		const consumer = subscribe();
		consumer.subscriber.cover(TOPIC, -1, 100);
		mayRestart(consumer.subscriber.cursor(TOPIC));
		await run(consumer);
		await time.run(time.now() + 12_000);
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(7));
	});

	it('says once that public trades are live only if their numbers cannot be read', async () => {
		const { service, subscribe, run, notices } = tradesStage();
		service.rows = [1, 2, 3].map((number) => ({ ...timed(number, 1_000), sequence: `${number}.5` }));
		const consumer = subscribe();
		await run(consumer);
		await run(consumer);
		expect(notices).toEqual([`degraded: ${noticeTexts.liveOnly}`]);
	});

	it('delivers public trades once if the service may have begun again during the check', async () => {
		const { service, subscribe, run, doubt, requests, ports } = tradesStage();
		const rows = [timed(1, 1_000), timed(2, 2_000), timed(3, 3_000)];
		// The process died before the key of its last delivered event was stored; the number was.
		const stored = { keys: '', coverage: [1], run: [1, 'trade:t1', BEGINS + 1_000], doubtful: true };
		const consumer = subscribe({ checkpoint: { version: 1, topics: { [TOPIC]: stored } } });
		service.rows = rows;
		const { page } = ports.history;
		let meanwhile: (() => void) | undefined = () => {
			doubt(consumer);
		};
		ports.history.page = async (...args) => {
			const matches = await page(...args);
			meanwhile?.();
			meanwhile = undefined;
			return matches;
		};
		await run(consumer);
		expect(await consumer.keys()).toEqual(['trade:t2', 'trade:t3']);
		expect(requests()).toEqual([0, 3]);
	});

	it('delivers public trades to each subscriber if the service began again and not all were read for', async () => {
		const { service, subscribe, run } = tradesStage();
		const stored = { keys: '', coverage: [2], run: [2, 'trade:old', BEGINS], doubtful: true };
		const checkpoint = { version: 1 as const, topics: { [TOPIC]: stored } };
		const [first, second] = [subscribe({ checkpoint }), subscribe({ checkpoint })];
		service.rows = [timed(1, 60_000), timed(2, 61_000), timed(3, 62_000)];
		await run(first);
		await run(first, second);
		for (const consumer of [first, second]) expect(await consumer.keys()).toEqual(['trade:t1', 'trade:t2', 'trade:t3']);
	});

	it('names no gap if a page of all public trades is in slight disorder, or has rows of other kinds', async () => {
		const { consumer, service, run } = await baselinedTrades(5);
		service.rows = [trade(9), trade(8), { note: 'none' }, ...tradesUpTo(30, 10)];
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(30, 8));
	});

	it('names no gap if only the newest public trades are shown, and they begin at the position', async () => {
		const { consumer, service, run } = await baselinedTrades(100);
		Object.assign(service, { rows: tradesUpTo(200), isBackwards: true });
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(200, 101));
	});

	it.each([100, 99, 98])(
		'delivers public trades to everybody, although one subscriber has %s of the first hundred already',
		async (stored) => {
			const { service, subscribe, run, tracker, time } = tradesStage();
			const [consumer, other] = [subscribe(), subscribe()];
			consumer.subscriber.cover(TOPIC, -1, stored);
			service.rows = tradesUpTo(150);
			tracker.reached(150);
			await time.run(time.now() + 60_000);
			await run(consumer, other);
			expect([await consumer.keys(), await other.keys()]).toEqual([tradeKeys(150, stored + 1), tradeKeys(150)]);
		},
	);

	it('delivers public trades to one subscriber, although another has a stretch behind the first page', async () => {
		const { service, subscribe, run } = tradesStage();
		const [consumer, other] = [subscribe(), subscribe()];
		consumer.subscriber.cover(TOPIC, 100, 130);
		service.rows = tradesUpTo(150);
		await run(consumer, other);
		expect(await other.keys()).toEqual(tradeKeys(150));
	});

	it('assumes no restart because delivered public trades are no longer shown', async () => {
		const { consumer, service, run, doubt, notices } = await baselinedTrades();
		service.rows = [timed(1, 0), timed(2, 0)];
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(2));
		service.rows = [timed(3, 5_000)];
		doubt(consumer);
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(3));
		expect(notices.filter((text) => text.startsWith('degraded'))).toEqual([]);
	});

	it('delivers public trades to one subscriber while another is full', async () => {
		const { service, subscribe, run } = tradesStage();
		const slow = subscribe({ deliver: async () => new Promise(() => undefined) });
		const other = subscribe();
		service.rows = tradesUpTo(2_500);
		for (let slices = 0; slices < 3; slices += 1) {
			await run(slow, other);
			await other.keys();
		}
		expect(await other.keys()).toEqual(tradeKeys(2_500));
	});

	it.each([
		['a second', 1_000, []],
		['more than a second', 1_001, ['trade:again-1', 'trade:again-2']],
	])('public trades of one number are different, if they are %s apart', async (_, apart, reports) => {
		const { consumer, service, run, doubt } = await baselinedTrades();
		service.rows = [timed(1, 0), timed(2, 0)];
		await run(consumer);
		expect(await consumer.keys()).toEqual(['trade:t1', 'trade:t2']);
		consumer.events.length = 0;
		service.rows = [timed(1, apart, 'again-1'), timed(2, apart, 'again-2')];
		doubt(consumer);
		await run(consumer);
		expect(await consumer.keys()).toEqual(reports);
	});

	it('public trades of one number are different, although the list caught up only during the check', async () => {
		const { consumer, service, run, doubt } = await baselinedTrades();
		service.rows = [timed(1, 0), timed(2, 0)];
		await run(consumer);
		await consumer.keys();
		consumer.events.length = 0;
		service.rows = [];
		service.fails = ({ after_sequence: after }) => {
			if (after === undefined) service.rows = [timed(1, 5_000, 'again-1'), timed(2, 5_000, 'again-2')];
			return false;
		};
		doubt(consumer);
		await run(consumer);
		await run(consumer);
		expect(await consumer.keys()).toEqual(['trade:again-1', 'trade:again-2']);
	});

	it('delivers public trades of a service that began again after its first backfill', async () => {
		const { consumer, service, run, time } = await baselinedTrades(50);
		service.rows = [timed(1, 0, 'again-1'), timed(2, 0, 'again-2')];
		await run(consumer);
		await time.run(time.now() + 12_000);
		await run(consumer);
		expect(await consumer.keys()).toEqual(['trade:again-1', 'trade:again-2']);
	});

	it('public trades of one number are different, although the list has passed the position of before', async () => {
		const { consumer, service, run, doubt, time } = await baselinedTrades();
		const live = (sequence: number) => {
			const arrival = { topic: TOPIC, delivery: 'live', ts: null } as const;
			consumer.subscriber.offer([trades.identify(timed(sequence, sequence))!], arrival);
		};
		for (const sequence of [1, 2, 3]) live(sequence);
		// The list lags behind 3, and is not read again before the stream delivers more.
		service.rows = [timed(1, 1)];
		await run(consumer);
		for (const sequence of [4, 5, 6]) live(sequence);
		await consumer.keys();
		consumer.events.length = 0;
		service.rows = [];
		doubt(consumer);
		await run(consumer);
		await time.run(time.now() + 20_000);
		const again = (until: number) => tradesUpTo(until).map((_, at) => timed(at + 1, 60_000 + at, `again-${at + 1}`));
		// After 3, and still before 6.
		service.rows = again(4);
		await run(consumer);
		service.rows = again(7);
		await run(consumer);
		expect(await consumer.keys()).toEqual(again(7).map(({ id }) => `trade:${String(id)}`));
	});

	it('a restart of public trades is proved no later although their numbers become suspect again meanwhile', async () => {
		const { consumer, service, run, doubt, time } = await baselinedTrades(100);
		const again = tradesUpTo(7).map((row) => ({ ...row, id: `again-${String(row.id)}` }));
		service.rows = again;
		for (let doubts = 0; doubts < 3; doubts += 1) {
			doubt(consumer);
			await run(consumer);
			await time.run(time.now() + 6_000);
		}
		await run(consumer);
		expect(await consumer.keys()).toEqual(again.map(({ id }) => `trade:${id}`));
	});

	it('checks a restart of public trades once for all subscribers with the same position', async () => {
		const { service, subscribe, baseline, run, doubt, requests } = tradesStage();
		const ones = [subscribe(), subscribe(), subscribe()];
		for (const consumer of ones) await baseline(consumer);
		service.rows = [timed(1, 0)];
		await run(...ones);
		for (const consumer of ones) await consumer.keys();
		doubt(...ones);
		requests();
		await run(...ones);
		expect(requests()).toEqual([0]);
	});

	it('names a gap if the first backfill is late and the service shows only its newest public trades', async () => {
		const { service, subscribe, backfill } = tradesStage();
		const rows = Array.from({ length: 200 }, (_, index) => timed(index + 1, (index + 1) * 1_000));
		Object.assign(service, { rows, isBackwards: true });
		const consumer = subscribe();
		await backfill.baseline!(consumer.subscriber, () => BEGINS + 50_500);
		await consumer.keys();
		expect(consumer.events).toMatchObject([
			{
				kind: 'gap',
				data: {
					gap: {
						after_created_at: new Date(BEGINS + 50_500).toISOString(),
						before_created_at: new Date(BEGINS + 101_000).toISOString(),
					},
					done: 'out_of_reach',
					may_be_missing: expect.stringMatching(/ and before /) as string,
				},
			},
		]);
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(100);
	});
});
