import type { Client, ExchangeError } from '@partner-exchange/core';
import { failure, startWire, success, wireClient, type Wire } from '../support/wire';

let wire: Wire;
let client: Client;
beforeEach(async () => {
	wire = await startWire();
	client = wireClient(wire);
	wire.on('GET /partner/exchange/markets', success({ markets: [{ pair_id: 'USD/NGN' }, { pair_id: 'EUR/NGN' }] }));
	wire.on('GET /partner/wallets/currencies', success({ currencies: [{ code: 'NGN' }, { code: 'USD' }] }));
	wire.on('GET /partner/exchange/ticker/24h', success({ pair_id: 'USD/NGN' }));
	wire.on('GET /partner/exchange/fills', success({ fills: [] }));
	wire.on('GET /partner/wallets/transactions', success({ transactions: [] }));
});
afterEach(() => wire.close());

const ticker = 'GET /partner/exchange/ticker/24h';
const markets = 'GET /partner/exchange/markets';
const asked = () => new URLSearchParams(wire.calls(ticker)[0]!.path.split('?')[1]).get('pair_id');
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
		'%j is sent as the service lists it',
		async (pair) => {
			await client.market.ticker({ pair_id: pair });
			expect(asked()).toBe('USD/NGN');
		},
	);

	it('written as the service writes it costs no other reading', async () => {
		await client.market.ticker({ pair_id: 'USD/NGN' });
		expect(wire.calls(markets)).toEqual([]);
	});

	it('nobody lists is refused by name, with those there are', async () => {
		const problem = await problemOf(client.market.ticker({ pair_id: 'usd/ghs' }));
		expect(problem).toMatchObject({ code: 'invalid_input', field: 'pair_id' });
		expect(problem.message).toBe(
			'Get Ticker: There is no market usd/ghs. The service offers USD/NGN, EUR/NGN; nothing was sent.',
		);
		expect(wire.calls(ticker)).toEqual([]);
	});

	it('is put right by its letters alone where the markets cannot be read', async () => {
		wire.on(markets, failure(403, { message: 'not allowed' }));
		await client.market.ticker({ pair_id: 'usd_ngn' });
		expect(asked()).toBe('USD/NGN');
	});
});

describe('a filter by a name nobody has', () => {
	it.each([
		['fill.list', { pair_id: 'USD/NGM' }, 'There is no market USD/NGM. The service offers USD/NGN, EUR/NGN'],
		['transaction.list', { currency: 'NGM' }, 'There is no wallet currency NGM. The service offers NGN, USD'],
		['transaction.list', { currency: 'naira' }, 'There is no wallet currency naira'],
	] as const)('%s %j is refused instead of finding nothing', async (id, input, what) => {
		expect((await problemOf(list(id, input))).message).toContain(what);
	});

	it.each([
		['fill.list', { pair_id: 'EUR/NGN' }],
		['transaction.list', { currency: 'ngn' }],
	] as const)('%s %j may find nothing', async (id, input) => {
		expect(await list(id, input)).toBeUndefined();
	});
});
