import type { Item } from '@partner-exchange/core';
import { data, openStage, trade } from './stage';

const TRADES = { topics: ['trades.USD_NGN'] };
const MINUTE_MS = 60_000;

describe('what may be missing', () => {
	it('names a gap beyond the trades it reads back', async () => {
		const { sockets, lists, consume, pass } = openStage();
		lists['market.trades'] = [trade(1)];
		const seen = consume({ ...TRADES, batchMax: 5_000 });
		await seen.subscription.ready;
		lists['market.trades'] = Array.from({ length: 12_000 }, (_, index) => trade(index + 1));
		sockets[0]!.say(data('trades.USD_NGN', 1, trade(12_000)));
		await pass(MINUTE_MS);
		const gaps = seen.events.filter(({ data: payload }) => 'gap' in (payload as object));
		expect(gaps).toHaveLength(1);
		expect(gaps[0]).toMatchObject({
			kind: 'gap',
			delivery: 'reconciled',
			data: {
				gap: { after_sequence: expect.any(Number) as number, before_sequence: null },
				pair: 'USD_NGN',
				may_be_missing: expect.stringMatching(/^Public Trades after \d+$/) as string,
				done: 'open_end',
			},
		});
		expect(seen.events.filter(({ kind }) => kind === undefined)).not.toHaveLength(11_999);
		expect(seen.notices).toContainEqual(expect.objectContaining({ kind: 'gap' }));
		expect(seen.subscription.counters()).toMatchObject({ gaps: 1 });
	});

	it('names no gap if the stream has brought nothing beyond what is read', async () => {
		const { lists, consume, pass } = openStage();
		lists['market.trades'] = [trade(1)];
		const seen = consume({ ...TRADES, batchMax: 5_000 });
		await seen.subscription.ready;
		lists['market.trades'] = Array.from({ length: 12_000 }, (_, index) => trade(index + 1));
		await pass(MINUTE_MS);
		expect(seen.events).toHaveLength(11_999);
		expect(seen.events.every(({ kind }) => kind === undefined)).toBe(true);
	});

	it('reports a gap if nothing can be read and the service is further on, but was not asked to replay', async () => {
		let head: object = {};
		const account = { apiKey: '', names: { 'stream.resume': '' } };
		const { sockets, consume, settled, pass } = openStage({ account, confirms: () => head as Item });
		const seen = consume(TRADES);
		await seen.subscription.ready;
		sockets[0]!.say(data('trades.USD_NGN', 7, trade(40)));
		await settled();
		head = { positions: { 'trades.USD_NGN': { epoch: 'e1', seq: 7 } } };
		sockets[0]!.close();
		await pass(10_000);
		expect(seen.keys()).toEqual(['trade:trade-40']);
		head = { positions: { 'trades.USD_NGN': { epoch: 'e1', seq: 9 } } };
		sockets[1]!.close();
		await pass(10_000);
		expect(seen.keys()).toEqual(['trade:trade-40', 'gap:trades.USD_NGN:e1:40:']);
	});

	it('reports a gap past every filter if nothing can be read, unless what was missed is replayed', async () => {
		let head: object = {};
		const { sockets, consume, settled, pass } = openStage({ account: { apiKey: '' }, confirms: () => head as Item });
		const seen = consume({ ...TRADES, filters: { minQuantity: '1000', sides: ['sell'] } });
		await seen.subscription.ready;
		sockets[0]!.say(data('trades.USD_NGN', 7, trade(40)));
		await settled();
		head = { positions: { 'trades.USD_NGN': { epoch: 'e1', seq: 7 } } };
		sockets[0]!.close();
		await pass(10_000);
		expect(seen.events).toEqual([]);
		head = { positions: { 'trades.USD_NGN': { epoch: 'e2', seq: 0 } } };
		sockets[1]!.close();
		await pass(10_000);
		expect(seen.events[0]).toMatchObject({
			kind: 'gap',
			topic: 'trades.USD_NGN',
			data: { gap: { after_sequence: 40, before_sequence: null }, done: 'not_readable' },
		});
	});
});
