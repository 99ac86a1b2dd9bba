import { readBaseline } from '../../../packages/core/src/stream/backfill/list-baseline';
import { streamPolicy } from '../../../packages/core/src/stream/policy';
import { newTopic } from '../../../packages/core/src/stream/sync/state';
import type { Item } from '../../../packages/core/src/wire/payload';
import { SIMULATION_BEGINS, virtualTime } from '../../simulation/support/time';

const source = { from: 'list', list: 'fill.list' } as const;

describe('the first reading of a list', () => {
	it('a first backfill is not ended by a long list without an order', async () => {
		const [rows, pageLength] = [140_000, 10_000];
		const clock = virtualTime();
		// Neighbours lie an hour apart in either direction, so no order can be learned.
		const row = (place: number): Item => ({
			id: `fill ${place}`,
			created_at: new Date(SIMULATION_BEGINS - ((place * 7_919) % 10_007) * 3_600_000).toISOString(),
		});
		const ports = {
			topic: 'user.fills',
			options: { signal: new AbortController().signal },
			state: newTopic(clock.now(), 0.5, undefined),
			observed: () => undefined,
			notice: () => undefined,
			...source,
			clock,
			policy: streamPolicy,
			identify: (item: Item) => ({ key: String(item.id), data: item, item, time: Date.parse(String(item.created_at)) }),
			history: {
				page: async (_: unknown, { offset }: Item) => {
					const from = Number(offset);
					const length = Math.max(0, Math.min(pageLength, rows - from));
					return await Promise.resolve(Array.from({ length }, (__, index) => row(from + index)));
				},
				read: async () => await Promise.resolve({}),
				pairOf: async () => await Promise.resolve('USD/NGN'),
			},
		};
		const { events, upTo } = await readBaseline(ports);
		expect(new Set(events.map(({ key }) => key)).size).toBe(rows);
		expect(upTo).toBe(SIMULATION_BEGINS - streamPolicy.readOverlapMs);
	});
});
