import { sizeOf } from '../../../packages/core/src/stream/delivery/queue';
import { PAGES_PER_SLICE, QUEUE_MAX, READ_LAG_MS_MAX } from '../../../packages/core/src/stream/limits';
import { trades } from '../../../packages/core/src/stream/topics/trades';
import { baselinedTrades, trade, tradeKeys, tradesStage, tradesUpTo } from './backfill-stage';

const TOPIC = 'trades.USD_NGN';

describe('public trades that are read back', () => {
	it('a first backfill of public trades makes all old up to the newest, which is searched in growing steps', async () => {
		const { consumer, requests, run, tracker, observed } = await baselinedTrades(1_234);
		expect(requests()).toEqual([undefined, 100, 400, 1_100, 2_600, 1_475, 1_200, 1_434, 1_258, 1_234]);
		expect(tracker.highest()).toBe(1_234);
		expect(observed.at(-1)).toBe('trade:t1234');
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(1_234);
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: false });
		expect(await consumer.keys()).toEqual([]);
	});

	it('a first backfill of public trades finds nothing in an empty list', async () => {
		const { subscribe, baseline, requests, run } = tradesStage();
		const consumer = subscribe();
		await baseline(consumer);
		expect(requests()).toEqual([undefined]);
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(0);
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: false });
	});

	it('delivers public trades from the position on, in their order, page after page', async () => {
		const { consumer, service, run, requests, tracker } = await baselinedTrades(5);
		service.rows = tradesUpTo(230);
		tracker.reached(230);
		requests();
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: true });
		// From the last known number on, whose row shows that the numbering is still the same.
		expect(requests()).toEqual([4, 104, 204]);
		expect(await consumer.keys()).toEqual(tradeKeys(230, 6));
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: false });
	});

	it('reads public trades behind a short page, up to where the stream is', async () => {
		const { consumer, service, run, tracker } = await baselinedTrades(100);
		Object.assign(service, { rows: tradesUpTo(230), pageMax: 50 });
		tracker.reached(230);
		expect(await run(consumer)).toEqual({ isWhole: true, isForAll: true, hasNews: true });
		expect(await consumer.keys()).toEqual(tradeKeys(230, 101));
	});

	it('begins public trades at the checkpoint of an earlier version, which has one number only', async () => {
		const { service, subscribe, run, requests } = tradesStage();
		const consumer = subscribe({ checkpoint: { version: 1, topics: { [TOPIC]: { watermark: 50, keys: [] } } } });
		service.rows = tradesUpTo(60);
		await run(consumer);
		expect([requests()[0], await consumer.keys()]).toEqual([49, tradeKeys(60, 51)]);
	});

	it('public trades without a number are old at a first start too', async () => {
		const { service, subscribe, baseline, run } = tradesStage();
		const unnumbered = { id: 'old', price: '1', quantity: '1' };
		Object.assign(service, { rows: [unnumbered, ...tradesUpTo(20)], isBackwards: true });
		const consumer = subscribe();
		await baseline(consumer);
		service.rows.push(trade(21));
		await run(consumer);
		expect(await consumer.keys()).toEqual(['trade:t21']);
	});

	it('reads public trades slice by slice, and for no subscriber that is full', async () => {
		const { service, subscribe, baseline, run, requests } = tradesStage();
		const consumer = subscribe({ deliver: async () => new Promise(() => undefined) });
		await baseline(consumer);
		service.rows = tradesUpTo(2 * QUEUE_MAX);
		service.pageMax = QUEUE_MAX / 2 / PAGES_PER_SLICE;
		expect(await run(consumer)).toEqual({ isWhole: false, hasNews: true });
		expect(sizeOf(consumer.subscriber.queue)).toBe(QUEUE_MAX / 2);
		requests();
		expect(await run(consumer)).toEqual({ isWhole: false, hasNews: true });
		expect(requests()[0]).toBe(QUEUE_MAX / 2);
		expect(sizeOf(consumer.subscriber.queue)).toBe(QUEUE_MAX);
		expect(await run(consumer)).toEqual({ isWhole: false, hasNews: false });
		expect(requests()).toEqual([]);
	});

	it('reads public trades from the oldest position of all subscribers, and serves new ones next time', async () => {
		const { service, subscribe, baseline, run, tracker } = tradesStage();
		service.rows = tradesUpTo(10);
		const first = subscribe();
		await baseline(first);
		service.rows = tradesUpTo(20);
		tracker.reached(20);
		const second = subscribe();
		await baseline(second);
		service.rows = tradesUpTo(1_500);
		expect(await run(first, second)).toMatchObject({ isWhole: false });
		const third = subscribe();
		expect(await run(first, second, third)).toEqual({ isWhole: true, isForAll: false, hasNews: true });
		expect([await first.keys(), await second.keys()]).toEqual([tradeKeys(1_500, 11), tradeKeys(1_500, 21)]);
		expect(third.events).toEqual([]);
		await run(third);
		await run(third);
		expect(await third.keys()).toEqual(tradeKeys(1_500));
	});

	it('continues public trades without a subscriber that left, and ends when nobody is left', async () => {
		const { service, subscribe, baseline, run } = tradesStage();
		const [first, second] = [subscribe(), subscribe()];
		for (const consumer of [first, second]) await baseline(consumer);
		service.rows = tradesUpTo(1_500);
		await run(first, second);
		expect(await run(second)).toEqual({ isWhole: true, isForAll: true, hasNews: true });
		expect([(await first.keys()).length, (await second.keys()).length]).toEqual([1_000, 1_500]);
		service.rows = tradesUpTo(4_000);
		await run(first);
		expect(await run(second)).toEqual({ isWhole: false, hasNews: true });
	});

	it('skips public trades that the stream delivered, and requests them again until they are old enough', async () => {
		const { consumer, service, run, tracker, time, requests } = await baselinedTrades();
		service.rows = tradesUpTo(10);
		tracker.reached(10);
		await run(consumer);
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(10);
		await time.run(time.now() + 1_000);
		service.rows = [...tradesUpTo(10), trade(14)];
		tracker.reached(14);
		await run(consumer);
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(10);
		await time.run(time.now() + 30_000);
		requests();
		await run(consumer);
		expect(requests()).toEqual([10]);
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(14);
	});
});

