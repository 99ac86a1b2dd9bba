import type { StreamEvent } from '@partner-exchange/core';
import { BOOK, book, openBook, sequences } from './book-stage';
import { data, openStage } from './stage';

const SECOND_MS = 1_000;
const confirmAt = (seq: number, epoch = 'e1') => ({ positions: { [BOOK]: { epoch, seq } } });

const snapshotsOf = (events: readonly StreamEvent[]) => events.filter(({ delivery }) => delivery === 'reconciled');

describe('an order book after a reconnect', () => {
	/** A book of which ten changes were delivered, and a REST answer that still shows the one before them. */
	async function reconnected() {
		const stage = await openBook({ confirms: () => confirmAt(10) });
		for (let change = 2; change <= 10; change += 1) stage.sockets[0]!.say(data(BOOK, change, book(change)));
		await stage.pass(SECOND_MS);
		stage.lists['market.orderBook'] = [book(5)];
		stage.sockets[0]!.close();
		await stage.pass(10 * SECOND_MS);
		return stage;
	}

	it('delivers no snapshot after a reconnect in the same epoch that is older than the changes, and a newer one once there is one', async () => {
		const { seen, lists, pass } = await reconnected();
		expect(sequences(snapshotsOf(seen.events))).toEqual([1]);
		lists['market.orderBook'] = [book(12)];
		await pass(8 * SECOND_MS);
		expect(seen.events.at(-1)).toMatchObject({ delivery: 'reconciled', data: { sequence: 12 } });
	});

	it('marks changes as stale after a reconnect in the same epoch until a snapshot is new enough', async () => {
		const { seen, sockets, pass, lists } = await reconnected();
		sockets.at(-1)!.say(data(BOOK, 11, book(11)));
		await pass(6 * SECOND_MS);
		expect(seen.events.at(-1)).toMatchObject({ stale: true, data: { sequence: 11 } });
		lists['market.orderBook'] = [book(12)];
		await pass(10 * SECOND_MS);
		expect(seen.events.at(-1)).not.toHaveProperty('stale');
	});

	it('uses a snapshot that stays older for longer than lists lag: the service counts again', async () => {
		const { seen, pass } = await reconnected();
		await pass(16 * SECOND_MS);
		expect(seen.events.at(-1)).toMatchObject({ delivery: 'reconciled', data: { sequence: 5 } });
	});

	it('uses any snapshot after a reconnect in another epoch', async () => {
		let epoch = 'e1';
		const stage = await openBook({ confirms: () => confirmAt(10, epoch) });
		stage.sockets[0]!.say(data(BOOK, 11, book(2)));
		await stage.pass(SECOND_MS);
		stage.lists['market.orderBook'] = [book(1)];
		epoch = 'e2';
		stage.sockets[0]!.close();
		await stage.pass(10 * SECOND_MS);
		expect(sequences(stage.seen.events)).toEqual([1, 2, 1]);
	});

	it('uses no older snapshot of a confirmation either', async () => {
		const stage = openStage({ confirms: false });
		const confirm = (sequence: number) =>
			stage.sockets.at(-1)!.say({
				...{ type: 'subscribed', topics: [BOOK], snapshots: { [BOOK]: book(sequence) } },
				...confirmAt(sequence),
			});
		const seen = stage.consume({ topics: [BOOK] });
		await stage.settled();
		confirm(1);
		await seen.subscription.ready;
		for (let change = 2; change <= 10; change += 1) stage.sockets[0]!.say(data(BOOK, change, book(change)));
		await stage.settled();
		stage.sockets[0]!.close();
		await stage.pass(9 * SECOND_MS);
		stage.lists['market.orderBook'] = [book(12)];
		confirm(5);
		await stage.pass(3 * SECOND_MS);
		expect(sequences(seen.events).slice(-2)).toEqual([10, 12]);
	});
});

describe('an order book without a sequence of its own', () => {
	const change = (number: number) => ({ pair_id: 'USD/NGN', bids: [[String(number), '1']], asks: [] });

	it('marks hardly any change of a book as stale if the numbers of its messages always jump', async () => {
		const stage = openStage();
		stage.lists['market.orderBook'] = [change(0)];
		const seen = stage.consume({ topics: [BOOK] });
		await seen.subscription.ready;
		await stage.pass(2 * SECOND_MS);
		let seq = 0;
		for (let number = 1; number <= 600; number += 1) {
			stage.sockets[0]!.say(data(BOOK, (seq += 1 + (number % 4)), change(number)));
			await stage.pass(SECOND_MS / 5);
		}
		const changes = seen.events.filter(({ delivery }) => delivery === 'live');
		expect(changes.length).toBeGreaterThan(500);
		expect(changes.filter(({ stale }) => stale).length).toBeLessThan(10);
	});

	it('reads a book without its own sequence again after a single jump', async () => {
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
