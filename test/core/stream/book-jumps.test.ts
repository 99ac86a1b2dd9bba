import { BOOK, book, openBook, sequences } from './book-stage';
import { data, openStage } from './stage';

describe('order books whose numbers jump', () => {
	it('a book is complete if its own sequence is, however the numbers of the messages jump', async () => {
		const { sockets, reads, pass, seen } = await openBook();
		for (const sequence of [2, 3, 4]) sockets[0]!.say(data(BOOK, sequence * 10, book(sequence)));
		await pass(2_000);
		expect(sequences(seen.events)).toEqual([1, 2, 3, 4]);
		expect(reads.filter((id) => id === 'market.orderBook')).toHaveLength(1);
	});

	it('a book is complete if both of its numbers jump by the same step, once that is learned', async () => {
		const { sockets, lists, consume, pass } = openStage();
		const seen = consume({ topics: [BOOK] });
		lists['market.orderBook'] = [book(100)];
		await seen.subscription.ready;
		await pass(2_000);
		const tell = async (from: number, to: number) => {
			for (let change = from; change <= to; change += 1) {
				lists['market.orderBook'] = [book(100 + change * 4)];
				sockets[0]!.say(data(BOOK, change * 3, book(100 + change * 4)));
				await pass(8_000);
				sockets[0]!.say({ type: 'pong' });
			}
		};
		await tell(1, 12);
		seen.events.length = 0;
		await tell(13, 30);
		expect(seen.events.map(({ delivery, stale }) => [delivery, stale])).toEqual(
			Array.from({ length: 18 }, () => ['live', undefined]),
		);
		await tell(32, 32);
		expect(seen.events.at(-1)).toMatchObject({ delivery: 'reconciled' });
	});
});
