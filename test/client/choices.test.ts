import { pickerChoices } from '@partner-exchange/core/adapters';
import { operationOf } from '@partner-exchange/core/catalogue';
import { success, useWire } from '../support/wire';

const { wire, client } = useWire();

describe('choices', () => {
	it('offers a second pair as soon as the market list names it', async () => {
		wire.on(
			'GET /partner/exchange/markets',
			success({ markets: [{ pair_id: 'USD/NGN', status: 'trading' }, { symbol: 'EUR/NGN' }] }),
		);
		expect(await pickerChoices(client, 'pair')).toEqual([
			{ value: 'EUR/NGN', label: 'EUR/NGN' },
			{ value: 'USD/NGN', label: 'USD/NGN · trading' },
		]);
	});

	it('offers the wallet currencies of the service, without rails, and rails for recipients', async () => {
		wire.on(
			'GET /partner/wallets/currencies',
			success({ currencies: [{ code: 'NGN', name: 'Naira' }, { code: 'USD' }] }),
		);
		wire.on('GET /partner/wallets/recipients', success([]));
		expect((await pickerChoices(client, 'currency')).map(({ value }) => value)).toEqual(['NGN', 'USD']);
		await client.recipient.list({ currency: 'USDT' });
		expect(wire.received.at(-1)!.path).toBe('/partner/wallets/recipients?currency=USDT');
		expect(operationOf('recipient.list').input.currency!.values).toBeUndefined();
	});

	it('searches choices by any word of their label or value', async () => {
		wire.on(
			'GET /partner/wallets/fiat/banks',
			success({
				banks: [
					{ code: '058', name: 'Guaranty Trust' },
					{ code: '044', name: 'Access' },
				],
			}),
		);
		expect(await pickerChoices(client, 'bank', ' TRUST guar ')).toEqual([
			{ value: '058', label: 'Guaranty Trust · 058' },
		]);
		expect(await pickerChoices(client, 'bank', '044')).toEqual([{ value: '044', label: 'Access · 044' }]);
		expect(await pickerChoices(client, 'bank', 'zenith')).toEqual([]);
	});

	it('offers what a list shows that says of more and does not go on', async () => {
		wire.on('GET /partner/wallets/fiat/banks', success({ banks: [{ code: '058', name: 'GTB' }], has_more: true }));
		expect(await pickerChoices(client, 'bank')).toEqual([{ value: '058', label: 'GTB · 058' }]);
		await expect(pickerChoices(client, 'bank', 'zenith')).rejects.toMatchObject({ code: 'limit_reached' });
	});

	it('keeps the order of a paged list, shortens identifiers, and ends at a limit', async () => {
		const id = (number: number) => `3f2a0000-0000-4000-8000-${String(number).padStart(12, '0')}`;
		const orders = Array.from({ length: 700 }, (_, number) => ({ id: id(number), side: 'buy', quantity: '5.00' }));
		wire.on('GET /partner/exchange/orders', (request, response) => {
			const offset = Number(new URL(request.url!, 'http://h').searchParams.get('offset'));
			response.end(JSON.stringify({ status: 'success', data: { orders: orders.slice(offset, offset + 100) } }));
		});
		const offered = await pickerChoices(client, 'order');
		expect(offered).toHaveLength(200);
		expect(offered[0]).toEqual({ value: id(0), label: 'buy · 5.00 · 3f2a0000…' });
		expect(wire.received.length).toBeLessThan(5);
	});

	it('shows open orders with their time and open quantity, without final ones', async () => {
		const order = { side: 'sell', quantity: '100.00', pair_id: 'USD/NGN', price: '1500.00' };
		const orders = [
			{ ...order, id: 'o1', status: 'partially_filled', filled_quantity: '40.00', created_at: '2026-01-31T08:15:30Z' },
			{ ...order, id: 'o2', status: 'accepted', filled_quantity: '0.00', created_at: '2026-01-31T08:14:00Z' },
			{ ...order, id: 'o3', status: 'filled', filled_quantity: '100.00' },
			{ id: 'o4', side: 'buy' },
		];
		wire.on('GET /partner/exchange/orders', success({ count: 4, orders }), success({ count: 4, orders: [] }));
		expect(await pickerChoices(client, 'openOrder')).toEqual([
			{
				value: 'o1',
				label: 'sell · 100.00 · USD/NGN · 1500.00 · partially_filled · 60.00 open · 2026-01-31 08:15 · o1',
			},
			{ value: 'o2', label: 'sell · 100.00 · USD/NGN · 1500.00 · accepted · 2026-01-31 08:14 · o2' },
			{ value: 'o4', label: 'buy · o4' },
		]);
	});

	it.each([
		['a mark that turns the line', 'Landlord \u202e4321'],
		['an isolate', 'Landlord \u20674321'],
		['a character without width', 'Land\u200blord 4321'],
		['a byte order mark', 'Land\ufefflord 4321'],
		['a joiner of words', 'Land\u2060lord 4321'],
		['an escape', 'Landlord \u001b[8m4321'],
		['a line break', 'Landlord\n4321'],
	])('shows no label with %s, under which one recipient is picked for another', async (_, label) => {
		wire.on('GET /partner/wallets/recipients', success([{ id: 'r1', label }]));
		const [offered] = await pickerChoices(client, 'recipient');
		expect(offered).toMatchObject({ value: 'r1' });
		expect(offered!.label).toMatch(/^[ -~·]+$/);
	});
});
