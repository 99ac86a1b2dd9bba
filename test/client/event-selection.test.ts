import { acceptSelection } from '@partner-exchange/core/adapters';
import { failure, success, useWire, wireClient } from '../support/wire';

const MARKETS = 'GET /partner/exchange/markets';

describe('what a host subscribes to', () => {
	const { wire } = useWire();
	beforeEach(() => {
		wire.on(MARKETS, success({ markets: [{ pair_id: 'USD/NGN' }, { pair_id: 'EUR/NGN' }] }));
	});

	const accept = <S extends Parameters<typeof acceptSelection>[1]>(selection: S, signal?: AbortSignal) =>
		acceptSelection(wireClient(wire), selection, { signal });

	it('writes chosen pairs as the service lists them, in topics and in filters', async () => {
		const topics = ['user.fills', 'trades.usd_ngn', 'orderbook.EUR_NGN'];
		expect(await accept({ topics, filters: { pairs: ['usd-ngn', 'EUR/NGN'] } })).toEqual({
			topics: ['user.fills', 'trades.USD_NGN', 'orderbook.EUR_NGN'],
			filters: { pairs: ['USD/NGN', 'EUR/NGN'] },
		});
	});

	it('keeps everything else of a selection, and adds nothing', async () => {
		expect(await accept({ topics: ['user.orders'], catchUp: true })).toEqual({
			topics: ['user.orders'],
			filters: {},
			catchUp: true,
		});
		expect(wire.received).toEqual([]);
		const filters = { side: 'buy', pairs: ['USD/NGN'] };
		expect(await accept({ topics: [], filters })).toEqual({ topics: [], filters });
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

	it('keeps pairs as written when the market list cannot be read', async () => {
		wire.on(MARKETS, failure(503, {}));
		expect(await accept({ topics: ['trades.USD_GHS'] })).toMatchObject({ topics: ['trades.USD_GHS'] });
	});

	it.each(['my.trades.usd_ngn', 'trades.', 'orderbooks.usd_ngn'])(
		'leaves %s alone, which is about no pair',
		async (topic) => {
			expect(await accept({ topics: [topic] })).toMatchObject({ topics: [topic] });
			expect(wire.received).toEqual([]);
		},
	);

	it.each([undefined, null, ''])('sets no minimum quantity for %j', async (minQuantity) => {
		const { filters } = await accept({ topics: [], filters: { minQuantity: minQuantity as string } });
		expect(filters.minQuantity ?? '').toBe('');
	});

	it('reads a minimum quantity as decimal text', async () => {
		expect(await accept({ topics: [], filters: { minQuantity: 1000 as never } })).toMatchObject({
			filters: { minQuantity: '1000' },
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

	it('stops the read of the markets when the subscriber is stopped', async () => {
		await accept({ topics: ['trades.usd_ngn'] }, AbortSignal.abort());
		expect(wire.received).toEqual([]);
	});
});
