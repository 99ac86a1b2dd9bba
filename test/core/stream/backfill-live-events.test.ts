import { data, openStage, trade, type FakeSocket } from './stage';

const TRADES = 'trades.USD_NGN';

describe('what is live while what was before is read', () => {
	it('passes live events on although the backfill never ends, and reports it to no book', async () => {
		const stage = openStage();
		const { sockets, lists, client, consume, pass } = stage;
		lists['trade.list'] = [trade(1)];
		const seen = consume({ topics: [TRADES] });
		await seen.subscription.ready;
		await pass(30_000);
		client.page = async () => new Promise(() => undefined);
		sockets[0]!.close({});
		await pass(10_000);
		sockets[1]!.say(data(TRADES, 5, trade(5)));
		expect(seen.keys()).not.toContain('trade:trade-5');
		await pass(120_000);
		expect(seen.keys()).toContain('trade:trade-5');
		expect(seen.notices.map(({ text }) => text).filter((text) => text.includes('book'))).toEqual([]);
	});

	/** A trade arrives during the backfill, and the connection ends. */
	async function openHolding() {
		const stage = openStage();
		const { sockets, client, consume, pass } = stage;
		const seen = consume({ topics: [TRADES] });
		await seen.subscription.ready;
		await pass(30_000);
		client.page = async () => new Promise(() => undefined);
		const reconnect = async (last: FakeSocket) => {
			last.close({});
			for (let tenths = 0; tenths < 100 && sockets.at(-1) === last; tenths += 1) await pass(100);
		};
		await reconnect(sockets[0]!);
		sockets[1]!.say(data(TRADES, 7, trade(5)));
		await reconnect(sockets[1]!);
		expect(sockets).toHaveLength(3);
		return { ...stage, seen };
	}

	it('acknowledges no live event while it is held, although the topic is confirmed again', async () => {
		const { seen } = await openHolding();
		await seen.subscription.close();
		expect(seen.keys()).toEqual([]);
		expect(seen.positions).toHaveProperty(['topics', TRADES]);
		expect(seen.positions).not.toHaveProperty(['topics', TRADES, 'seq']);
	});

	it('moves the position once a held live event was passed on and acknowledged', async () => {
		const { seen, pass } = await openHolding();
		await pass(120_000);
		expect(seen.keys()).toEqual(['trade:trade-5']);
		expect(seen.positions).toMatchObject({ topics: { [TRADES]: { value: { epoch: 'e1', seq: 7 } } } });
	});

	it('tells a live event from one that another run of the service numbers alike', async () => {
		const { seen, sockets, pass } = await openHolding();
		const other = { ...trade(5), id: 'other' };
		sockets[2]!.say(data(TRADES, 1, other, 'e2'));
		await pass(120_000);
		expect(seen.keys()).toEqual(['trade:trade-5', 'trade:other']);
	});
});
