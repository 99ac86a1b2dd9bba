/** What the fills of some days add up to, against sums of whole numbers. */
import { createClient } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, errorOf } from '../support/placing';
import { random } from '../simulation/support/random';
import { success, useWire } from '../support/wire';

const FILLS = 'GET /partner/exchange/fills';
const pair_id = 'USD/NGN';
const january = { from: '2026-01-01', to: '2026-01-31', time_zone: 'Africa/Lagos' };
const { wire, client } = useWire();

/** A decimal of eight places, from a whole number. */
const text = (units: bigint, places = 8): string => {
	const digits = String(units).padStart(places + 1, '0');
	return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
};
const plain = (decimal: string) => decimal.replace(/\.?0+$/, '');

describe('a summary of fills', () => {
	it('is exact at thousands of fills, page after page', async () => {
		const chance = random(5);
		const digits = (most: number) => BigInt(Math.floor(chance.next() * most));
		let [quantity, total, fees] = [0n, 0n, 0n];
		const fills = Array.from({ length: 5_000 }, (_, index) => {
			const [size, price, fee] = [1n + digits(1e15), 1n + digits(1e12), digits(1e9)];
			[quantity, total, fees] = [quantity + size, total + size * price, fees + fee];
			const day = String(1 + (index % 28)).padStart(2, '0');
			const facts = { id: `f${index}`, order_id: `o${index % 7}`, pair_id, side: index % 2 ? 'buy' : 'sell' };
			const amounts = { price: text(price), quantity: text(size), fee: text(fee), fee_currency: 'NGN' };
			return { ...facts, ...amounts, created_at: `2026-01-${day}T12:00:00Z` };
		});
		wire.on(FILLS, (request, response) => {
			const query = new URL(request.url!, 'http://x').searchParams;
			const [at, most] = [Number(query.get('offset')), Number(query.get('limit'))];
			response.end(JSON.stringify({ status: 'success', data: { fills: fills.slice(at, at + most) } }));
		});
		const { rows, complete } = await client.fill.summary(january);
		expect(complete).toBe(true);
		expect(rows).toMatchObject([{ group: 'all', pair_id, count: 5_000, fees: { NGN: plain(text(fees)) } }]);
		expect([rows[0]!.quantity, rows[0]!.total]).toEqual([plain(text(quantity)), plain(text(total, 16))]);
		const average = (total * 10n) / quantity;
		expect(rows[0]!.avg_price!.replace('.', '')).toBe(String((average + 5n) / 10n));
		const orders = await client.fill.summary({ ...january, group_by: 'order' });
		expect(orders.rows.map(({ group }) => group)).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6']);
		expect(orders.rows.reduce((sum, { count }) => sum + count, 0)).toBe(5_000);
	});

	it('takes a pair for the one that is meant however it is spelt, and a word that is no side for none', async () => {
		const facts = { price: '2', quantity: '3', side: 'buy', created_at: '2026-01-05T12:00:00Z' };
		const fills = [
			{ ...facts, id: 'a', pair_id: 'USD_NGN' },
			{ ...facts, id: 'b', pair_id: 'usdngn', side: 'B' },
		];
		wire.on(FILLS, success({ fills }));
		const asked = { ...january, pair_id, side: 'buy' } as const;
		expect(await client.fill.summary(asked)).toMatchObject({ rows: [{ count: 1 }], complete: false });
		expect(await client.fill.summary({ ...january, pair_id })).toMatchObject({ rows: [{ count: 2 }], complete: true });
	});

	it.each([
		{ created_at: '2026' },
		{ created_at: '20260105' },
		{ created_at: '20260105T120000Z' },
		{ created_at: 'Jan 5 2026 12:00' },
		{ created_at: '0001-01-01T00:00:00Z' },
		{ created_at: null },
		{ pair_id: undefined },
		{ price: '1e400' },
		{ quantity: ['3'] },
		{ fee: 'a little' },
		{ fee: { value: '0.1' } },
		{ fees: [{ amount: '0.1' }] },
		{ taker_fee: '0.1' },
		{ price: '0' },
		{ quantity: '-3' },
	])('leaves no fill out in silence: %j', async (odd) => {
		const fill = { id: 'a', pair_id, price: '2', quantity: '3', created_at: '2026-01-05T12:00:00Z' };
		wire.on(FILLS, success({ fills: [fill, { ...fill, id: 'b', ...odd }] }));
		const { rows, complete, problem } = await client.fill.summary({ ...january, pair_id });
		expect([rows[0]!.count, complete, problem?.slice(0, 7)]).toEqual([1, false, '1 fills']);
	});

	it.each([
		{ fee: '0.5', fee_currency: 'NGN' },
		{ FEE: '0.5', FEE_CURRENCY: 'NGN', fee_rate: '0.001' },
		{ feeAmount: '0.5', feeAsset: 'NGN' },
		{ commission: 0.5, commissionAsset: 'NGN' },
		{ fees: { amount: '0.5', currency: 'NGN' } },
	])('adds the fee that is shown as %j', async (fee) => {
		const fill = { id: 'a', pair_id, price: '2', quantity: '3', created_at: '2026-01-05T12:00:00Z', ...fee };
		wire.on(FILLS, success({ fills: [fill] }));
		expect(await client.fill.summary(january)).toMatchObject({ rows: [{ fees: { NGN: '0.5' } }], complete: true });
	});

	it('counts a fill on the day of its execution, whatever other time the row shows', async () => {
		const fill = { id: 'a', pair_id, price: '2', quantity: '3', executed_at: '2026-01-05T12:00:00Z' };
		wire.on(FILLS, success({ fills: [{ ...fill, timestamp: '2026-02-20T12:00:00Z' }] }));
		expect(await client.fill.summary(january)).toMatchObject({ rows: [{ count: 1 }], complete: true });
	});

	it('adds to a day what it has to its last millisecond, and the spellings of a pair to one sum', async () => {
		const fills = ['USD/NGN', 'USD_NGN', 'usdngn', 'USD-NGN'].map((pair, index) => ({
			...{ id: pair, pair, price: '2', quantity: '3', fee: ['0.5', '', null, 0][index] },
			created_at: '2026-01-31T22:59:59.9996Z',
		}));
		wire.on(FILLS, success({ fills }));
		const { rows, complete } = await client.fill.summary(january);
		expect([rows, complete]).toMatchObject([[{ pair_id, count: 4, total: '24', fees: { not_shown: '0.5' } }], true]);
	});

	it('counts a trade that filled two orders of the account for each of them, and a row that comes twice once', async () => {
		const facts = { trade_id: 't1', pair_id, price: '1500.00', quantity: '2.00', created_at: '2026-01-05T12:00:00Z' };
		const bought = { ...facts, order_id: 'o1', side: 'buy' };
		wire.on(FILLS, success({ fills: [bought, { ...facts, order_id: 'o2', side: 'sell' }, bought] }));
		const { rows } = await client.fill.summary({ ...january, group_by: 'order' });
		expect(rows.map(({ group, count }) => [group, count])).toEqual([
			['o1', 1],
			['o2', 1],
		]);
	});

	it('counts by the days of the time zone that is asked for', async () => {
		const at = (created_at: string) => ({
			id: created_at,
			pair_id,
			side: 'buy',
			price: '1',
			quantity: '1',
			created_at,
		});
		wire.on(
			FILLS,
			success({ fills: ['2025-12-31T22:59:59Z', '2025-12-31T23:00:00Z', '2026-01-31T23:00:00Z'].map(at) }),
		);
		const lagos = await client.fill.summary({ ...january, group_by: 'day' });
		expect(lagos.rows).toMatchObject([{ group: '2026-01-01', count: 1, first_at: '2025-12-31T23:00:00.000Z' }]);
		const utc = await client.fill.summary({ ...january, time_zone: 'UTC', group_by: 'day' });
		expect(utc.rows).toMatchObject([{ group: '2026-01-31', count: 1 }]);
	});

	it('never adds pairs to each other, and keeps to the sides that are asked for', async () => {
		const created_at = '2026-01-05T09:00:00Z';
		const fill = (id: string, pair: string, side: string) => ({
			id,
			pair_id: pair,
			side,
			price: '2',
			quantity: '3',
			created_at,
		});
		const fills = [fill('a', pair_id, 'buy'), fill('b', 'EUR/NGN', 'buy'), fill('c', pair_id, 'Sell')];
		wire.on(FILLS, success({ fills }));
		const { rows } = await client.fill.summary(january);
		expect(rows.map(({ pair_id: pair, count }) => [pair, count])).toEqual([
			['EUR/NGN', 1],
			[pair_id, 2],
		]);
		const sold = await client.fill.summary({ ...january, side: 'sell', group_by: 'side' });
		expect(sold.rows).toMatchObject([{ group: 'sell', count: 1, total: '6', avg_price: '2.00000000' }]);
	});

	it('says that it is not complete where a fill cannot be added', async () => {
		const created_at = '2026-01-05T09:00:00Z';
		wire.on(
			FILLS,
			success({
				fills: [
					{ id: 'a', price: '2', quantity: '3', created_at },
					{ id: 'b', created_at },
					{ id: 'c', price: '2', quantity: '3', created_at: '05/02/2026 09:00' },
				],
			}),
		);
		const { rows, complete, problem } = await client.fill.summary(january);
		expect([rows[0]!.count, complete]).toEqual([1, false]);
		expect(problem).toMatch(/^2 fills do not show/);
	});

	it.each([
		[{ from: '2026-02-30' }, 'from', '2026-02-30 is no day'],
		[{ from: '2026-02-01' }, 'to', 'To (2026-01-31) is earlier than From (2026-02-01)'],
		[{ time_zone: 'Lagos' }, 'time_zone', 'There is no time zone Lagos'],
	])('refuses %j in words', async (wrong, field, what) => {
		const error = await errorOf(client.fill.summary({ ...january, ...wrong }));
		expect(error).toMatchObject({ code: 'invalid_input', field, what });
	});

	it('adds up what the sandbox traded', async () => {
		const sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
		const [one, other] = ['sandbox-key', 'sandbox-key-second'].map((key) =>
			createClient(accountOf(sandbox, key), nodePorts()),
		) as [typeof client, typeof client];
		const order = { pair_id, order_type: 'limit', price: '1234.56' } as const;
		await other.order.create({ ...order, side: 'sell', quantity: '10.00' }, { options: { wait: 'accepted' } });
		for (const quantity of ['1.01', '2.02', '3.03'])
			await one.order.create({ ...order, side: 'buy', quantity }, { options: { wait: 'final' } });
		const { rows } = await one.fill.summary({ from: '2020-01-01', to: '2039-12-31', time_zone: 'UTC' });
		expect(rows).toMatchObject([{ count: 3, quantity: '6.06', total: '7481.4336', avg_price: '1234.56000000' }]);
		await sandbox.close();
	});
});
