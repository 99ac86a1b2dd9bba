import type { Item } from '@partner-exchange/core';
import { data, openStage } from './stage';

/** How many fills are missed: `BACKLOGS=10000,100000,1000000 npx jest test/core/stream/backlogs` tells how long it takes. */
const backlogs = (process.env.BACKLOGS ?? '10000').split(',').map(Number);
const PAGE_MS = 20;
const HOUR_MS = 3_600_000;
const TURNS_MAX = 1_000;

describe.each([100, 500])('a list of the service in pages of %i rows', (pageMax) => {
	it.each(backlogs)(
		'brings a consumer that was away for an hour %i missed fills, each once',
		async (count) => {
			const { client, consume, pass, sockets, time } = openStage();
			let rows: Item[] = [];
			let requests = 0;
			client.page = async (id, { offset = 0 }) => {
				if (id !== 'fill.list') return [];
				requests += 1;
				await new Promise<void>((resolve) => time.after(PAGE_MS, resolve));
				return rows.slice(Number(offset), Number(offset) + pageMax);
			};
			const fillAt = (id: string, at: number): Item => ({
				...{ id, order_id: 'order-1', quantity: '1', side: 'buy', pair_id: 'USD/NGN' },
				created_at: new Date(at).toISOString(),
			});
			const before = consume({ topics: ['user.fills'] });
			await Promise.all([before.subscription.ready, pass(25_000)]);
			const first = fillAt('first', time.now());
			sockets[0]!.say(data('user.fills', 1, first));
			await pass(60_000);
			await before.subscription.close();
			await pass(HOUR_MS);
			const stepMs = (HOUR_MS - 1_000) / count;
			rows = Array.from({ length: count }, (_, index) => fillAt(`fill-${index}`, time.now() - index * stepMs));
			rows.push(first);
			const told = { keys: new Set<string>(), count: 0, gaps: 0, at: 0 };
			const returnedAt = time.now();
			consume({
				topics: ['user.fills'],
				batchMax: 1_000,
				checkpoint: before.positions,
				deliver: async (events) => {
					for (const { eventKey, kind } of events) {
						if (kind) told.gaps += 1;
						else told.count += 1;
						told.keys.add(eventKey);
					}
					told.at = time.now();
				},
			});
			for (let turn = 0; turn < TURNS_MAX && told.keys.size < count; turn += 1) await pass(10_000);
			// Long enough that every later read has shown what it shows.
			await pass(120_000);
			if (process.env.BACKLOGS)
				process.stderr.write(
					`${count} fills, pages of ${pageMax}: ${(told.at - returnedAt) / 1_000} s, ${requests} requests\n`,
				);
			expect({ different: told.keys.size, told: told.count, gaps: told.gaps }).toEqual({
				...{ different: count, told: count },
				gaps: 0,
			});
		},
		600_000,
	);
});
