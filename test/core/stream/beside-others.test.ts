import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, fill, openStage, order, trade } from './stage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const more = { retriesFirstConnection: true, batchMax: 1_000 };
const FILLS = { topics: ['user.fills'], ...more };
const TRADES = { topics: ['trades.USD_NGN'], ...more };

const gapsOf = ({ events }: { events: { kind?: string; data: unknown }[] }): unknown[] =>
	events.filter(({ kind }) => kind === 'gap').map(({ data: told }) => (told as Item).gap);

describe('a first start whose list was refused', () => {
	it.each([0, 10 * MINUTE_MS])(
		'gets nothing old at its next start, beside another one that began %s ms before',
		async (sinceMs) => {
			const stage = openStage();
			stage.client.serviceTime = () => stage.time.now();
			const hours = (ago: number) => ({ created_at: new Date(stage.time.now() - ago * 60 * MINUTE_MS).toISOString() });
			stage.lists['fill.list'] = Array.from({ length: 50 }, (_, n) => ({ ...fill(`old${n}`), ...hours(n + 1) }));
			stage.faults['fill.list'] = new ExchangeError('forbidden', { what: 'The key may not read' });
			const first = stage.consume(FILLS);
			await stage.pass(40 * SECOND_MS);
			await first.subscription.close();
			stage.faults['fill.list'] = undefined;
			stage.consume(FILLS);
			await stage.pass(sinceMs);
			const again = stage.consume({ ...FILLS, checkpoint: first.positions });
			await stage.pass(3 * MINUTE_MS);
			expect(again.keys()).toEqual([]);
		},
	);
});

describe('a first start beside one that has read the list', () => {
	const ORDERS = { topics: ['user.orders'], ...more };

	it('gets at its next start the end of an order that was placed right before it, and that nobody had seen', async () => {
		const stage = openStage();
		const iso = (ms: number) => new Date(ms).toISOString();
		const ended = (id: string, placed: number, at: number): Item =>
			order(id, 'filled', '30', { created_at: iso(placed), updated_at: iso(at) });
		stage.consume(ORDERS);
		const rows: Item[] = [];
		for (let turn = 0; turn < 120; turn += 1) {
			const now = stage.time.now();
			rows.unshift(...Array.from({ length: 6 }, (_, n) => ended(`old-${turn}-${n}`, now, now)));
			stage.lists['order.list'] = [...rows];
			await stage.pass(500);
			stage.sockets[0]!.say({ type: 'pong' });
		}
		const placed = stage.time.now() - 2_000;
		const first = stage.consume(ORDERS);
		await stage.pass(500);
		stage.sockets[0]!.say(data('user.orders', 1, ended('heard', stage.time.now(), stage.time.now())));
		await stage.pass(500);
		expect(first.keys()).toEqual(['order:heard:filled:30']);
		const next = openStage();
		await next.pass(stage.time.now() + 5_000 - next.time.now());
		const now = next.time.now();
		next.lists['order.list'] = [
			ended('heard', now - 5_500, now - 5_500),
			ended('unseen', placed, now - 1_000),
			...rows,
		];
		const again = next.consume({ ...ORDERS, checkpoint: first.positions });
		await next.pass(MINUTE_MS);
		// What ended in the last two seconds before it may count as new, because clocks differ.
		expect(again.keys().filter((key) => !/^order:old-11[6-9]/.test(key))).toEqual(['order:unseen:filled:30']);
	});
});

