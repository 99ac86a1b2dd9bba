import type { Item } from '@partner-exchange/core';
import { KEYS_MAX, QUEUE_MAX, READ_LAG_MS_MAX, RECONNECT_SOON_MS_MAX } from '../../../packages/core/src/stream/limits';
import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { backfillStage } from './backfill-stage';
import { data, fill, openStage } from './stage';

const SECOND_MS = 1_000;
const TOPIC = 'user.fills';
const ANSWER_MS = 20;

/** An account whose list shows its fills newest first, after a time. */
function openAccount({ lagMs = 0, pageLength = 100, opens = true } = {}) {
	const stage = openStage({ opens });
	const rows: { at: number; item: Item }[] = [];
	stage.client.page = async (id, { offset = 0 }) => {
		stage.reads.push(id);
		await new Promise<void>((done) => void stage.time.after(ANSWER_MS, done));
		const listed = rows.findLastIndex(({ at }) => at <= stage.time.now() - lagMs) + 1;
		const end = Math.max(0, listed - Number(offset));
		const page = rows.slice(Math.max(0, end - pageLength), end);
		return page.reverse().map(({ item }) => item);
	};
	const make = (): Item => {
		const at = stage.time.now();
		const item = { ...fill(`f${rows.length}`), created_at: new Date(at).toISOString() };
		rows.push({ at, item });
		return item;
	};
	const seen = stage.consume({ topics: [TOPIC], batchMax: 1_000, onCheckpoint: () => undefined });
	const isToldOnce = () => seen.events.length === rows.length && new Set(seen.keys()).size === rows.length;
	return { ...stage, seen, rows, make, isToldOnce };
}

describe('a list that lags as far behind a busy stream as lists are expected to', () => {
	it('delivers each of 2,500 fills a second once where the list lags, with those that the stream lost', async () => {
		const { seen, make, rows, sockets, pass, isToldOnce } = openAccount({ lagMs: READ_LAG_MS_MAX, pageLength: 1_000 });
		await pass(SECOND_MS);
		for (let seconds = 0; seconds < 40; seconds += 1) {
			for (let made = 0; made < 2_500; made += 1) {
				const item = make();
				if (rows.length % 997 > 0) sockets.at(-1)!.say(data(TOPIC, rows.length, item));
			}
			await pass(SECOND_MS);
		}
		await pass(300 * SECOND_MS);
		expect([seen.events.length, isToldOnce()]).toEqual([100_000, true]);
	});
});

describe('catching up after an outage', () => {
	/** Seconds from the moment the service is back until everything it missed was delivered once. */
	async function secondsToCatchUp(missed: number): Promise<number> {
		const account = openAccount({ opens: false });
		const { sockets, pass, make } = account;
		sockets.at(-1)!.open();
		await pass(SECOND_MS);
		sockets.at(-1)!.say(data(TOPIC, 1, make()));
		await pass(60 * SECOND_MS);
		sockets.at(-1)!.close();
		for (let minutes = 0; minutes < 10; minutes += 1) {
			for (let made = 0; made < missed / 10; made += 1) make();
			await pass(60 * SECOND_MS);
		}
		const began = account.time.now();
		while (account.seen.events.length < account.rows.length) {
			const socket = sockets.at(-1)!;
			if (!socket.isOpen) socket.open();
			await pass(SECOND_MS);
		}
		const seconds = (account.time.now() - began) / SECOND_MS;
		await pass(120 * SECOND_MS);
		expect(account.isToldOnce()).toBe(true);
		return seconds;
	}

	it('takes longer to catch up after an outage in proportion to what was missed', async () => {
		const [few, many] = [await secondsToCatchUp(5_000), await secondsToCatchUp(50_000)];
		expect(many).toBeLessThanOrEqual(10 * few + RECONNECT_SOON_MS_MAX / SECOND_MS);
	});
});

describe('more events between two readings than are remembered', () => {
	it('reports once that more events came between two backfills than are remembered, and delivers none twice after a complete one', () => {
		const stage = backfillStage(TOPIC);
		// Filtered out, so that no queue holds them.
		const { subscriber, said } = stage.subscribe({ filters: { sides: ['sell'] } });
		const event = (index: number) =>
			fills.identify({
				id: `f${index}`,
				order_id: 'o',
				quantity: '1',
				side: 'buy',
				created_at: 1_780_000_000_000 - index,
			});
		const read = (from: number, count: number): number => {
			const before = subscriber.counters.filtered;
			const events = Array.from({ length: count }, (_, index) => event(from + index));
			subscriber.offer(events, { topic: TOPIC, delivery: 'reconciled', ts: null });
			return subscriber.counters.filtered - before;
		};
		const all = KEYS_MAX * 1.05;
		for (let from = 0; from < all; from += QUEUE_MAX) expect(read(from, QUEUE_MAX)).toBe(QUEUE_MAX);
		const report = () => said.filter(({ text }) => text === noticeTexts.forgotten).length;
		expect(report()).toBe(1);
		subscriber.completeUpTo(TOPIC, undefined);
		for (let from = 0; from < all; from += QUEUE_MAX) expect(read(from, QUEUE_MAX)).toBe(0);
		expect(report()).toBe(1);
	});
});
