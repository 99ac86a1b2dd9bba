import { ExchangeError, type Item } from '@partner-exchange/core';
import { createHistory } from '../../../packages/core/src/stream/sources/history';

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
	return { history, calls, service, markets, pair: async (key: string) => history.pairOf(`trades.${key}`, { signal }) };
}

describe('what REST tells of a topic', () => {
	it('requests the history of a topic once, and waits for it no longer than its limit', async () => {
		const { history, calls } = open();
		await history.read('market.orderBook', { pair_id: 'USD/NGN' }, { signal });
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
