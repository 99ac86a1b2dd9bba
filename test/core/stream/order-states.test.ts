import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { data, openStage, order, follow } from './stage';

const TOPICS = { topics: ['user.orders'] };

const at = (time: string) => ({ updated_at: `2026-01-05T09:00:${time}Z` });

async function following() {
	const { seen, ...stage } = await follow(TOPICS);
	const statuses = () => seen.events.map(({ data: row }) => (row as { status: string }).status);
	return { ...stage, seen, statuses };
}

describe('stamps of a service whose machines are not of one time', () => {
	it('delivers the end of an order that is stamped before the state before it', async () => {
		const { sockets, settled, statuses } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'accepted', '0', at('01.050'))));
		sockets[0]!.say(data('user.orders', 2, order('a', 'filled', '30', at('01.000'))));
		await settled();
		expect(statuses()).toEqual(['accepted', 'filled']);
	});

	it('delivers more of a fill that is stamped before less of it', async () => {
		const { sockets, settled, statuses, seen } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'partially_filled', '10', at('01.050'))));
		sockets[0]!.say(data('user.orders', 2, order('a', 'partially_filled', '20', at('01.000'))));
		await settled();
		expect([statuses().length, seen.events.at(-1)!.data]).toMatchObject([2, { filled_quantity: '20' }]);
	});

	it.each([
		['accepted', 'cancelled'],
		['pending', 'accepted'],
	])('delivers %s and then %s, which the list dates in whole seconds', async (before, after) => {
		const { sockets, lists, pass, statuses } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', before, '0', at('01.900'))));
		lists['order.list'] = [order('a', after, '0', at('01'))];
		await pass(60_000);
		expect(statuses()).toEqual([before, after]);
	});

	it('takes a late list for no correction, which dates a change with more digits than the stream', async () => {
		const { sockets, lists, pass, statuses } = await following();
		lists['order.list'] = [order('a', 'pending', '0', at('01.203'))];
		sockets[0]!.say(data('user.orders', 1, order('a', 'pending', '0', at('01'))));
		sockets[0]!.say(data('user.orders', 2, order('a', 'accepted', '0', at('01'))));
		await pass(10_000);
		lists['order.list'] = [order('a', 'accepted', '0', at('01.233'))];
		await pass(60_000);
		expect(statuses()).toEqual(['pending', 'accepted']);
	});

	it('takes a late list for no return of an order that has ended', async () => {
		const { sockets, lists, pass, statuses } = await following();
		lists['order.list'] = [order('a', 'partially_filled', '10', at('01.403'))];
		sockets[0]!.say(data('user.orders', 1, order('a', 'partially_filled', '10', at('01'))));
		sockets[0]!.say(data('user.orders', 2, order('a', 'cancelled', '10', at('01'))));
		await pass(60_000);
		expect(statuses()).toEqual(['partially_filled', 'cancelled']);
	});

	it('delivers at once what a service corrects of an order that has ended', async () => {
		const { sockets, lists, pass, seen } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'cancelled', '10', at('01.000'))));
		lists['order.list'] = [order('a', 'cancelled', '9', at('01.300'))];
		await pass(25_000);
		expect(seen.events.map(({ data: row }) => (row as Item).filled_quantity)).toEqual(['10', '9']);
	});

	it('delivers no earlier state again after a correction', async () => {
		const { sockets, settled, seen } = await following();
		const say = (seq: number, filled: string, time: string) =>
			sockets[0]!.say(data('user.orders', seq, order('a', 'partially_filled', filled, at(time))));
		say(1, '20', '01.000');
		say(2, '10', '02.000');
		say(3, '15', '01.500');
		await settled();
		expect(seen.events.map(({ data: row }) => (row as { filled_quantity: string }).filled_quantity)).toEqual([
			'20',
			'10',
		]);
	});
});

