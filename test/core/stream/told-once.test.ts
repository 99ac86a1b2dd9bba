import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { data, fill, follow, openStage, order, trade } from './stage';

const TRADES = 'trades.USD_NGN';

const FILLS = 'user.fills';

const BEGINS = Date.UTC(2026, 0, 5, 9);

const at = (second: number) => new Date(BEGINS + second * 1_000).toISOString();

/** A stage whose service confirms with its position, with one consumer that is ready. */
async function following(topic: string, list: string, rows: Item[] = []) {
	const stage = openStage({
		pageMax: 100,
		confirms: (topics) => ({ positions: Object.fromEntries(topics.map((name) => [name, { epoch: 'e1', seq: 0 }])) }),
	});
	stage.lists[list] = rows;
	const seen = stage.consume({ topics: [topic] });
	if (rows.length > 1_000) await stage.pass(60_000);
	await seen.subscription.ready;
	await stage.pass(1_000);
	let seq = 0;
	const say = (row: Item) => stage.sockets.at(-1)!.say(data(topic, (seq += 1), row));
	return { ...stage, seen, say, rows: stage.lists[list], skip: () => void (seq += 1) };
}

const idOf = ({ data: row }: { data: unknown }): unknown => (row as Item).id;

describe('identity of public trades', () => {
	it('delivers a trade once if its number is in the list alone', async () => {
		const { seen, say, rows, pass } = await following(TRADES, 'market.trades', [trade(1)]);
		for (let number = 2; number <= 21; number += 1) {
			const { sequence: _, ...unnumbered } = trade(number);
			say(unnumbered);
			rows.push(trade(number));
		}
		await pass(120_000);
		expect(seen.keys()).toHaveLength(20);
		expect(new Set(seen.keys()).size).toBe(20);
	});

	it('reads back every trade that was lost where one counter numbers several pairs', async () => {
		const { seen, say, rows, pass, skip } = await following(TRADES, 'market.trades', [trade(1)]);
		const lost = new Set([20, 60, 130, 180, 240]);
		for (let count = 1; count <= 300; count += 1) {
			const row = trade(1 + 7 * count);
			rows.push(row);
			// A message that is lost without a sign: the numbers of the messages have no hole.
			if (!lost.has(count)) say(row);
			if (count % 50 === 0) await pass(1_000);
		}
		skip();
		await pass(180_000);
		expect(seen.keys()).toHaveLength(300);
		expect(new Set(seen.keys()).size).toBe(300);
	});
});

describe('identity of fills', () => {
	it('delivers a fill once whose identifiers the list shows in capitals', async () => {
		const ids = ['0b7c4c52-9f0e-4c5a-8a3e-5f0c1d2e3f4a', '7d1f6a0c-52b7-4384-9d1f-6a0c52b7e384'] as const;
		const { seen, say, rows, pass } = await following(FILLS, 'fill.list', [fill('before')]);
		say(fill(...ids));
		rows.push({ ...fill(...ids), id: ids[0].toUpperCase(), order_id: ids[1].toUpperCase() });
		await pass(120_000);
		expect(seen.keys()).toEqual([`fill:${ids.join(':')}`]);
	});

	const report = (count: number, shape: (number: number) => { live?: Item; row: Item }) => async () => {
		const { seen, say, rows, pass } = await following(FILLS, 'fill.list');
		for (let number = 1; number <= count; number += 1) {
			const { live, row } = shape(number);
			rows.unshift(row);
			if (live) say(live);
		}
		await pass(120_000);
		expect(seen.events).toHaveLength(count);
		return seen;
	};
	const row = (number: number): Item => ({ ...fill(`f${number}`), price: '1500.0', created_at: at(number) });
	const without = (name: string, { [name]: _, ...rest }: Item): Item => rest;

	it(
		'delivers a fill once if the stream calls its identifier trade_id and the list id',
		report(20, (number) => ({
			live: { ...without('id', row(number)), trade_id: `f${number}` },
			// A list may write the time of settlement.
			row: { ...row(number), created_at: at(number + 1) },
		})),
	);

	it(
		'delivers a fill once if the list alone has an identifier',
		report(20, (number) => ({ live: without('id', row(number)), row: row(number) })),
	);

	it('delivers each of several fills that look alike, also those that were lost, if the list alone has an identifier', async () => {
		const alike = (number: number): Item => ({ ...row(7), id: `alike-${number}` });
		const seen = await report(6, (number) => ({
			live: number <= 2 ? without('id', alike(number)) : undefined,
			row: alike(number),
		}))();
		expect(seen.events.filter((event) => idOf(event) === undefined)).toHaveLength(2);
		expect(new Set(seen.keys()).size).toBe(6);
	});

	it('keeps apart two fills of one order if the identifier of one is the trade of the other', async () => {
		await report(2, (number) => ({
			live: { ...row(number), id: String(8 + number), trade_id: String(10 - number) },
			row: { ...row(number), id: String(8 + number), trade_id: String(10 - number) },
		}))();
	});
});

