import type { Item } from '@partner-exchange/core';
import { QUEUE_HARD_MAX } from '../../../packages/core/src/stream/limits';
import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { data, fill, openStage } from './stage';

const MISSED = QUEUE_HARD_MAX + 3_000;
const MINUTE_MS = 60_000;
const FILLS = { topics: ['user.fills'], batchMax: 100 };

describe('a slow host beside a fast one', () => {
	it('the fast one gets each event at once, while only so many wait for one that never returns', async () => {
		const { sockets, consume, settled } = openStage();
		const stuck = consume({ ...FILLS, deliver: () => new Promise(() => undefined) });
		const fast = consume({ ...FILLS, batchMax: 500 });
		await Promise.all([stuck.subscription.ready, fast.subscription.ready]);
		for (let seq = 1; seq <= 3 * QUEUE_HARD_MAX; seq += 1) {
			sockets[0]!.say(data('user.fills', seq, fill(String(seq))));
			if (seq % 500 !== 0) continue;
			await settled();
			expect(stuck.subscription.counters().waiting).toBeLessThanOrEqual(QUEUE_HARD_MAX);
		}
		expect(fast.keys()).toHaveLength(3 * QUEUE_HARD_MAX);
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