describe('what a list no longer shows', () => {
	const SHOWN = 30;

	const numbered = (from: number, to: number): Item[] =>
		Array.from({ length: to - from + 1 }, (_, index) => trade(from + index));

	/** A consumer that knows the trades up to a number. */
	async function knowing(last: number) {
		const before = openStage();
		before.lists['market.trades'] = numbered(1, last - 1);
		const left = before.consume(TRADES);
		await before.pass(MINUTE_MS);
		before.lists['market.trades'] = numbered(1, last);
		before.sockets[0]!.say(data('trades.USD_NGN', last, trade(last)));
		await before.pass(MINUTE_MS);
		return { ...TRADES, checkpoint: left.positions };
	}

	/** One that knows five trades, and the list of another process, which shows the last ones of a hundred. */
	async function tradesAway() {
		const back = await knowing(5);
		const stage = openStage({ pageMax: 50 });
		await stage.pass(5 * MINUTE_MS);
		stage.lists['market.trades'] = numbered(101 - SHOWN, 100);
		const gap = { after_sequence: 5, before_sequence: 101 - SHOWN };
		return { stage, back, gap };
	}

	it.each([0, 2 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS])(
		'is a gap of trades for one that comes back %s ms after a first start',
		async (laterMs) => {
			const { stage, back, gap } = await tradesAway();
			stage.consume(TRADES);
			await stage.pass(laterMs);
			const seen = stage.consume(back);
			await stage.pass(3 * MINUTE_MS);
			expect(gapsOf(seen)).toEqual([gap]);
		},
	);

	it.each([SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS])(
		'is a gap of trades for both that come back, %s ms apart',
		async (laterMs) => {
			const { stage, back, gap } = await tradesAway();
			const first = stage.consume(back);
			await stage.pass(laterMs);
			const second = stage.consume(back);
			await stage.pass(3 * MINUTE_MS);
			expect([gapsOf(first), gapsOf(second)]).toEqual([[gap], [gap]]);
		},
	);

	it.each([2 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS])(
		'is a gap of trades for one that comes back %s ms after one that knows all, and for that one none',
		async (laterMs) => {
			const { stage, back, gap } = await tradesAway();
			const knows = stage.consume(await knowing(100));
			await stage.pass(laterMs);
			const lacks = stage.consume(back);
			await stage.pass(3 * MINUTE_MS);
			expect([gapsOf(knows), gapsOf(lacks)]).toEqual([[], [gap]]);
		},
	);

	it('is no gap of trades for those that join soon after one that comes back and lack nothing', async () => {
		const { stage, back, gap } = await tradesAway();
		const lacks = stage.consume(back);
		await stage.pass(10 * SECOND_MS);
		const [knows, fresh] = [stage.consume(await knowing(100)), stage.consume(TRADES)];
		await stage.pass(3 * MINUTE_MS);
		expect([lacks, knows, fresh].map(gapsOf)).toEqual([[gap], [], []]);
	});

	it('is a gap of trades although the list moves on before that is proved, and none of what was told', async () => {
		const { stage, back, gap } = await tradesAway();
		const seen = stage.consume(back);
		for (let last = 101; last < 250; last += 1) {
			await stage.pass(SECOND_MS);
			stage.lists['market.trades'] = numbered(last - SHOWN + 1, last);
			stage.sockets.at(-1)!.say(data('trades.USD_NGN', last, trade(last)));
		}
		expect(gapsOf(seen)).toEqual([gap]);
	});

	it.each([0, 2 * SECOND_MS, MINUTE_MS])(
		'is a gap of fills for one that comes back %s ms after a first start',
		async (laterMs) => {
			const dated = (id: string, at: number): Item => ({ ...fill(id), created_at: new Date(at).toISOString() });
			const before = openStage();
			before.lists['fill.list'] = [dated('known', before.time.now())];
			const left = before.consume(FILLS);
			await before.pass(MINUTE_MS);
			const stage = openStage();
			await stage.pass(60 * MINUTE_MS);
			stage.lists['fill.list'] = Array.from({ length: SHOWN }, (_, n) =>
				dated(`f${n}`, stage.time.now() - n * MINUTE_MS),
			);
			stage.consume(FILLS);
			await stage.pass(laterMs);
			const back = stage.consume({ ...FILLS, checkpoint: left.positions });
			await stage.pass(3 * MINUTE_MS);
			expect(gapsOf(back)).toHaveLength(1);
			expect(back.keys().filter((key) => key.startsWith('fill:'))).toHaveLength(SHOWN);
		},
	);
});
