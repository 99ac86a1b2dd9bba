import { book, BOOK, openBook, sequences } from './book-stage';
import { data, openStage } from './stage';

const SECOND_MS = 1_000;

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

describe('order books whose numbers jump', () => {
	it('a book is complete if its own sequence is, however the numbers of the messages jump', async () => {
		const { sockets, reads, pass, seen } = await openBook();
		for (const sequence of [2, 3, 4]) sockets[0]!.say(data(BOOK, sequence * 10, book(sequence)));
		await pass(2_000);
		expect(sequences(seen.events)).toEqual([1, 2, 3, 4]);
		expect(reads.filter((id) => id === 'market.orderBook')).toHaveLength(1);
	});
});

describe('order books, for one who is late,', () => {
	it('a book begins whole for a subscriber that joins during its read too', async () => {
		const stage = openStage();
		const { call } = stage.client;
		let answer = () => undefined as void;
		const answered = new Promise<void>((resolve) => (answer = resolve));
		stage.client.call = async (id, input) => {
			if (id === 'market.orderBook') await answered;
			return call(id, input);
		};
		const first = stage.consume({ topics: [BOOK] });
		await first.subscription.ready;
		await stage.pass(1_000);
		const second = stage.consume({ topics: [BOOK] });
		await second.subscription.ready;
		await stage.pass(1_000);
		stage.lists['market.orderBook'] = [book(1)];
		answer();
		await stage.pass(5_000);
		await stage.say(data(BOOK, 2, book(2)));
		for (const { events } of [first, second]) expect(sequences(events)).toEqual([1, 2]);
	});

	it('a late subscriber gets the current book, not a queue of changes', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		lists['market.orderBook'] = [book(1)];
		let finish: () => void = () => undefined;
		const deliveries: number[] = [];
		const seen = consume({
			topics: [BOOK],
			deliver: (events) => {
				deliveries.push(...sequences(events));
				return new Promise((resolve) => (finish = resolve));
			},
		});
		await seen.subscription.ready;
		await pass(2_000);
		for (let sequence = 2; sequence <= 500; sequence += 1) sockets[0]!.say(data(BOOK, sequence, book(sequence)));
		lists['market.orderBook'] = [book(500)];
		for (let turn = 0; turn < 5; turn += 1) {
			finish();
			await settled();
			await pass(2_000);
		}
		expect(deliveries.length).toBeLessThan(10);
		expect(deliveries.at(-1)).toBe(500);
	});

	it('a book comes whole again if all waiting changes were dropped before the host had any', async () => {
		const { sockets, lists, settled, pass, seen } = await openBook();
		for (let sequence = 2; sequence <= 120; sequence += 1) sockets[0]!.say(data(BOOK, sequence, book(sequence)));
		lists['market.orderBook'] = [book(120)];
		await pass(2_000);
		sockets[0]!.say(data(BOOK, 121, book(121)));
		await settled();
		expect(sequences(seen.events)).toEqual([1, 120, 121]);
	});

	it('a book comes whole for a rejoining subscriber, although nothing changed', async () => {
		const { say, lists, consume, pass } = openStage();
		lists['market.orderBook'] = [{ ...book(1), timestamp: '2026-01-05T09:00:00.000Z' }];
		const first = consume({ topics: [BOOK] });
		await first.subscription.ready;
		await pass(2_000);
		await first.subscription.close();
		const next = consume({ topics: [BOOK], checkpoint: first.positions });
		await next.subscription.ready;
		await pass(2_000);
		await say(data(BOOK, 2, book(2)));
		expect(sequences(first.events)).toEqual([1]);
		expect(sequences(next.events)).toEqual([1, 2]);
	});
});

describe('an order book that another subscriber joins while its snapshot lags', () => {
	it('begins for both with a snapshot that has every change that was delivered', async () => {
		const { sockets, lists, consume, pass, seen } = await openBook();
		for (let change = 2; change <= 10; change += 1) sockets[0]!.say(data(BOOK, change, book(change)));
		await pass(SECOND_MS);
		lists['market.orderBook'] = [book(5)];
		const joined = consume({ topics: [BOOK] });
		await pass(SECOND_MS);
		sockets[0]!.say(data(BOOK, 11, book(11)));
		await pass(2 * SECOND_MS);
		lists['market.orderBook'] = [book(11)];
		await pass(10 * SECOND_MS);
		const snapshots = [seen, joined].map(({ events }) =>
			sequences(events.filter(({ delivery }) => delivery === 'reconciled')),
		);
		expect(snapshots).toEqual([[1, 11], [11]]);
	});
});
