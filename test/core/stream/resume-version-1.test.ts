import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { fill, openStage, order, trade } from './stage';

/** Checkpoints that the first version wrote, while it delivered what the tests below describe. */
const stored = (name: string): StoredCheckpoint =>
	JSON.parse(readFileSync(join(__dirname, '../../fixtures/checkpoints', `${name}.json`), 'utf8')) as StoredCheckpoint;

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 9) + second * 1_000).toISOString();
const timed = (row: Item, second: number): Item => ({ ...row, created_at: at(second) });

/** What a consumer is delivered that continues from a checkpoint. */
async function continued(name: string, topic: string, lists: Record<string, Item[]>) {
	const stage = openStage({
		pageMax: 100,
		confirms: () => ({ positions: { [topic]: { epoch: 'e1', seq: 900 } } }),
	});
	Object.assign(stage.lists, lists);
	const seen = stage.consume({ topics: [topic], checkpoint: stored(name), retriesFirstConnection: true });
	await stage.pass(120_000);
	await seen.subscription.close();
	const again = stage.consume({ topics: [topic], checkpoint: seen.positions, retriesFirstConnection: true });
	await stage.pass(120_000);
	await stage.stream.close();
	expect(again.keys()).toEqual([]);
	return seen;
}

describe('a checkpoint of version 1', () => {
	it('a checkpoint of version 1 knows its fills, and those that were missed are delivered', async () => {
		const rows = Array.from({ length: 31 }, (_, index) => timed(fill(`fill-${index + 1}`), 101 + index));
		const old = [1, 2].map((number) => timed(fill(`old-${number}`), number));
		const seen = await continued('fills', 'user.fills', { 'fill.list': [...old, ...rows].reverse() });
		expect(seen.keys()).toEqual(['fill:fill-31']);
	});

	it('a checkpoint of version 1 knows its orders, and new states of open ones are delivered', async () => {
		const states = [
			...[order('old-ended', 'filled', '30'), order('old-open', 'filled', '30')],
			...Array.from({ length: 12 }, (_, index) =>
				(index + 1) % 3 === 0
					? order(`order-${index + 1}`, 'filled', '30', { price: '1500' })
					: order(`order-${index + 1}`, index === 0 ? 'cancelled' : 'accepted', '0', { price: '1500' }),
			),
		];
		const seen = await continued('orders', 'user.orders', { 'order.list': states.reverse() });
		expect(seen.keys().sort()).toEqual(['order:old-open:filled:30', 'order:order-1:cancelled:0']);
	});

	it('a checkpoint of version 1 knows its trades by number, and one lost before is delivered', async () => {
		const rows = Array.from({ length: 901 }, (_, index) => timed(trade(index + 1), index + 1));
		const seen = await continued('trades', 'trades.USD_NGN', { 'market.trades': rows });
		expect(seen.keys()).toEqual(['trade:trade-500', 'trade:trade-901']);
	});

	it('a checkpoint of version 1 continues a first backfill that had failed', async () => {
		const rows = [1, 2, 3].map((number) => fill(`fill-${number}`));
		const seen = await continued('unread', 'user.fills', {
			'fill.list': [timed(fill('new'), 60), ...rows, timed(fill('old'), -60)],
		});
		expect(seen.keys()).toEqual(['fill:new']);
	});
});
