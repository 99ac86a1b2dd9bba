import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { data, openStage, trade } from './stage';

const TRADES = { topics: ['trades.USD_NGN'], batchMax: 100 };
const MINUTE_MS = 60_000;

/** Two trades of each number, oldest first. */
const inPairs = (numbers: number): Item[] =>
	Array.from({ length: numbers * 2 }, (_, index) => ({ ...trade(Math.floor(index / 2) + 1), id: `t${index + 1}` }));
const keysFrom = (first: number, last: number): string[] =>
	Array.from({ length: last - first + 1 }, (_, index) => `trade:t${first + index}`);

/** A service that gives two trades one number, and tells only one of them on the stream. */
async function openPairs(numbersBefore: number, pageMax = 100) {
	const stage = openStage({ pageMax });
	let seq = 0;
	stage.lists['market.trades'] = inPairs(numbersBefore);
	const first = stage.consume(TRADES);
	await first.subscription.ready;
	// The readings that follow a subscription are over.
	await stage.pass(MINUTE_MS);
	return {
		...stage,
		first,
		/** Whoever joins gets it live, without its twin. */
		tell: async (index: number) => {
			stage.sockets.at(-1)!.say(data(TRADES.topics[0]!, (seq += 1), inPairs(index)[index - 1]!));
			await stage.settled();
		},
	};
}

describe('public trades that share a number', () => {
	it('delivers each public trade of a shared number once, if the stream brings one of them', async () => {
		const { first, lists, tell, pass } = await openPairs(3);
		for (const index of [7, 9, 11]) await tell(index);
		lists['market.trades'] = inPairs(6);
		await pass(3 * MINUTE_MS);
		expect(first.keys().sort()).toEqual(keysFrom(7, 12).sort());
	});

	it('delivers each public trade of a shared number once, although a page ends between them', async () => {
		const { first, lists, pass } = await openPairs(3, 11);
		lists['market.trades'] = inPairs(30);
		await pass(10 * MINUTE_MS);
		expect(first.keys().sort()).toEqual(keysFrom(7, 60).sort());
		expect(first.events).toHaveLength(54);
	});

	it('notices public trades of a shared number on the stream, if the list showed none before', async () => {
		const { first, lists, tell, pass } = await openPairs(0);
		for (const index of [1, 3, 4]) await tell(index);
		lists['market.trades'] = inPairs(2);
		await pass(3 * MINUTE_MS);
		expect(first.keys().sort()).toEqual(keysFrom(1, 4));
	});

	it('delivers each public trade of a shared number once after a restart, and the first of the last number stays old', async () => {
		const { first, lists, tell, pass, consume } = await openPairs(3);
		await tell(7);
		await pass(MINUTE_MS);
		const checkpoint = JSON.parse(JSON.stringify(first.positions)) as StoredCheckpoint;
		await first.subscription.close();
		lists['market.trades'] = inPairs(5);
		const second = consume({ ...TRADES, checkpoint });
		await pass(2 * MINUTE_MS);
		expect(second.keys().sort()).toEqual(keysFrom(8, 10).sort());
	});
});