describe('dedupe after crash', () => {
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
		it.each([8])(
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
			lists['order.list'] = [
				order('new', 'filled', '30', { created_at: new Date(time.now()).toISOString() }),
				...ended,
			];
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

		it('a new account whose 1,800 fills all happened in one moment gets none twice', async () => {
			expect(await crashed(upTo(1_800).map((id) => fill(id)))).toEqual([]);
		});
	});

	describe('what happened long ago', () => {
		it('finds a missed fill although another one is dated in the future', async () => {
			const { time, lists, pass, seen } = await follow(FILLS);
			const dated = (id: string, ms: number) => ({ ...fill(id), created_at: new Date(time.now() + ms).toISOString() });
			const row = [
				dated('future', 3_600_000),
				...Array.from({ length: 100 }, (_, index) => dated(`f${index}`, -index)),
			];
			lists['fill.list'] = row;
			await pass(60 * SECOND_MS);
			lists['fill.list'] = [...row, dated('missed', -10 * SECOND_MS)];
			await pass(60 * SECOND_MS);
			expect(seen.keys()).toHaveLength(102);
			expect(seen.keys()).toContain('fill:missed:order-1');
		});
	});

	it.each([3, 14, 40])(
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
});

describe('public trades of a service that numbers them anew', () => {
	const TRADES = { topics: ['trades.USD_NGN'], batchMax: 1_000 };

	const SECOND_MS = 1_000;

	/**
	 * Five trades of one run are delivered; then the service restarts with other trades, the last of which arrives live.
	 */
	async function restarted(rows: (stage: ReturnType<typeof openStage>) => Item[]) {
		const stage = openStage();
		const seen = stage.consume(TRADES);
		await stage.pass(100);
		const first = Array.from({ length: 5 }, (_, index) => trade(index + 1));
		stage.lists['market.trades'] = first;
		first.forEach((row, index) => stage.sockets[0]!.say(data('trades.USD_NGN', index + 1, row)));
		await stage.pass(60 * SECOND_MS);
		stage.sockets[0]!.close();
		await stage.pass(9 * SECOND_MS);
		const again = rows(stage);
		stage.sockets[1]!.say(data('trades.USD_NGN', 1, again.at(-1)!, 'e2'));
		await stage.settled();
		stage.lists['market.trades'] = again;
		await stage.pass(120 * SECOND_MS);
		return { again, reports: seen.keys().slice(5) };
	}

	/** Another trade under a number that was used before. */
	const other = (stage: ReturnType<typeof openStage>, sequence: number): Item => ({
		...trade(sequence),
		id: `again-${sequence}`,
		created_at: new Date(stage.time.now()).toISOString(),
	});

	const count = (to: number): number[] => Array.from({ length: to }, (_, index) => index + 1);

	it.each([1, 3, 5])(
		'delivers another trade under the settled number %d, and tells those that it numbered before as a gap',
		async (made) => {
			const { again, reports } = await restarted((stage) => count(made).map((sequence) => other(stage, sequence)));
			const gap = made === 1 ? [] : [`gap:trades.USD_NGN:e2:0:${made}`];
			expect(reports).toEqual([...gap, `trade:${String(again.at(-1)!.id)}`]);
		},
	);

	it('delivers no public trade again if numbers continue under identifiers of another kind', async () => {
		const { reports } = await restarted(() =>
			count(6).map((sequence) => ({ ...trade(sequence), id: `row-${sequence}` })),
		);
		expect(reports).toEqual(['trade:row-6']);
	});

	it('delivers public trades that a subscriber missed that joined after a restart', async () => {
		const stage = openStage();
		stage.lists['market.trades'] = count(50).map(trade);
		const first = stage.consume(TRADES);
		await first.subscription.ready;
		stage.sockets[0]!.say(data('trades.USD_NGN', 50, trade(50)));
		await stage.pass(20 * SECOND_MS);
		const again = [other(stage, 1)];
		stage.lists['market.trades'] = again;
		await stage.say(data('trades.USD_NGN', 1, again[0]!, 'e2'));
		const second = stage.consume(TRADES);
		await second.subscription.ready;
		await stage.pass(5 * SECOND_MS);
		again.push(other(stage, 2));
		await stage.pass(120 * SECOND_MS);
		expect([first.keys(), second.keys()]).toEqual([['trade:again-1', 'trade:again-2'], ['trade:again-2']]);
	});
});

