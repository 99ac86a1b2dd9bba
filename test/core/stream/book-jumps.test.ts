import { BOOK, book, openBook, sequences } from './book-stage';
import { data } from './stage';

describe('order books whose numbers jump', () => {
	it('a book is complete if its own sequence is, however the numbers of the messages jump', async () => {
		const { sockets, reads, pass, seen } = await openBook();
		for (const sequence of [2, 3, 4]) sockets[0]!.say(data(BOOK, sequence * 10, book(sequence)));
		await pass(2_000);
		expect(sequences(seen.events)).toEqual([1, 2, 3, 4]);
		expect(reads.filter((id) => id === 'market.orderBook')).toHaveLength(1);
	});
});
