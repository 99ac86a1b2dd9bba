import { ExchangeError } from '@partner-exchange/core';
import { at, joinedChannel } from './channel-stage';
import { BOOK, book, openBook, sequences } from './book-stage';
import { data, openStage } from './stage';

describe('order books', () => {
	it('a book begins with the snapshot, and changes it holds already are not delivered after it (checklist 115)', async () => {
		const { sockets, lists, consume, settled, pass } = openStage({ confirms: false });
		lists['market.orderBook'] = [book(5)];
		const seen = consume({ topics: [BOOK] });
		await settled();
		sockets[0]!.say({ type: 'subscribed', topics: [BOOK] });
		for (const sequence of [4, 5, 6]) sockets[0]!.say(data(BOOK, sequence, book(sequence)));
		await seen.subscription.ready;
		await pass(100);
		expect(sequences(seen.events)).toEqual([5, 6]);
		expect(seen.events.map(({ delivery }) => delivery)).toEqual(['reconciled', 'live']);
	});

	it('a book begins with an empty snapshot too, whose sequence is zero', async () => {
		const { lists, consume, pass } = openStage();
		lists['market.orderBook'] = [book(0)];
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		await pass(2_000);
		expect(sequences(seen.events)).toEqual([0]);
	});

	it('a book begins with its confirmation, so that no earlier change is delivered (checklist 115)', async () => {
		const { sockets, lists, consume, settled, pass } = openStage({ confirms: false });
		const seen = consume({ topics: [BOOK] });
		await settled();
		sockets[0]!.say(data(BOOK, 1, book(1)));
		lists['market.orderBook'] = [book(1)];
		sockets[0]!.say({ type: 'subscribed', topics: [BOOK] });
		await pass(2_000);
		expect(seen.events.map(({ delivery }) => delivery)).toEqual(['reconciled']);
	});

	it('a book uses the snapshot of the confirmation, without a key', async () => {
		const { sockets, consume, settled } = openStage({
			account: { apiKey: '' },
			confirms: () => ({ snapshots: { [BOOK]: book(8) } }),
		});
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		sockets[0]!.say(data(BOOK, 1, book(9)));
		await settled();
		expect(sockets[0]!.sent[0]).toMatchObject({ snapshot: true });
		expect(sequences(seen.events)).toEqual([8, 9]);
	});

	it('a book begins again after a gap and with another epoch', async () => {
		const { sockets, lists, settled, pass, seen } = await openBook();
		sockets[0]!.say(data(BOOK, 1, book(2)));
		lists['market.orderBook'] = [book(4)];
		sockets[0]!.say(data(BOOK, 3, book(4)));
		await pass(2_000);
		lists['market.orderBook'] = [book(1)];
		sockets[0]!.say(data(BOOK, 1, book(2), 'e2'));
		await pass(2_000);
		await settled();
		expect(sequences(seen.events)).toEqual([1, 2, 4, 1, 2]);
	});

	it('a book is stale, each by itself, while no snapshot can be read, and continues', async () => {
		const { sockets, lists, consume, pass } = openStage();
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		sockets[0]!.say(data(BOOK, 1, book(2)));
		await pass(6_000);
		expect(seen.notices).toContainEqual(
			expect.objectContaining({ kind: 'degraded', topic: BOOK, text: 'The order book may be stale' }),
		);
		lists['market.orderBook'] = [book(3)];
		await pass(30_000);
		sockets[0]!.say(data(BOOK, 2, book(4)));
		await pass(100);
		expect(sequences(seen.events)).toEqual([2, 3, 4]);
		expect(seen.events.map(({ stale }) => stale)).toEqual([true, undefined, undefined]);
	});

	it('a book is stale after a gap until a confirmation brings a snapshot, without a key', async () => {
		let sequence = 8;
		const { sockets, consume, settled, pass } = openStage({
			account: { apiKey: '' },
			confirms: () => ({ snapshots: { [BOOK]: book(sequence) } }),
		});
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		await pass(1_000);
		sequence = 11;
		for (const number of [9, 11]) sockets[0]!.say(data(BOOK, number, book(number)));
		await pass(100);
		sockets[0]!.say(data(BOOK, 12, book(12)));
		await settled();
		expect(sequences(seen.events)).toEqual([8, 9, 11, 11, 12]);
		expect(seen.events.map(({ stale }) => stale)).toEqual([undefined, undefined, true, undefined, undefined]);
	});

	it('a book returns to a snapshot only if it holds the missed changes, which are held until then', async () => {
		const { sockets, lists, pass, seen } = await openBook();
		sockets[0]!.say(data(BOOK, 1, book(2)));
		sockets[0]!.say(data(BOOK, 4, book(5)));
		await pass(2_000);
		expect(sequences(seen.events)).toEqual([1, 2]);
		lists['market.orderBook'] = [book(4)];
		await pass(1_500);
		expect(sequences(seen.events)).toEqual([1, 2, 4, 5]);
	});

	it('a book does not go back behind delivered changes when changes are repeated', async () => {
		const { sockets, lists, pass, seen } = await openBook();
		lists['market.orderBook'] = [book(3)];
		// With another `ts`, because exact copies would be dropped earlier.
		const sayAgain = (number: number, ts: string) => sockets[0]!.say({ ...data(BOOK, number, book(number)), ts });
		for (const number of [2, 3, 4]) sayAgain(number, 'first');
		for (const number of [2, 3, 4, 5]) sayAgain(number, 'again');
		await pass(1_500);
		expect(sequences(seen.events)).toEqual([1, 2, 3, 4]);
		lists['market.orderBook'] = [book(4)];
		await pass(1_500);
		expect(sequences(seen.events)).toEqual([1, 2, 3, 4, 4, 5]);
	});

	it('a book begins again when the first change does not follow the snapshot', async () => {
		const { sockets, lists, consume, pass } = openStage({ confirms: () => ({ snapshots: { [BOOK]: book(5) } }) });
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		lists['market.orderBook'] = [book(7)];
		for (const number of [7, 6]) sockets[0]!.say(data(BOOK, number, book(number)));
		await pass(2_000);
		expect(sequences(seen.events)).toEqual([5, 7]);
	});

	it('a book delivers a change whose number on the stream was used before', async () => {
		const { sockets, pass, seen } = await openBook();
		for (const [number, sequence] of [
			[1, 2],
			[2, 3],
			[1, 4],
		])
			sockets[0]!.say(data(BOOK, number, book(sequence!)));
		await pass(100);
		expect(sequences(seen.events)).toEqual([1, 2, 3, 4]);
	});

	it('a book is held for HOLD_MS_MAX in all, however often changes are missing meanwhile', async () => {
		const { sockets, faults, pass, seen } = await openBook();
		faults['market.orderBook'] = new ExchangeError('unavailable', { what: 'Not now' });
		for (const number of [2, 4, 6]) {
			sockets[0]!.say(data(BOOK, number, book(number * 2)));
			await pass(1_700);
		}
		expect(sequences(seen.events)).toEqual([1, 4, 8, 12]);
		expect(seen.notices).toContainEqual(expect.objectContaining({ text: 'The order book may be stale' }));
	});

	it('a book is read regularly, which delivers what was lost silently and nothing else', async () => {
		const { sockets, lists, pass, seen } = await openBook();
		sockets[0]!.say(data(BOOK, 1, book(2)));
		lists['market.orderBook'] = [book(3)];
		for (let second = 0; second < 200; second += 20) {
			sockets[0]!.say({ type: 'pong' });
			await pass(20_000);
		}
		expect(sequences(seen.events)).toEqual([1, 2, 3]);
		sockets[0]!.say(data(BOOK, 3, book(4)));
		await pass(100);
		expect(seen.events.at(-1)).toMatchObject({ delivery: 'live', data: { sequence: 4 } });
	});

	it('a book drops its held changes with the connection', async () => {
		const { sockets, lists, faults, pass, seen } = await openBook();
		faults['market.orderBook'] = new ExchangeError('unavailable', { what: 'Not now' });
		for (const number of [1, 5]) sockets[0]!.say(data(BOOK, number, book(number + 1)));
		sockets[0]!.close();
		faults['market.orderBook'] = undefined;
		lists['market.orderBook'] = [book(3)];
		await pass(9_000);
		expect(sequences(seen.events)).toEqual([1, 2, 3]);
	});

	it('a book holds changes that come while it is read again', async () => {
		const stage = openStage();
		const { sockets, client, consume, pass } = stage;
		const answers: ((match: unknown) => void)[] = [];
		const { call } = client;
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		sockets[0]!.say(data(BOOK, 1, book(2)));
		await pass(6_000);
		expect(sequences(seen.events)).toEqual([2]);
		client.call = async () => new Promise((resolve) => answers.push(resolve as (match: unknown) => void));
		while (answers.length === 0) await pass(1_000);
		sockets[0]!.say(data(BOOK, 2, book(4)));
		await pass(100);
		expect(sequences(seen.events)).toEqual([2]);
		client.call = call;
		answers.forEach((answer) => answer(book(3)));
		await pass(100);
		expect(seen.events.map(({ data: payload, stale }) => [(payload as { sequence: number }).sequence, stale])).toEqual([
			[2, true],
			[3, undefined],
			[4, undefined],
		]);
	});

	it('a book is read at once after a new connection, although the budget of this minute is used up', async () => {
		const { sockets, lists, reads, consume, pass } = openStage();
		const seen = consume({ topics: [BOOK] });
		lists['market.orderBook'] = [book(1)];
		await seen.subscription.ready;
		const read = () => reads.filter((id) => id === 'market.orderBook').length;
		for (let jump = 1; jump <= 14; jump += 1) {
			const sequence = jump * jump * 10;
			lists['market.orderBook'] = [book(sequence)];
			sockets[0]!.say(data(BOOK, sequence, book(sequence)));
			await pass(2_000);
		}
		expect(read()).toBe(12);
		sockets[0]!.close();
		while (sockets.length < 2) await pass(500);
		await pass(1_000);
		expect([read(), sockets[1]!.sent[0]]).toEqual([13, { type: 'subscribe', topics: [BOOK], snapshot: true }]);
	});

	it('requests a book once for a subscriber that dropped it, however often it has room', async () => {
		const { channel, confirmed, calls, subscriber } = await joinedChannel(at(7), { topic: 'orderbook.USD_NGN' });
		subscriber.queue.lagging.set(BOOK, 0);
		for (let times = 0; times < 3; times += 1) channel.rejoin(subscriber);
		expect([calls.resubscribed, subscriber.queue.lagging.has(BOOK)]).toEqual([1, true]);
		confirmed(at(7));
		expect(subscriber.queue.lagging.has(BOOK)).toBe(false);
		channel.rejoin(subscriber);
		expect(calls.resubscribed).toBe(2);
	});
});
