import { fill, openStage } from './stage';

const FILLS = { topics: ['user.fills'], batchMax: 1_000 };
const fills = (count: number, at: number) =>
	Array.from({ length: count }, (_, index) => ({
		...fill(`f${count - index}`),
		created_at: new Date(at - index * 60_000).toISOString(),
	}));

describe('an account whose list was empty when its process ended', () => {
	it.each([false, true])(
		'gets all that happened since, however long, a first start beside it: %s',
		async (isBeside) => {
			const stage = openStage({ pageMax: 25 });
			stage.lists['fill.list'] = [];
			const before = stage.consume(FILLS);
			await before.subscription.ready;
			await stage.pass(60_000);
			const stored = JSON.parse(JSON.stringify(before.positions));
			await before.subscription.close();
			await stage.pass(2 * 24 * 3_600_000);

			stage.lists['fill.list'] = fills(600, stage.time.now() - 60_000);
			const fresh = isBeside ? stage.consume(FILLS) : undefined;
			const back = stage.consume({ ...FILLS, checkpoint: stored });
			await stage.pass(60_000);
			expect(new Set(back.keys()).size).toBe(600);
			expect(back.keys()).toHaveLength(600);
			expect(fresh?.keys() ?? []).toEqual([]);
		},
	);
});