describe('a status that stream and list spell differently', () => {
	it('is told once, as it came first', async () => {
		const { sockets, lists, pass, statuses } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'Partially Filled', '10')));
		sockets[0]!.say(data('user.orders', 2, order('b', 'CANCELED', '0')));
		lists['order.list'] = [order('a', 'partially_filled', '10'), order('b', 'cancelled', '0')];
		await pass(60_000);
		expect(statuses()).toEqual(['Partially Filled', 'CANCELED']);
	});
});

describe('an update that leaves the filled quantity out', () => {
	it('is the state that the list shows with none of it filled, and one event with it', async () => {
		const { sockets, lists, pass, seen } = await following();
		const { filled_quantity: _, ...bare } = order('a', 'accepted', '0');
		sockets[0]!.say(data('user.orders', 1, bare));
		lists['order.list'] = [order('a', 'accepted', '0')];
		await pass(60_000);
		expect(seen.events.map(({ eventKey }) => eventKey)).toEqual(['order:a:accepted:0']);
	});

	it('is followed by what was filled, once somebody says it', async () => {
		const { sockets, lists, pass, seen } = await following();
		const { filled_quantity: _, ...bare } = order('a', 'accepted', '0');
		sockets[0]!.say(data('user.orders', 1, bare));
		lists['order.list'] = [order('a', 'accepted', '5')];
		await pass(60_000);
		expect(seen.events.map(({ eventKey }) => eventKey)).toEqual(['order:a:accepted:0', 'order:a:accepted:5']);
	});
});

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
	it('more than can be stored are looked for after a restart, within bounded requests and time', async () => {
		const stage = openStage({ pageMax: 100 });
		const before = stage.consume(ORDERS);
		await before.subscription.ready;
		const rows = resting(stage.time.now(), 2_600);
		rows.forEach((row, index) => stage.sockets[0]!.say(data('user.orders', index + 1, row)));
		stage.lists['order.list'] = rows.toReversed();
		await stage.pass(2 * MINUTE_MS);
		await before.subscription.close();
		stage.lists['order.list'] = rows.map((row) => (row.id === 'o0' ? { ...row, status: 'cancelled' } : row)).reverse();
		const reads = stage.reads.length;
		const after = stage.consume({ ...ORDERS, checkpoint: before.positions });
		await stage.pass(30 * SECOND_MS);
		expect(after.keys().filter((key) => key.includes('cancelled'))).toEqual(['order:o0:cancelled:0']);
		expect(stage.reads.length - reads).toBeLessThan(150);
	});

	it.each([
		['lists by status', true],
		['single reads alone', false],
	])(
		'that ended behind many newer ones while nobody listened are all told, where %s show them',
		async (_, isListed) => {
			const stage = openStage({ pageMax: 100 });
			const before = stage.consume(ORDERS);
			await before.subscription.ready;
			const old = resting(stage.time.now(), 120);
			const newer = resting(stage.time.now() + 3_600_000, 1_000).map(({ id, created_at }) =>
				order(`n${String(id)}`, 'filled', '10', { created_at }),
			);
			[...old, ...newer].forEach((row, index) => stage.sockets[0]!.say(data('user.orders', index + 1, row)));
			stage.lists['order.list'] = [...old, ...newer].toReversed();
			await stage.pass(2 * MINUTE_MS);
			await before.subscription.close();
			const ended = old.map((row): Item => ({ ...row, status: 'filled', filled_quantity: '10' }));
			stage.lists['order.list'] = [...(isListed ? ended : []), ...newer].toReversed();
			stage.lists['order.get'] = ended;
			const after = stage.consume({ ...ORDERS, checkpoint: before.positions });
			await stage.pass(2 * MINUTE_MS);
			expect(new Set(after.keys())).toEqual(new Set(ended.map(({ id }) => `order:${String(id)}:filled:10`)));
			// Who has caught up asks no longer.
			const reads = stage.reads.length;
			await stage.pass(2 * MINUTE_MS);
			expect(stage.reads.length - reads).toBeLessThan(60);
		},
	);

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