describe('a service that may have begun anew', () => {
	async function restarted() {
		const stage = tradesStage();
		// Identifiers are not given out again.
		stage.service.rows = tradesUpTo(100).map((row) => ({ ...row, id: `before-${String(row.id)}` }));
		const consumer = stage.subscribe();
		await stage.baseline(consumer);
		await stage.run(consumer);
		stage.service.rows = tradesUpTo(7);
		stage.doubt(consumer);
		return { ...stage, consumer };
	}

	it('assumes a restart of public trades once numbers stay below the known ones for as long as lists lag', async () => {
		const { run, consumer, time, notices, tracker } = await restarted();
		await run(consumer);
		await time.run(time.now() + 11_999);
		await run(consumer);
		expect([await consumer.keys(), notices]).toEqual([[], []]);
		await time.run(time.now() + 1);
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(7));
		expect(notices[0]).toMatch(/^degraded: The sequence numbers of the topic started again/);
		expect(tracker.highest()).toBe(0);
		await run(consumer);
		expect(notices.filter((text) => text.startsWith('degraded'))).toHaveLength(1);
	});

	it('assumes no restart of public trades if the list is at the same number, or is empty', async () => {
		const { run, consumer, time, service, notices, requests } = await restarted();
		service.rows = [];
		await run(consumer);
		await time.run(time.now() + 60_000);
		service.rows = tradesUpTo(7);
		await run(consumer);
		service.rows = tradesUpTo(100);
		await time.run(time.now() + 60_000);
		await run(consumer);
		expect([await consumer.keys(), notices]).toEqual([[], []]);
		requests();
		await run(consumer);
		expect(requests()).toEqual([100]);
	});

	it('checks a restart of public trades by the present position, not by one at an earlier sign', async () => {
		const { consumer, service, run, doubt, time } = await baselinedTrades();
		doubt(consumer);
		await run(consumer);
		const rows = tradesUpTo(5);
		consumer.subscriber.offer([trades.identify(rows[0]!)!, trades.identify(rows[4]!)!], {
			topic: TOPIC,
			delivery: 'live',
			ts: null,
		});
		service.rows = tradesUpTo(2).map((row) => ({ ...row, id: `other-${String(row.sequence)}` }));
		doubt(consumer);
		consumer.events.length = 0;
		await run(consumer);
		await time.run(time.now() + 12_000);
		await run(consumer);
		expect(await consumer.keys()).toEqual(['trade:t1', 'trade:t5', 'trade:other-2', 'trade:other-1']);
	});

	it('checks no restart of public trades for a subscriber that left', async () => {
		const { run, consumer, time, subscribe, service, requests } = await restarted();
		await run(consumer);
		const other = subscribe();
		other.subscriber.cover(TOPIC, -1, 7);
		await run(other);
		service.rows = tradesUpTo(8);
		await time.run(time.now() + 60_000);
		requests();
		await run(other);
		expect([requests().includes(7), await other.keys()]).toEqual([true, tradeKeys(8, 8)]);
	});
});

