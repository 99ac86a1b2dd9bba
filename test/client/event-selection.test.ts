import { acceptSelection } from '@partner-exchange/core/adapters';
import { success, useWire, wireClient } from '../support/wire';

const MARKETS = 'GET /partner/exchange/markets';

describe('what a host subscribes to', () => {
	const { wire } = useWire();
	beforeEach(() => wire.on(MARKETS, success({ markets: [{ pair_id: 'USD/NGN' }, { pair_id: 'EUR/NGN' }] })));

	const accept = <S extends Parameters<typeof acceptSelection>[1]>(selection: S, signal?: AbortSignal) =>
		acceptSelection(wireClient(wire), selection, { signal });

	it('writes chosen pairs as the service lists them, in topics and in filters', async () => {
		const topics = ['user.fills', 'trades.usd_ngn', 'orderbook.EUR_NGN'];
		expect(await accept({ topics, filters: { pairs: ['usd-ngn', 'EUR/NGN'] } })).toEqual({
			topics: ['user.fills', 'trades.USD_NGN', 'orderbook.EUR_NGN'],
			filters: { pairs: ['USD/NGN', 'EUR/NGN'] },
		});
	});

	it.each([
		[{ topics: ['trades.USD_GHS'] }, 'pairs'],
		[{ topics: [], filters: { pairs: ['USD/GHS'] } }, 'pair_id'],
	])('refuses a selection with an unlisted pair: %j', async (selection, field) => {
		await expect(accept(selection)).rejects.toMatchObject({
			code: 'invalid_input',
			operation: 'Events',
			field,
			message: expect.stringContaining('There is no pair USD/GHS. The service offers USD/NGN, EUR/NGN') as string,
		});
	});

	it.each(['1,000', '-5', 'many'])('refuses %j as a minimum quantity, and reads nothing', async (minQuantity) => {
		await expect(accept({ topics: ['trades.USD_NGN'], filters: { minQuantity } })).rejects.toMatchObject({
			code: 'invalid_input',
			operation: 'Events',
			field: 'min_quantity',
		});
		expect(wire.received).toEqual([]);
	});
});
