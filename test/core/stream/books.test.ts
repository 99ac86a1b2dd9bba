import type { StreamEvent } from '@partner-exchange/core';
import { data, openStage } from './stage';

const BOOK = 'orderbook.USD_NGN';
const book = (sequence: number) => ({ pair_id: 'USD/NGN', bids: [], asks: [], sequence });
const sequences = (events: readonly StreamEvent[]) =>
	events.map(({ data: payload }) => (payload as { sequence: number }).sequence);

describe('order books', () => {
	it('begin with the snapshot, and changes it holds already are not delivered after it (checklist 115)', async () => {
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

	it('take the snapshot of the confirmation where there is one, without a key', async () => {
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

	it('begin anew after a gap and with another epoch', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		lists['market.orderBook'] = [book(1)];
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		await pass(2_000);
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

	it('are called stale, one by one, while no snapshot can be read, and go on', async () => {
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

	it('are stale after a gap until a confirmation brings them anew, without a key', async () => {
		const { sockets, consume, settled, pass } = openStage({
			account: { apiKey: '' },
			confirms: () => ({ snapshots: { [BOOK]: book(8) } }),
		});
		const seen = consume({ topics: [BOOK] });
		await seen.subscription.ready;
		await pass(1_000);
		for (const sequence of [9, 11]) sockets[0]!.say(data(BOOK, sequence, book(sequence)));
		await pass(100);
		sockets[0]!.say(data(BOOK, 12, book(12)));
		await settled();
		expect(sequences(seen.events)).toEqual([8, 9, 11, 8, 12]);
		expect(seen.events.map(({ stale }) => stale)).toEqual([undefined, undefined, true, undefined, undefined]);
	});

	it('of a wildcard never have a snapshot', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['orderbook.*'] });
		await seen.subscription.ready;
		sockets[0]!.say(data(BOOK, 1, book(2)));
		await settled();
		expect(seen.events).toMatchObject([{ topic: BOOK, stale: true }]);
	});

	it('do not queue up: one who is late gets the book as it is then', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		lists['market.orderBook'] = [book(1)];
		let finish: () => void = () => undefined;
		const taken: number[] = [];
		const seen = consume({
			topics: [BOOK],
			take: (events) => {
				taken.push(...sequences(events));
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
		expect(taken.length).toBeLessThan(10);
		expect(taken.at(-1)).toBe(500);
	});
});
