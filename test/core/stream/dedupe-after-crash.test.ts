import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { data, fill, openStage, order, trade } from './stage';

const SECOND_MS = 1_000;
const LAG_MS = 10_000;
/** At regular intervals, one fill is missing on the stream, and one has an earlier time than those around it. */
const LOST_EVERY = 97;
const OVERTAKEN_EVERY = 41;
const OVERTAKEN_MS = 7_000;

/** A busy account: fills arrive live, several in the same millisecond, and a list shows them a while later. */
function openMarket() {
	const stage = openStage();
	const all: { at: number; item: Item }[] = [];
	let seq = 0;
	let epoch = 'e1';

	function trade(count: number): void {
		const at = stage.time.now();
		for (let made = 0; made < count; made += 1) {
			const number = all.length + 1;
			const created = at - (number % OVERTAKEN_EVERY === 0 ? OVERTAKEN_MS : 0);
			const item = { ...fill(`f${number}`), created_at: new Date(created).toISOString() };
			all.push({ at, item });
			seq += 1;
			const socket = stage.sockets.findLast(({ isTerminated }) => !isTerminated);
			if (number % LOST_EVERY !== 0) socket?.say(data('user.fills', seq, item, epoch));
		}
		const visible = all.filter((each) => each.at <= at - LAG_MS).map(({ item }) => item);
		stage.lists['fill.list'] = visible.reverse();
	}

	return {
		...stage,
		tradeFor: async (seconds: number, perSecond: number) => {
			for (let second = 0; second < seconds; second += 1) {
				trade(perSecond);
				await stage.pass(SECOND_MS);
			}
		},
		newEpoch: () => {
			epoch = 'e2';
			seq = 0;
		},
		keys: () => all.map(({ item }) => `fill:${String(item.id)}:order-1`),
	};
}

const FILLS = { topics: ['user.fills'], batchMax: 1_000 };

describe('what was acknowledged before the process died', () => {
	it.each([8, 100])(
		'delivers no acknowledged event again after a crash at %i fills a second, and loses none, without a replay',
		async (perSecond) => {
			const { consume, tradeFor, newEpoch, keys } = openMarket();
			const before = consume(FILLS);
			await before.subscription.ready;
			await tradeFor(130, perSecond);
			const acknowledged = new Set(before.keys());
			const stored = before.positions;
			await before.subscription.close();
			newEpoch();
			await tradeFor(3, perSecond);
			const after = consume({ ...FILLS, checkpoint: stored });
			await after.subscription.ready;
			await tradeFor(30, perSecond);
			await tradeFor(50, 0);
			expect(after.keys().filter((key) => acknowledged.has(key))).toEqual([]);
			expect(new Set(after.keys()).size).toBe(after.keys().length);
			expect([...acknowledged, ...after.keys()].sort()).toEqual(keys().sort());
		},
	);

	it.each([
		[1, 6_000],
		[300, 152_000],
	])('stores acknowledged events at %i fills a second in %i characters at most', async (perSecond, lengthMax) => {
		const { consume, tradeFor } = openMarket();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await tradeFor(100, perSecond);
		expect(JSON.stringify(seen.positions).length).toBeLessThan(lengthMax);
	});

	it('delivers no acknowledged order again after a crash, though only a number of orders is stored one by one', async () => {
		const { time, lists, sockets, consume, pass } = openStage();
		const ORDERS = { topics: ['user.orders'], batchMax: 100 };
		const before = consume(ORDERS);
		await before.subscription.ready;
		const ended: Item[] = [];
		for (let second = 1; second <= 100; second += 1) {
			for (let made = 1; made <= 20; made += 1) {
				const created_at = new Date(time.now()).toISOString();
				ended.unshift(order(`o${second}-${made}`, 'filled', '30', { created_at }));
				sockets[0]!.say(data('user.orders', ended.length, ended[0]!));
			}
			lists['order.list'] = [...ended];
			await pass(SECOND_MS);
		}
		expect(before.events).toHaveLength(2_000);
		await before.subscription.close();
		lists['order.list'] = [order('new', 'filled', '30', { created_at: new Date(time.now()).toISOString() }), ...ended];
		const after = consume({ ...ORDERS, checkpoint: before.positions });
		await after.subscription.ready;
		await pass(60 * SECOND_MS);
		expect(after.keys()).toEqual(['order:new:filled:30']);
	});
});

