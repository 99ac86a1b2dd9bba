import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { data, openStage, order } from './stage';

const ORDERS = { topics: ['user.orders'], batchMax: 1_000 };
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Orders placed one after the other until long ago, newest last. */
const resting = (now: number, count: number): Item[] =>
	Array.from({ length: count }, (_, index) =>
		order(`o${index}`, 'accepted', '0', {
			created_at: new Date(now - 3_600_000 - (count - index) * 100).toISOString(),
		}),
	);

describe('open orders', () => {
	it.each([
		['as many as can be stored', 2_000, 'o1000'],
		['more than can be stored', 2_600, 'o0'],
	])('%s are looked for after a restart, within bounded requests and time', async (_, count, ended) => {
		const stage = openStage({ pageMax: 100 });
		const before = stage.consume(ORDERS);
		await before.subscription.ready;
		const rows = resting(stage.time.now(), count);
		rows.forEach((row, index) => stage.sockets[0]!.say(data('user.orders', index + 1, row)));
		stage.lists['order.list'] = rows.toReversed();
		await stage.pass(2 * MINUTE_MS);
		await before.subscription.close();
		stage.lists['order.list'] = rows.map((row) => (row.id === ended ? { ...row, status: 'cancelled' } : row)).reverse();
		const reads = stage.reads.length;
		const after = stage.consume({ ...ORDERS, checkpoint: before.positions });
		await stage.pass(30 * SECOND_MS);
		expect(after.keys().filter((key) => key.includes('cancelled'))).toEqual([`order:${ended}:cancelled:0`]);
		expect(stage.reads.length - reads).toBeLessThan(150);
	});

	it('requests open orders that no list shows in turns', async () => {
		const stage = openStage();
		const seen = stage.consume({ ...ORDERS, filters: { statuses: ['cancelled'] } });
		await seen.subscription.ready;
		resting(stage.time.now(), 45).forEach((row, index) => stage.sockets[0]!.say(data('user.orders', index + 1, row)));
		stage.lists['order.get'] = [order('o3', 'cancelled'), order('o44', 'cancelled')];
		await stage.pass(3 * MINUTE_MS);
		expect(new Set(seen.keys())).toEqual(new Set(['order:o3:cancelled:0', 'order:o44:cancelled:0']));
	});

	it('delivers once that an open order was made smaller in place while nobody listened, under its own key', async () => {
		const stage = openStage();
		const at = (ms: number) => new Date(stage.time.now() + ms).toISOString();
		const first = stage.consume({ topics: ['user.orders'] });
		await first.subscription.ready;
		const resting = order('o1', 'accepted', '0', { price: '1500', created_at: at(0), updated_at: at(0) });
		stage.lists['order.list'] = [resting];
		stage.sockets[0]!.say(data('user.orders', 1, resting));
		await stage.pass(120_000);
		await first.subscription.close();
		await stage.pass(600_000);
		stage.lists['order.list'] = [{ ...resting, quantity: '20', updated_at: at(-1_000) }];
		const second = stage.consume({ topics: ['user.orders'], checkpoint: first.positions });
		await stage.pass(120_000);
		await second.subscription.close();
		const third = stage.consume({ topics: ['user.orders'], checkpoint: second.positions });
		await stage.pass(120_000);
		expect(first.keys()).toEqual(['order:o1:accepted:0']);
		expect(second.keys()).toHaveLength(1);
		expect(second.keys()).not.toEqual(first.keys());
		expect(third.keys()).toEqual([]);
	});

	describe('that the service changes in place, again and again', () => {
		const state = (quantity: string, updatedAt?: string): Item =>
			order('o1', 'accepted', '0', { price: '1500', quantity, ...(updatedAt && { updated_at: updatedAt }) });
		const at = (second: number) => `2026-01-05T09:00:${String(second).padStart(2, '0')}.000Z`;

		/** Each process hears some states live and finds the next ones in the list; returns the keys that each was told. */
		async function keysOf(processes: readonly { states: readonly Item[]; isKilled?: boolean }[]): Promise<string[][]> {
			let checkpoint: StoredCheckpoint | undefined;
			const keys: string[][] = [];
			let seq = 0;
			for (const { states, isKilled } of processes) {
				const stage = openStage();
				// It finds the first state in the list, and has caught up when the others come.
				const [found, ...live] = states;
				stage.lists['order.list'] = checkpoint ? [found!] : [];
				const seen = stage.consume({ ...ORDERS, checkpoint });
				await seen.subscription.ready;
				await stage.pass(2 * MINUTE_MS);
				for (const row of checkpoint ? live : states) {
					stage.sockets.at(-1)!.say(data('user.orders', (seq += 1), row));
					stage.lists['order.list'] = [row];
					await stage.pass(SECOND_MS);
				}
				keys.push(seen.keys());
				if (!isKilled) checkpoint = seen.positions;
				await seen.subscription.close();
			}
			return keys;
		}

		it.each<[string, (second: number) => string | undefined]>([
			['with the time of each change', at],
			['without it', () => undefined],
		])('are told under a key of its own each, also by later processes (%s)', async (_, time) => {
			const [first, second, third] = [state('30', time(1)), state('20', time(2)), state('15', time(3))];
			const fourth = state('10', time(4));
			const told = await keysOf([
				{ states: [first, second] },
				{ states: [second, third] },
				{ states: [third, fourth] },
			]);
			expect(told.map(({ length }) => length)).toEqual([2, 1, 1]);
			expect(new Set(told.flat()).size).toBe(4);
		});

		it('are told under another key where a later process hears that a fill was taken back', async () => {
			const [open, filled] = [state('30', at(1)), { ...state('30', at(2)), filled_quantity: '5' }];
			const told = await keysOf([{ states: [open, filled] }, { states: [filled, state('30', at(3))] }]);
			expect(told.map(({ length }) => length)).toEqual([2, 1]);
			expect(told[0]).not.toContain(told[1]![0]);
		});

		it('are told under the same key where a process is killed before it stored, unless they changed meanwhile', async () => {
			const [first, second, third] = [state('30'), state('20'), state('15')];
			const before = { states: [first] };
			const [, killed, same] = await keysOf([
				before,
				{ states: [first, second], isKilled: true },
				{ states: [second] },
			]);
			expect(same).toEqual(killed);
			const [, , other] = await keysOf([before, { states: [first, second], isKilled: true }, { states: [third] }]);
			expect(other).toHaveLength(1);
			expect(other).not.toEqual(killed);
		});
	});
});
