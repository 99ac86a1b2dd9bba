import { ask, create, limit, place, sandboxFor, sandboxForEach, type Json } from './connection';
import type { Sandbox } from '@partner-exchange/sandbox';

const sandbox = sandboxForEach();

const other = 'sandbox-key-second';
const HOUR_MS = 3_600_000;

async function trade(sandbox: Sandbox, price = '1500.00'): Promise<void> {
	await place(sandbox, { price, quantity: '1.00' });
	await place(sandbox, { price, quantity: '1.00', side: 'sell' }, other);
}

const candlesOf = async (sandbox: Sandbox, query: string): Promise<Json[]> =>
	(await ask(sandbox, `GET /partner/exchange/candles?pair_id=USD%2FNGN&${query}`)).json.data!.candles as Json[];
const tradesOf = async (sandbox: Sandbox, query = ''): Promise<Json[]> =>
	(await ask(sandbox, `GET /partner/exchange/trades?pair_id=USD%2FNGN${query}`)).json.data!.trades as Json[];

describe('a pair in a path', () => {
	it('finds a pair with its slash encoded in either case, and not with a raw one', async () => {
		for (const pair of ['USD%2FNGN', 'USD%2fNGN']) {
			expect((await ask(sandbox, `GET /partner/exchange/orderbook/${pair}/snapshot`)).json.data!.pair_id).toBe(
				'USD/NGN',
			);
			expect((await ask(sandbox, `GET /partner/exchange/orderbook/${pair}/levels`)).status).toBe(200);
		}
		expect((await ask(sandbox, 'GET /partner/exchange/orderbook/USD/NGN/snapshot')).status).toBe(404);
		expect((await ask(sandbox, 'GET /partner/exchange/orderbook/%/snapshot')).status).toBe(404);
	});
});

describe('market data', () => {
	it('closes candles on UTC boundaries when a virtual hour passes at once', async () => {
		sandbox.advance(HOUR_MS - 10_000);
		await trade(sandbox, '1500.00');
		sandbox.advance(HOUR_MS);
		await trade(sandbox, '1510.00');
		await trade(sandbox, '1490.00');
		sandbox.advance(10_000);
		await trade(sandbox, '1495.00');
		const candles = await candlesOf(sandbox, 'interval=1h');
		expect(candles.map(({ timestamp, trade_count: count }) => [timestamp, count])).toEqual([
			['2026-01-01T00:00:00.000Z', 1],
			['2026-01-01T01:00:00.000Z', 2],
			['2026-01-01T02:00:00.000Z', 1],
		]);
		expect(candles[1]).toMatchObject({
			open: '1510.00',
			high: '1510.00',
			low: '1490.00',
			close: '1490.00',
			volume: '2.00',
			volume_quote: '3000.00',
		});
		for (const candle of await candlesOf(sandbox, 'interval=1m'))
			expect((candle.timestamp as string).endsWith(':00.000Z')).toBe(true);
	});

	it('pages trades by sequence without a gap', async () => {
		for (let index = 0; index < 5; index++) await trade(sandbox);
		const matches: number[] = [];
		for (let after = 0; ;) {
			const page = await tradesOf(sandbox, `&after_sequence=${after}&limit=2`);
			if (page.length === 0) break;
			matches.push(...page.map(({ sequence }) => Number(sequence)));
			after = matches[matches.length - 1] as number;
		}
		expect(matches).toEqual([1, 2, 3, 4, 5]);
	});
});

describe('limits', () => {
	it.each([
		'candles?pair_id=USD%2FNGN&interval=1m',
		'trades?pair_id=USD%2FNGN',
		'orders?',
		'fills?',
		'orderbook/USD%2FNGN/snapshot?',
	])('lowers limits of %s above the cap, and refuses invalid ones', async (route) => {
		const name = route.startsWith('orderbook') ? 'levels' : 'limit';
		const statuses = [];
		for (const value of ['1000000', '0', '-1', 'abc', '1.5', ''])
			statuses.push((await ask(sandbox, `GET /partner/exchange/${route}&${name}=${value}`)).status);
		expect(statuses).toEqual([200, 400, 400, 400, 400, 400]);
	});

	it('caps a page of trades at 500', async () => {
		for (let index = 0; index < 505; index++) {
			for (const [accountId, side] of [
				['trader', 'buy'],
				['second', 'sell'],
			] as const) {
				sandbox.exchange.apply({
					kind: 'order_create',
					accountId,
					fields: limit({ side, quantity: '1.00' }),
					key: `${side}-${index}`,
					fingerprint: '',
				});
			}
			sandbox.advance(5);
		}
		expect(await tradesOf(sandbox, '&limit=100000')).toHaveLength(500);
		expect(await tradesOf(sandbox)).toHaveLength(50);
	});

	it.each([
		['told', '1'],
		['silent', null],
	])('answers 429 beyond the allowed requests a second, with Retry-After %s', async (retry_after, expected) => {
		const sandbox = await sandboxFor({ requestsPerSecond: 3, dialect: { retry_after } });
		const statuses = [];
		for (let index = 0; index < 4; index++) statuses.push((await create(sandbox, limit())).status);
		expect(statuses).toEqual([201, 201, 201, 429]);
		const limited = await create(sandbox, limit());
		expect(limited.headers.get('retry-after')).toBe(expected);
		expect((await create(sandbox, limit(), { key: 'sandbox-key-second' })).status).toBe(201);
		sandbox.advance(1_000);
		expect((await create(sandbox, limit())).status).toBe(201);
	});
});
