import { BOOK, book, openBook, sequences } from './book-stage';
import { data, openStage } from './stage';

const SECOND_MS = 1_000;

describe('an order book after a reconnect', () => {
	/** A book of which ten changes were delivered, and a REST answer that lags behind them. */
	async function reconnected() {
		const stage = await openBook();
		for (let change = 2; change <= 10; change += 1) stage.sockets[0]!.say(data(BOOK, change, book(change)));
		await stage.pass(SECOND_MS);
		stage.lists['market.orderBook'] = [book(5)];
		stage.sockets[0]!.close();
		await stage.pass(10 * SECOND_MS);
		return stage;
	}

	it('begins again with the snapshot that is read then', async () => {
		const { seen } = await reconnected();
		expect(sequences(seen.events).slice(-2)).toEqual([10, 5]);
	});

	it('marks changes as stale that do not follow the snapshot, until one is new enough', async () => {
		const { seen, sockets, pass, lists } = await reconnected();
		sockets.at(-1)!.say(data(BOOK, 11, book(11)));
		await pass(6 * SECOND_MS);
		expect(seen.events.at(-1)).toMatchObject({ stale: true, data: { sequence: 11 } });
		lists['market.orderBook'] = [book(12)];
		await pass(10 * SECOND_MS);
		expect(seen.events.at(-1)).toMatchObject({ delivery: 'reconciled', data: { sequence: 12 } });
		expect(seen.events.at(-1)).not.toHaveProperty('stale');
	});
});

describe('an order book without a sequence of its own', () => {
	it('is read again after a jump of the numbers of its messages', async () => {
		const change = (number: number) => ({ pair_id: 'USD/NGN', bids: [[String(number), '1']], asks: [] });
		const stage = openStage();
		stage.lists['market.orderBook'] = [change(0)];
		const seen = stage.consume({ topics: [BOOK] });
		await seen.subscription.ready;
		await stage.pass(2 * SECOND_MS);
		for (const seq of [1, 2, 3, 7, 8]) stage.sockets[0]!.say(data(BOOK, seq, change(seq)));
		await stage.pass(2 * SECOND_MS);
		expect(stage.reads.filter((id) => id === 'market.orderBook')).toHaveLength(2);
	});
});