const SHAPES: [string, (order: string) => Item][] = [
	['id', (order) => fill('trade-1', order)],
	['fill_id', (order) => ({ fill_id: 'trade-1', order_id: order, quantity: '10' })],
	['execution_id', (order) => ({ execution_id: 'trade-1', order_id: order, quantity: '10' })],
	['trade_id', (order) => ({ trade_id: 'trade-1', order_id: order, quantity: '10' })],
];

describe.each(SHAPES)('one trade that fills two orders of an account, its fills told by %s', (_, of) => {
	const FILLS = { topics: ['user.fills'], batchMax: 100 };

	/** A listener that is up to date, and the two fills of a trade that happens now. */
	async function openTrade(of: (order: string) => Item) {
		const stage = openStage();
		const listener = stage.consume(FILLS);
		await listener.subscription.ready;
		await stage.pass(25_000);
		const created_at = new Date(stage.time.now()).toISOString();
		return { ...stage, listener, maker: { ...of('maker'), created_at }, taker: { ...of('taker'), created_at } };
	}

	it('is two events, live and from the list, each once', async () => {
		const { sockets, lists, pass, listener, maker, taker } = await openTrade(of);
		sockets[0]!.say(data('user.fills', 1, maker));
		sockets[0]!.say(data('user.fills', 2, taker));
		lists['fill.list'] = [taker, maker];
		await pass(120_000);
		expect(listener.keys().toSorted()).toEqual(['fill:trade-1:maker', 'fill:trade-1:taker']);
	});

	it('is two events where the stream brought one of them', async () => {
		const { sockets, lists, pass, listener, maker, taker } = await openTrade(of);
		sockets[0]!.say(data('user.fills', 1, maker));
		lists['fill.list'] = [taker, maker];
		await pass(120_000);
		expect(listener.keys().toSorted()).toEqual(['fill:trade-1:maker', 'fill:trade-1:taker']);
	});

	it('is two events after a restart that knew one of them', async () => {
		const { sockets, lists, consume, pass, listener, maker, taker } = await openTrade(of);
		sockets[0]!.say(data('user.fills', 1, maker));
		await pass(1_000);
		await listener.subscription.close();
		lists['fill.list'] = [taker, maker];
		const after = consume({ ...FILLS, checkpoint: listener.positions });
		await pass(120_000);
		expect(after.keys()).toEqual(['fill:trade-1:taker']);
	});
});
