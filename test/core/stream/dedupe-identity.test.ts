import type { Item } from '@partner-exchange/core';
import { data, fill, openStage, trade } from './stage';

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

	it('delivers both of two trades with one number', async () => {
		const { seen, say, rows, pass } = await following(TRADES, 'market.trades', [trade(1)]);
		const twins = ['one', 'other'].map((id) => ({ ...trade(2), id }));
		for (const twin of [...twins, trade(3)]) {
			say(twin);
			rows.push(twin);
		}
		await pass(120_000);
		expect(seen.keys()).toEqual(['trade:one', 'trade:other', 'trade:trade-3']);
	});

	it('reads back every trade that was lost where one counter numbers several pairs', async () => {
		const { seen, say, rows, pass, skip } = await following(TRADES, 'market.trades', [trade(1)]);
		const lost = new Set([40, 300, 650, 900, 1_200]);
		for (let count = 1; count <= 1_500; count += 1) {
			const row = trade(1 + 7 * count);
			rows.push(row);
			// A message that is lost without a sign: the numbers of the messages have no hole.
			if (!lost.has(count)) say(row);
			if (count % 100 === 0) await pass(1_000);
		}
		skip();
		await pass(180_000);
		expect(seen.keys()).toHaveLength(1_500);
		expect(new Set(seen.keys()).size).toBe(1_500);
	});
});

describe('identity of fills', () => {
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

	it(
		'delivers a fill once if the stream alone has an identifier',
		report(20, (number) => ({ live: row(number), row: without('id', row(number)) })),
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

	it('delivers no old fill after a restart, however many there are without a time', async () => {
		const rows = Array.from({ length: 17_000 }, (_, index) => without('created_at', row(index)));
		const first = await following(FILLS, 'fill.list', rows);
		await first.pass(400_000);
		await first.seen.subscription.close();
		await first.settled();
		expect(first.seen.keys()).toEqual([]);
		const stage = openStage({ pageMax: 100 });
		stage.lists['fill.list'] = [...rows, without('created_at', row(17_001))];
		const next = stage.consume({ topics: [FILLS], checkpoint: first.seen.positions });
		await stage.pass(600_000);
		expect(next.keys()).toEqual(['fill:f17001:order-1']);
	});
});
