import { ExchangeError, pollRates, type RateThreshold } from '@partner-exchange/core';

const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 5, 9, minutes)).toISOString();
const line: RateThreshold = { pair_id: 'USD/NGN', amount: '1600' };

const clientOf = (ticker: unknown, now = Date.UTC(2026, 0, 5)) => ({
	call: async () => await Promise.resolve(ticker),
	now: () => now,
});

/** What is told of answers that come one after another, each as `value: crossing`; what is stored survives a restart. */
async function tell(threshold: Partial<RateThreshold>, tickers: readonly unknown[], now?: number) {
	let state: unknown;
	const told: string[] = [];
	const keys: string[] = [];
	const learned: boolean[] = [];
	for (const ticker of tickers) {
		const polled = await pollRates(clientOf(ticker, now), state, [{ ...line, ...threshold }]);
		state = JSON.parse(JSON.stringify(polled.state)) as unknown;
		told.push(...polled.events.map(({ value, crossing }) => `${value}: ${crossing}`));
		keys.push(...polled.events.map(({ eventKey }) => eventKey));
		learned.push(polled.learned);
	}
	return { told, keys, learned };
}
const last = (...prices: unknown[]) => prices.map((price) => ({ pair_id: 'USD/NGN', last_price: price }));

describe('a rate that crosses a line', () => {
	it.each<[string, Partial<RateThreshold>, string[], string[]]>([
		['is not told at the first look', {}, ['1500', '1500'], []],
		[
			'is told once, and again after it came back',
			{},
			['1700', '1599.99', '1500', '1600', '1599', '1800'],
			['1599.99: below', '1599: below'],
		],
		[
			'is told again only after the margin',
			{ hysteresis: '20' },
			['1700', '1599', '1601', '1599', '1620', '1599'],
			['1599: below', '1599: below'],
		],
		[
			'is told where it rises',
			{ direction: 'above', hysteresis: '5' },
			['1500', '1601', '1597', '1601', '1595', '1601'],
			['1601: above', '1601: above'],
		],
		['is told both ways', { direction: 'both' }, ['1700', '1599', '1600'], ['1599: below', '1600: above']],
		[
			'is told both ways only past the margin on either side',
			{ direction: 'both', hysteresis: '20' },
			['1600', '1619', '1581', '1579', '1601', '1619', '1620', '1599', '1580', '1579'],
			['1579: below', '1620: above', '1579: below'],
		],
		['is told at the first look where that is asked for', { initial: true }, ['1500', '1500'], ['1500: below']],
		[
			'is compared exactly',
			{ amount: '0.10000000000000000001' },
			['0.10000000000000000001', '0.10000000000000000000'],
			['0.10000000000000000000: below'],
		],
	])('%s', async (_, threshold, prices, told) => {
		expect((await tell(threshold, last(...prices))).told).toEqual(told);
	});

	it.each([null, '', '0', '0.00', 0, '-1'])('is not told for no price: %j is no low one', async (none) => {
		const { told, learned } = await tell({}, last('1700', none, '1700', none, '1599'));
		expect(told).toEqual(['1599: below']);
		expect(learned).toEqual([true, false, false, false, true]);
	});

	it('has its first look when there is a price for the first time', async () => {
		expect((await tell({}, last(null, null, '1500', '1700', '1500'))).told).toEqual(['1500: below']);
		expect((await tell({ initial: true }, last(null, '1500'))).told).toEqual(['1500: below']);
	});

	it.each([
		['shows no last price that is a number', { last_price: 'much' }],
		['shows no last price that is a number', { last_price: { of: 'what' } }],
		['shows no last price that is a number', { last_price: ['1500'] }],
		['shows no last price that is a number', { last_price: true }],
		['shows no last price, so', { best_bid: '1500' }],
		['shows no last price, so', ['1500']],
	])('is unknown where the ticker %s: %j', async (words, ticker) => {
		const { state } = await pollRates(clientOf({ last_price: '1700' }), undefined, [line]);
		const stored = JSON.stringify(state);
		await expect(pollRates(clientOf(ticker), state, [line])).rejects.toMatchObject({
			code: 'malformed_response',
			message: expect.stringContaining(words) as string,
		});
		expect(JSON.stringify(state)).toBe(stored);
		expect((await pollRates(clientOf({ last_price: '1599' }), state, [line])).events).toHaveLength(1);
	});

	it.each<[RateThreshold['field'] & string, object]>([
		['best_bid', { bid: '1599', ask: '1700', last: '1650' }],
		['best_ask', { ask: { price: '1599' }, bid: { price: '1500' }, last: '1650' }],
		['last_price', { ticker: { bid: '1500', close: '1599' } }],
		['last_price', { data: { last_price: 1599 } }],
	])('is found as the %s under the names tickers have for it: %j', async (field, ticker) => {
		const [event] = (await pollRates(clientOf(ticker), undefined, [{ ...line, field, initial: true }])).events;
		expect(event).toMatchObject({ value: '1599', threshold: { field }, ticker });
	});

	it('is not taken from yesterday where there is no price of today', async () => {
		const ticker = { last_price: null, yesterday: { last_price: '1500' } };
		expect((await pollRates(clientOf(ticker), undefined, [{ ...line, initial: true }])).events).toEqual([]);
	});

	it.each(['timestamp', 'ts', 'updated_at'])(
		'is not told by a ticker whose %s is before the last one',
		async (name) => {
			const ticker = (price: string, minute: number) => ({ last_price: price, [name]: at(minute) });
			const { told } = await tell({}, [
				...[ticker('1700', 0), ticker('1599', 3), ticker('1700', 2), ticker('1599', 3), ticker('1598', 4)],
			]);
			expect(told).toEqual(['1599: below']);
			expect((await tell({}, [ticker('1700', 50), ticker('1599', 10)])).told).toEqual([]);
		},
	);

	it('is told once of two pairs, though the ticker of one is older than that of the other', async () => {
		const prices: Record<string, object> = {
			'USD/NGN': { last_price: '1599', timestamp: at(1) },
			'EUR/NGN': { last_price: '1700', timestamp: at(5) },
		};
		const asked: unknown[] = [];
		const client = {
			call: async (_id: string, input: object) => {
				const { pair_id: pair } = input as { pair_id: string };
				asked.push(pair);
				return await Promise.resolve(prices[pair]);
			},
			now: () => 0,
		};
		const lines: RateThreshold[] = [
			line,
			{ ...line, pair_id: 'EUR/NGN', direction: 'both' },
			{ ...line, amount: '1650' },
		];
		const first = await pollRates(client, undefined, lines);
		expect(asked).toEqual(['USD/NGN', 'EUR/NGN']);
		prices['USD/NGN'] = { last_price: '1651', timestamp: at(2) };
		prices['EUR/NGN'] = { last_price: '1598', timestamp: at(6) };
		const { events } = await pollRates(client, first.state, lines);
		expect(events.map(({ threshold, value }) => [threshold.pair_id, value])).toEqual([['EUR/NGN', '1598']]);
	});

	it('has a key of its own for each crossing, the same when it is found again, and others once all was forgotten', async () => {
		// Dated by the day, as the ticker of a day may be.
		const tickers = ['1700', '1599', '1700', '1599'].map((price) => ({ last_price: price, timestamp: '2026-01-05' }));
		const [first, again, later] = [await tell({}, tickers), await tell({}, tickers), await tell({}, tickers, 1)];
		expect(first.told).toHaveLength(2);
		expect(again.keys).toEqual(first.keys);
		expect(new Set([...first.keys, ...later.keys]).size).toBe(4);
	});

	it('is told of a pair, though the ticker of another one cannot be read', async () => {
		const said: string[] = [];
		const client = {
			call: async (_id: string, input: object) => {
				await Promise.resolve();
				if ((input as { pair_id: string }).pair_id === 'EUR/NGN')
					throw new ExchangeError('unavailable', { what: 'It is away' });
				return { last_price: '1599' };
			},
			now: () => 0,
		};
		const lines: RateThreshold[] = [
			{ ...line, pair_id: 'EUR/NGN' },
			{ ...line, initial: true },
		];
		const { events } = await pollRates(client, undefined, lines, { warn: (text) => said.push(text) });
		expect(events).toHaveLength(1);
		expect(said).toEqual([expect.stringMatching(/^Threshold eurngn.*It is away/)]);
		await expect(pollRates(client, undefined, lines.slice(0, 1))).rejects.toMatchObject({ code: 'unavailable' });
	});

	it('is told of a pair, though another one is no longer listed, or the poll is stopped before it', async () => {
		const lines: RateThreshold[] = [line, { ...line, pair_id: 'EUR/NGN' }];
		for (const code of ['invalid_input', 'aborted'] as const) {
			let isLater = false;
			const client = {
				call: async (_id: string, input: object) => {
					await Promise.resolve();
					if (isLater && (input as { pair_id: string }).pair_id === 'EUR/NGN')
						throw new ExchangeError(code, { what: 'It is not read' });
					return { last_price: isLater ? '1599' : '1700' };
				},
				now: () => 0,
			};
			const { state } = await pollRates(client, undefined, lines);
			isLater = true;
			const polled = await pollRates(client, state, lines);
			expect(polled.events.map(({ value }) => value)).toEqual(['1599']);
			expect(Object.keys(polled.state.lines)).toHaveLength(2);
		}
	});

	it('is of the same line, however its pair and its amount are written', async () => {
		const { state } = await pollRates(clientOf({ last_price: '1700' }), undefined, [line]);
		const other = { ...line, pair_id: ' usd-ngn', amount: '1600.00' };
		expect((await pollRates(clientOf({ last_price: '1599' }), state, [other])).events).toHaveLength(1);
		await expect(pollRates(clientOf({}), state, [line, other])).rejects.toMatchObject({ field: 'thresholds' });
	});

	it.each<[object, string, string]>([
		[{ pair_id: '' }, 'pair_id', 'Pair (pair_id) is missing. Enter one such as USD/NGN'],
		[{ pair_id: undefined }, 'pair_id', 'Pair (pair_id) is missing'],
		[{ amount: '' }, 'amount', 'Rate (amount) is empty'],
		[{ amount: '0.00' }, 'amount', 'Rate (amount) is zero, which is never crossed'],
		[{ amount: '-5' }, 'amount', 'Rate (amount) must be a positive number'],
		[{ amount: '1.600,00' }, 'amount', 'Rate (amount) must be digits'],
		[{ hysteresis: 'wide' }, 'hysteresis', 'Margin (hysteresis) is not a decimal number'],
		[{ direction: 'above', hysteresis: '1600.0' }, 'hysteresis', 'only one crossing would ever count'],
		[{ direction: 'both', hysteresis: '1600.0' }, 'hysteresis', 'only one crossing would ever count'],
	])('is refused before any request where the line is %j', async (part, field, words) => {
		const client = { call: async () => await Promise.reject(new Error('asked')), now: () => 0 };
		await expect(pollRates(client, undefined, [{ ...line, ...part }])).rejects.toMatchObject({
			...{ code: 'invalid_input', field, message: expect.stringContaining(words) as string },
		});
	});
});
