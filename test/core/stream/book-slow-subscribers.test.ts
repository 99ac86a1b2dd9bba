import { ExchangeError, type StoredCheckpoint, type StreamEvent } from '@partner-exchange/core';
import { BOOK, book, openBook, sequences } from './book-stage';
import { data, openStage } from './stage';

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
		stage.sockets[0]!.say(data(BOOK, 2, book(2)));
		await stage.settled();
		for (const { events } of [first, second]) expect(sequences(events)).toEqual([1, 2]);
	});

	it.each([
		['for the first time', () => undefined],
		['back', (stored: StoredCheckpoint | undefined) => stored],
	])('a late subscriber of a book that comes %s gets nothing before the whole book', async (_, storedOf) => {
		const { sockets, consume, settled, pass } = openStage({ confirms: false });
		const confirm = (sequence: number) =>
			sockets[0]!.say({ type: 'subscribed', topics: [BOOK], snapshots: { [BOOK]: book(sequence) } });
		const first = consume({ topics: [BOOK] });
		await settled();
		confirm(1);
		await pass(20_000);
		const second = consume({ topics: [BOOK], checkpoint: storedOf(first.positions) });
		await settled();
		sockets[0]!.say(data(BOOK, 2, book(2)));
		await settled();
		confirm(2);
		await second.subscription.ready;
		sockets[0]!.say(data(BOOK, 3, book(3)));
		await settled();
		expect(sequences(first.events)).toEqual([1, 2, 2, 3]);
		expect(sequences(second.events)).toEqual([2, 3]);
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

	it('a book comes whole again if its changes were dropped before delivery could begin', async () => {
		const { sockets, lists, faults, consume, settled, pass } = openStage();
		faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service is away' });
		const seen = consume({ topics: [BOOK, 'user.fills'], retriesFirstConnection: true });
		await settled();
		for (let sequence = 2; sequence <= 120; sequence += 1) sockets[0]!.say(data(BOOK, sequence, book(sequence)));
		await pass(6_000);
		expect(seen.events).toEqual([]);
		lists['market.orderBook'] = [book(120)];
		faults['fill.list'] = undefined;
		await pass(15_000);
		await seen.subscription.ready;
		expect(sequences(seen.events)).toEqual([120]);
	});

	it('a book comes whole with each confirmation, although two are read in the same moment', async () => {
		const { sockets, consume, settled } = openStage({ confirms: false });
		const confirm = (sequence: number) =>
			sockets[0]!.say({ type: 'subscribed', topics: [BOOK], snapshots: { [BOOK]: book(sequence) } });
		const seen = consume({ topics: [BOOK] });
		await settled();
		confirm(1);
		for (let sequence = 2; sequence <= 50; sequence += 1) sockets[0]!.say(data(BOOK, sequence, book(sequence)));
		confirm(50);
		sockets[0]!.say(data(BOOK, 51, book(51)));
		await settled();
		expect(sequences(seen.events).at(-1)).toBe(51);
		expect(new Set(seen.keys()).size).toBe(seen.events.length);
	});

	it('a book comes whole for a rejoining subscriber, although nothing changed', async () => {
		const { lists, sockets, consume, settled, pass } = openStage();
		lists['market.orderBook'] = [{ ...book(1), timestamp: '2026-01-05T09:00:00.000Z' }];
		const first = consume({ topics: [BOOK] });
		await first.subscription.ready;
		await pass(2_000);
		await first.subscription.close();
		const next = consume({ topics: [BOOK], checkpoint: first.positions });
		await next.subscription.ready;
		await pass(2_000);
		sockets[0]!.say(data(BOOK, 2, book(2)));
		await settled();
		expect(sequences(first.events)).toEqual([1]);
		expect(sequences(next.events)).toEqual([1, 2]);
	});

	it('a late subscriber gets nothing before the whole book, however long that takes', async () => {
		const { sockets, lists, consume, settled, pass } = openStage({ confirms: false });
		const confirm = async () => {
			sockets[0]!.say({ type: 'subscribed', topics: [BOOK] });
			await pass(2_000);
		};
		lists['market.orderBook'] = [book(1)];
		let finish: () => void = () => undefined;
		const deliveries: StreamEvent[] = [];
		consume({
			topics: [BOOK],
			deliver: (events) => {
				deliveries.push(...events);
				return new Promise((resolve) => (finish = resolve));
			},
		});
		const beside = consume({ topics: [BOOK], batchMax: 1_000 });
		await settled();
		await confirm();
		const tell = async (from: number, to: number) => {
			for (let sequence = from; sequence <= to; sequence += 1) {
				sockets[0]!.say(data(BOOK, sequence, book(sequence)));
				await settled();
			}
		};
		const finishAll = async () => {
			for (let turn = 0; turn < 200; turn += 1) {
				finish();
				await settled();
			}
		};
		await tell(2, 200);
		await finishAll();
		await tell(201, 250);
		await finishAll();
		expect(sequences(deliveries).filter((sequence) => sequence > 200)).toEqual([]);
		lists['market.orderBook'] = [book(250)];
		await confirm();
		await tell(251, 252);
		await finishAll();
		expect(sequences(deliveries).slice(-3)).toEqual([250, 251, 252]);
		expect(sequences(beside.events)).toContain(225);
		const requests = sockets[0]!.sent.filter(({ type }) => type === 'subscribe');
		expect(requests).toHaveLength(2);
	});
});