describe('a new account', () => {
	const crashed = async (fills: Item[]) => {
		const { time, lists, sockets, consume, pass } = openStage();
		const before = consume(FILLS);
		await before.subscription.ready;
		const dated = fills.map((item) => ({ created_at: new Date(time.now()).toISOString(), ...item }));
		dated.forEach((item, index) => sockets[0]!.say(data('user.fills', index + 1, item)));
		await pass(SECOND_MS);
		expect(before.events).toHaveLength(fills.length);
		lists['fill.list'] = dated.toReversed();
		// The process is killed, and the service has nothing to replay.
		const after = consume({ ...FILLS, checkpoint: before.positions });
		await pass(100 * SECOND_MS);
		return after.keys();
	};
	const upTo = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`);

	it('a new account that crashes in its first seconds, at 100 fills a second, gets nothing twice', async () => {
		const begins = Date.parse('2026-01-05T08:59:45.000Z');
		const created = (index: number) => new Date(begins + index * 10).toISOString();
		const fills = upTo(1_500).map((id, index) => ({ ...fill(id), created_at: created(index) }));
		expect(await crashed(fills)).toEqual([]);
	});

	it('a new account whose 1,800 fills all happened in one moment gets none twice', async () => {
		expect(await crashed(upTo(1_800).map((id) => fill(id)))).toEqual([]);
	});
});

describe('what happened long ago', () => {
	const fillsUntil = (now: number, count: number, everyMs: number): Item[] =>
		Array.from({ length: count }, (_, index) => ({
			...fill(`f${index}`),
			created_at: new Date(now - index * everyMs).toISOString(),
		}));

	it('delivers no old fill at a first start, however busy the last minute was', async () => {
		const { time, lists, consume, pass } = openStage();
		lists['fill.list'] = fillsUntil(time.now(), 20_000, 10);
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await pass(60 * SECOND_MS);
		expect(seen.keys()).toEqual([]);
	});

	it('reads old fills on until the list is whole if they are more than one slice holds', async () => {
		const { time, lists, sockets, consume, pass } = openStage();
		const before = consume(FILLS);
		await before.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, { ...fill('first'), created_at: new Date(time.now()).toISOString() }));
		await before.subscription.close();
		await pass(3_600 * SECOND_MS);
		lists['fill.list'] = fillsUntil(time.now(), 30_000, 100);
		const after = consume({ ...FILLS, batchMax: 5_000, checkpoint: before.positions });
		await after.subscription.ready;
		await pass(3 * SECOND_MS);
		expect(after.events.length).toBeGreaterThan(1_000);
		await pass(90 * SECOND_MS);
		expect(new Set(after.keys()).size).toBe(30_000);
		expect(after.events).toHaveLength(30_000);
	});

	it('finds a missed fill although another one is dated in the future', async () => {
		const { time, lists, consume, pass } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		const dated = (id: string, ms: number) => ({ ...fill(id), created_at: new Date(time.now() + ms).toISOString() });
		const row = [dated('future', 3_600_000), ...Array.from({ length: 100 }, (_, index) => dated(`f${index}`, -index))];
		lists['fill.list'] = row;
		await pass(60 * SECOND_MS);
		lists['fill.list'] = [...row, dated('missed', -10 * SECOND_MS)];
		await pass(60 * SECOND_MS);
		expect(seen.keys()).toHaveLength(102);
		expect(seen.keys()).toContain('fill:missed:order-1');
	});
});

it.each([3, 8, 14, 22, 27, 40])(
	'gets no public trade twice that is killed again and again, each time after %s seconds',
	async (seconds) => {
		let checkpoint: StoredCheckpoint | undefined;
		const keys: string[] = [];
		for (const listed of [0, 1, 3, 4]) {
			// Each process has a log of its own.
			const { lists, consume, pass, sockets } = openStage();
			lists['market.trades'] = Array.from({ length: listed }, (_, index) => trade(index + 1));
			const seen = consume({ topics: ['trades.USD_NGN'], checkpoint });
			await pass(seconds * SECOND_MS);
			if (listed === 3) sockets[0]!.say(data('trades.USD_NGN', 4, trade(4)));
			await pass(SECOND_MS);
			keys.push(...seen.keys());
			checkpoint = JSON.parse(JSON.stringify(seen.positions)) as StoredCheckpoint;
		}
		expect(keys).toEqual([1, 2, 3, 4].map((number) => `trade:trade-${number}`));
	},
);
