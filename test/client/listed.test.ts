import { ExchangeError } from '@partner-exchange/core';
import { listedValue, cachedLists } from '../../packages/core/src/client/listed';
import { failure, success, useWire } from '../support/wire';

const { wire, client } = useWire();

beforeEach(() => {
	wire.on('GET /partner/exchange/markets', success({ markets: [{ pair_id: 'USD/NGN' }, { pair_id: 'EUR/NGN' }] }));
	wire.on('GET /partner/wallets/currencies', success({ currencies: [{ code: 'NGN' }, { code: 'USD' }] }));
	wire.on('GET /partner/exchange/ticker/24h', success({ pair_id: 'USD/NGN' }));
	wire.on('GET /partner/exchange/fills', success({ fills: [] }));
	wire.on('GET /partner/wallets/transactions', success({ transactions: [] }));
});

const ticker = 'GET /partner/exchange/ticker/24h';

const markets = 'GET /partner/exchange/markets';

const request = () => new URLSearchParams(wire.calls(ticker)[0]!.path.split('?')[1]).get('pair_id');

const problemOf = async (work: Promise<unknown>): Promise<ExchangeError> =>
	await work.then(
		() => Promise.reject(new Error('it was accepted')),
		(error: ExchangeError) => error,
	);

const list = async (id: 'fill.list' | 'transaction.list', input: Record<string, unknown>) => {
	for await (const item of client.items(id, input)) return item;
	return undefined;
};

describe('a pair', () => {
	it.each(['usd/ngn', 'USDNGN', 'usd_ngn', 'Usd-Ngn', ' USD/NGN '])(
		'sends the pair %j as the service lists it',
		async (pair) => {
			await client.market.ticker({ pair_id: pair });
			expect(request()).toBe('USD/NGN');
		},
	);

	it.each(['us/dngn', 'usdn/gn', 'us-dn-gn', 'usd/n/gn'])(
		'takes %j, separated elsewhere, for no pair',
		async (pair) => {
			expect((await problemOf(client.market.ticker({ pair_id: pair }))).message).toContain(`There is no pair ${pair}`);
			expect(wire.calls(ticker)).toEqual([]);
		},
	);

	it('refuses an unlisted pair by name, with those there are', async () => {
		const problem = await problemOf(client.market.ticker({ pair_id: 'usd/ghs' }));
		expect(problem).toMatchObject({ code: 'invalid_input', field: 'pair_id' });
		expect(problem.message).toBe(
			'Get Ticker: There is no pair usd/ghs. The service offers USD/NGN, EUR/NGN; nothing was sent.',
		);
		expect(wire.calls(ticker)).toEqual([]);
	});

	it('corrects the letters of a pair when the markets cannot be read', async () => {
		wire.on(markets, failure(403, { message: 'not allowed' }));
		await client.market.ticker({ pair_id: 'usd_ngn' });
		expect(request()).toBe('USD/NGN');
	});
});

describe('a filter by a name nobody has', () => {
	it.each([
		['fill.list', { pair_id: 'USD/NGM' }, 'There is no pair USD/NGM. The service offers USD/NGN, EUR/NGN'],
		['transaction.list', { currency: 'NGM' }, 'There is no wallet currency NGM. The service offers NGN, USD'],
		['transaction.list', { currency: 'naira' }, 'There is no wallet currency naira'],
	] as const)('refuses %s %j instead of finding nothing', async (id, input, what) => {
		expect((await problemOf(list(id, input))).message).toContain(what);
	});
});

describe('a value that is looked for in a list', () => {
	const listed = async (value: string, rows: unknown, picker: 'pair' | 'currency' | 'chain' = 'pair') =>
		await listedValue({ operation: 'Events', field: 'pair_id', picker, value }, () =>
			rows instanceof Error ? Promise.reject(rows) : Promise.resolve(rows),
		);
	const pairs = { markets: [{ pair_id: 'USD/NGN' }, { pair_id: 'usd-ngn' }, { pair_id: 'EUR/NGN' }, { name: 'odd' }] };

	it('chooses no value when several mean the same, or one is listed twice', async () => {
		await expect(listed('usdngn', pairs)).rejects.toMatchObject({ details: { rule: 'pair_id', pair_id: 'usdngn' } });
		expect(await listed('usdngn', [{ pair_id: 'USD/NGN' }, { symbol: 'USD/NGN' }])).toBe('USD/NGN');
	});

	it.each([
		['usd ngn', 'USD/NGN'],
		['usd:ngn', 'USD/NGN'],
		['usd-ngn', 'USD/NGN'],
		['usd_ngn', 'USD/NGN'],
		['usdngn', 'USDNGN'],
		['usd.ngn', 'USD.NGN'],
		['usd_ngn_x', 'USD_NGN_X'],
		['x.usd_ngn', 'X.USD_NGN'],
		['usd_ngn.x', 'USD_NGN.X'],
	])('corrects %s by its letters alone when nothing is listed: %s', async (value, expected) => {
		expect(await listed(value, { markets: [] })).toBe(expected);
		expect(await listed(value, new ExchangeError('forbidden', { what: 'simulated' }))).toBe(expected);
	});
});

describe('the lists that a client reuses', () => {
	it('reads a list that seldom changes once a minute, and again at once after a reading that failed', async () => {
		let [now, reads] = [0, 0];
		const clock = { now: () => now, elapsed: () => now, after: () => () => undefined };
		const lists = cachedLists(clock, () => {
			reads += 1;
			return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(reads);
		});
		await expect(lists('market.list')).rejects.toThrow('away');
		expect(await Promise.all([lists('market.list'), lists('market.list')])).toEqual([2, 2]);
		now += 59_999;
		expect(await lists('market.list')).toBe(2);
		now += 1;
		expect(await lists('market.list')).toBe(3);
	});
});
