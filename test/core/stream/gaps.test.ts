import { ExchangeError, type Item } from '@partner-exchange/core';
import { noticeText } from '@partner-exchange/core/adapters';
import { createHistory } from '../../../packages/core/src/stream/sources/history';
import { data, openStage, trade, follow } from './stage';

const TRADES = { topics: ['trades.USD_NGN'] };

describe('what may be missing', () => {
	it('reports a gap if nothing can be read and the service is further on, but was not asked to replay', async () => {
		let head: object = {};
		const account = { apiKey: '', names: { 'stream.resume': '' } };
		const { say, sockets, pass, seen } = await follow(TRADES, { account, confirms: () => head as Item });
		await say(data('trades.USD_NGN', 7, trade(40)));
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
		const { say, sockets, pass, seen } = await follow(
			{ ...TRADES, filters: { minQuantity: '1000', sides: ['sell'] } },
			{ account: { apiKey: '' }, confirms: () => head as Item },
		);
		await say(data('trades.USD_NGN', 7, trade(40)));
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

const MINUTE_MS = 60_000;

const REFUSED = new ExchangeError('forbidden', { what: 'The key may not read' });

describe.each([
	['trades.USD_NGN', 'market.trades'],
	['user.fills', 'fill.list'],
])('an outage of %s, whose list is refused later', (topic, list) => {
	const openTopic = async () => {
		const stage = openStage();
		stage.lists[list] = Array.from({ length: 20 }, (_, index) => trade(index + 1));
		const seen = stage.consume({ topics: [topic], retriesFirstConnection: true });
		await stage.pass(MINUTE_MS);
		/** The connection stays: the service answers pings. */
		const pass = async (ms: number): Promise<void> => {
			for (let left = ms; left > 0; left -= MINUTE_MS / 2) {
				await stage.pass(MINUTE_MS / 2);
				stage.sockets.at(-1)!.say({ type: 'pong' });
			}
		};
		const gapsAfterOutage = async (isRefusedAtOnce: boolean): Promise<number> => {
			stage.sockets.at(-1)!.close();
			if (isRefusedAtOnce) stage.faults[list] = REFUSED;
			await pass(5 * MINUTE_MS);
			stage.faults[list] = REFUSED;
			await pass(60 * MINUTE_MS);
			return seen.events.filter(({ kind }) => kind === 'gap').length;
		};
		return gapsAfterOutage;
	};

	it('an outage that was read back is no gap when the list is refused later', async () => {
		const gapsAfterOutage = await openTopic();
		expect(await gapsAfterOutage(false)).toBe(0);
	});

	it('an outage that nothing has read back yet is a gap when the list is refused', async () => {
		const gapsAfterOutage = await openTopic();
		expect(await gapsAfterOutage(true)).toBe(1);
	});
});

describe('public trades since a first start whose key may not read, when a process may', () => {
	const PAGE_MAX = 10;
	const first = { ...TRADES, batchMax: 1_000, retriesFirstConnection: true };

	async function begin() {
		const stage = openStage({ pageMax: PAGE_MAX });
		const numbered = (from: number, to: number): Item[] =>
			Array.from({ length: to - from + 1 }, (_, index) => ({
				...trade(from + index),
				created_at: new Date(stage.time.now() + from + index).toISOString(),
			}));
		return { stage, numbered };
	}

	it('tells each of several consumers the same gap, one of them later', async () => {
		const { stage, numbered } = await begin();
		stage.faults['market.trades'] = REFUSED;
		const seen = stage.consume(first);
		await stage.pass(10_000);
		const { positions: checkpoint } = seen;
		await seen.subscription.close();
		stage.lists['market.trades'] = numbered(1, 100);
		stage.faults['market.trades'] = undefined;
		const early = stage.consume({ ...first, checkpoint });
		await stage.pass(MINUTE_MS / 2);
		const late = stage.consume({ ...first, checkpoint });
		await stage.pass(2 * MINUTE_MS);
		for (const { events, keys } of [early, late]) {
			expect(events.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
			expect(new Set(keys()).size).toBe(1 + PAGE_MAX);
		}
	});

	it('reads on from the number that its first process had seen, although another consumer has read further', async () => {
		const { stage, numbered } = await begin();
		stage.lists['market.trades'] = numbered(1, 300);
		const other = stage.consume(first);
		await stage.pass(2 * MINUTE_MS);
		stage.faults['market.trades'] = REFUSED;
		await stage.pass(2 * MINUTE_MS);
		const seen = stage.consume(first);
		await stage.pass(10_000);
		const { positions: checkpoint } = seen;
		await Promise.all([seen.subscription.close(), other.subscription.close()]);
		stage.lists['market.trades'].push(...numbered(301, 340));
		stage.faults['market.trades'] = undefined;
		stage.consume(first);
		await stage.pass(MINUTE_MS / 2);
		const again = stage.consume({ ...first, checkpoint });
		await stage.pass(2 * MINUTE_MS);
		expect(new Set(again.keys())).toEqual(new Set(numbered(301, 340).map(({ id }) => `trade:${String(id)}`)));
	});
});

const { signal } = new AbortController();

function open(...names: string[]) {
	const markets = names.map((pair_id): Item => ({ pair_id }));
	const calls: unknown[][] = [];
	const service = { fails: false };
	const page = async (...args: unknown[]) => {
		calls.push(args);
		if (service.fails) throw new ExchangeError('unavailable', { what: 'The service failed' });
		return await Promise.resolve([...markets]);
	};
	const call = async (...args: unknown[]) => (calls.push(args), await Promise.resolve({}));
	const history = createHistory({ page, call });
	return { history, calls, service, markets, pair: async (key: string) => history.pairOf(`trades.${key}`, signal) };
}

describe('what REST tells of a topic', () => {
	it('requests the history of a topic once, and waits for it no longer than its limit', async () => {
		const { history, calls } = open();
		await history.read('market.orderBook', { pair_id: 'USD/NGN' }, signal);
		expect(calls).toEqual([['market.orderBook', { pair_id: 'USD/NGN' }, { signal, retries: 0 }]]);
	});
});

describe('the pair of a topic', () => {
	it('names the pair of a topic as its market does, and reads the markets once for each', async () => {
		const { pair, calls } = open('A_B/C', 'USD/NGN', 'X/Y_Z');
		expect([await pair('A_B_C'), await pair('X_Y_Z'), await pair('A_B_C')]).toEqual(['A_B/C', 'X/Y_Z', 'A_B/C']);
		expect(calls).toHaveLength(2);
	});

	it('guesses the name of a pair that no market has, and reads the markets again for the next one', async () => {
		const { pair, calls, markets } = open('USD/NGN');
		expect([await pair('A_B_C'), await pair('A_B_C')]).toEqual(['A/B/C', 'A/B/C']);
		expect(calls).toHaveLength(1);
		markets.push({ pair_id: 'C_D/E' });
		expect([await pair('C_D_E'), calls.length]).toEqual(['C_D/E', 2]);
	});

	it('does not read the markets for a pair that can be written in one way alone', async () => {
		const { pair, calls } = open('USD/NGN');
		expect([await pair('USD_NGN'), calls]).toEqual(['USD/NGN', []]);
	});

	it('guesses the name of a pair while the markets cannot be read', async () => {
		const { pair, service } = open('A_B/C');
		service.fails = true;
		expect(await pair('A_B_C')).toBe('A/B/C');
		service.fails = false;
		expect(await pair('A_B_C')).toBe('A_B/C');
	});
});

describe('numbers beyond those that JavaScript holds exactly', () => {
	const TRADES = 'trades.USD_NGN';

	/** Beyond what a number of JavaScript holds exactly. */
	const HUGE = 9_007_199_254_740_993_000n;

	/** A service writes integers, and JSON is read without rounding them: as text. */
	const huge = (number: number): Item => ({
		...trade(number),
		id: `trade-${number}`,
		sequence: String(HUGE + BigInt(number)),
	});

	const numbered = (numbers: readonly number[]): Item[] => numbers.map(huge);

	async function following() {
		const stage = openStage({ pageMax: 20 });
		stage.client.page = async (id: string, { after_sequence: after }: Item) => {
			stage.reads.push(id);
			await Promise.resolve();
			const rows = stage.lists[id] ?? [];
			const isAsked = ({ sequence }: Item) => BigInt(sequence as string) > BigInt((after ?? 0) as string);
			return rows.filter(isAsked).slice(0, 20);
		};
		stage.lists['market.trades'] = numbered([1, 2, 3]);
		const seen = stage.consume({ topics: [TRADES], batchMax: 50 });
		await seen.subscription.ready;
		await stage.pass(1_000);
		return { ...stage, seen };
	}

	it('public trades that the stream left out are read back, each once', async () => {
		const { sockets, lists, seen, pass } = await following();
		lists['market.trades'] = numbered(Array.from({ length: 60 }, (_, index) => index + 1));
		sockets[0]!.say(data(TRADES, 1, huge(4)));
		await pass(120_000);
		const expected = Array.from({ length: 57 }, (_, index) => `trade:trade-${index + 4}`);
		expect(seen.keys()).toEqual(expected);
	});

	it('what came while nobody listened is read from the stored number on', async () => {
		const { lists, seen, stream, consume, pass, requests } = await following();
		await pass(60_000);
		await seen.subscription.close();
		lists['market.trades'] = numbered(Array.from({ length: 8 }, (_, index) => index + 1));
		const again = consume({ topics: [TRADES], checkpoint: seen.positions });
		await again.subscription.ready;
		await pass(60_000);
		expect([again.keys().sort(), requests]).toEqual([[4, 5, 6, 7, 8].map((number) => `trade:trade-${number}`), []]);
		await stream.close();
	});

	it('a subscription resumes from the exact position, and tells it', async () => {
		const { sockets, seen, settled, pass } = await following();
		const seq = String(HUGE + 7n);
		sockets[0]!.say(data(TRADES, seq, huge(4)));
		await settled();
		expect(seen.events.at(-1)).toMatchObject({ seq, eventKey: 'trade:trade-4' });
		sockets[0]!.close();
		await pass(10_000);
		expect(sockets[1]!.sent[0]).toMatchObject({ resume: { [TRADES]: { epoch: 'e1', seq } } });
	});
});

describe('what is told beside the events, as a sentence', () => {
	it('a notice says how much may be missing, and why it cannot be read', () => {
		const data = { topic: 'trades.USD_NGN', may_be_missing: 'Trades 3 to 9', done: 'out_of_reach' };
		expect(noticeText({ kind: 'gap', data })).toBe(
			'Trades 3 to 9 may be missing. The REST list no longer goes back this far; events before and after the gap were delivered',
		);
	});

	it('a notice says which order does not add up, and what was done about it', () => {
		const data = { order_id: 'o1', counted: '10', expected: '30', done: 'reading_failed' };
		expect(noticeText({ kind: 'incomplete_fills', data })).toBe(
			"Order o1 has a filled quantity of 30, its fills add up to 10. The order's fills could not be read",
		);
	});

	it('a notice says nothing of an event of the service', () => {
		expect(noticeText({ data: { order_id: 'o1' } })).toBeUndefined();
	});
});