describe('public trades that cannot be read back', () => {
	it('names a gap if the service shows only its newest public trades', async () => {
		const { consumer, service, run, notices } = await baselinedTrades(5);
		Object.assign(service, { rows: tradesUpTo(300), isBackwards: true });
		await run(consumer);
		const { counters, cursor } = consumer.subscriber;
		expect([counters.gaps, cursor(TOPIC).tally.gaps, notices]).toEqual([
			1,
			1,
			expect.arrayContaining([expect.stringMatching(/^gap: /)]),
		]);
		const keys = await consumer.keys();
		expect(keys[0]).toBe(`gap:${TOPIC}:5:201`);
		expect(keys.slice(1)).toEqual(tradeKeys(300, 201));
		expect(consumer.events[0]).toMatchObject({
			kind: 'gap',
			data: { gap: { after_sequence: 5, before_sequence: 201 }, done: 'out_of_reach', pair: 'USD_NGN' },
		});
		await run(consumer);
		expect((await consumer.keys()).length).toBe(101);
	});

	it('names a gap if the list forgot older public trades, once it can no longer be a lag', async () => {
		const { consumer, service, run, tracker, time } = await baselinedTrades(5);
		service.rows = tradesUpTo(300, 201);
		await time.run(time.now() + READ_LAG_MS_MAX);
		tracker.reached(300);
		await run(consumer);
		expect(await consumer.keys()).toEqual(tradeKeys(300, 201));
		await time.run(time.now() + 4 * READ_LAG_MS_MAX);
		for (let runs = 0; runs < 2; runs += 1) await run(consumer);
		expect((await consumer.keys()).slice(100)).toEqual([`gap:${TOPIC}:5:201`]);
	});

	it('names no gap before public trades whose numbers jump', async () => {
		const { consumer, service, run, tracker, time } = await baselinedTrades(5);
		service.rows = tradesUpTo(300, 201).filter((_, index) => index % 50 !== 1);
		await time.run(time.now() + READ_LAG_MS_MAX);
		tracker.reached(300);
		await time.run(time.now() + 4 * READ_LAG_MS_MAX);
		await run(consumer);
		expect((await consumer.keys())[0]).toBe('trade:t201');
	});

	it('names no gap if a page of the newest public trades holds all, or is short', async () => {
		const { consumer, service, run } = await baselinedTrades(5);
		Object.assign(service, { rows: tradesUpTo(50), isBackwards: true });
		await run(consumer);
		Object.assign(service, { rows: tradesUpTo(63, 55) });
		await run(consumer);
		expect(await consumer.keys()).toEqual([...tradeKeys(50, 6), ...tradeKeys(63, 55)]);
	});

	it('names a gap beyond TRADES_CAUGHT_UP_MAX public trades, if the stream is further on', async () => {
		const { consumer, service, run, tracker, state } = await baselinedTrades();
		service.pageMax = 400;
		service.rows = tradesUpTo(12_500);
		state.sequence.position = { epoch: 'e1', seq: 1 };
		tracker.reached(20_000);
		let last = await run(consumer);
		for (let slices = 0; slices < 9 && !last.isWhole; slices += 1) {
			await consumer.keys();
			last = await run(consumer);
		}
		const keys = await consumer.keys();
		expect(keys.slice(-2)).toEqual(['trade:t10000', `gap:${TOPIC}:e1:10000:`]);
		expect(consumer.events.at(-1)).toMatchObject({
			data: {
				...{ gap: { after_sequence: 10_000, before_sequence: null }, done: 'open_end' },
				may_be_missing: expect.stringMatching(/ after 10000$/),
			},
		});
		expect(consumer.subscriber.cursor(TOPIC).offered.ranges?.[0]).toBe(20_000);
	});
});
