/** How much of a response a caller receives: everything, the common fields, or selected fields. */
import { success, useWire } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';
const FILLS = 'GET /partner/exchange/fills';
const BALANCES = 'GET /partner/wallets/balances/overview';
const CREATE = 'POST /partner/exchange/orders';

const {
	wire,
	client,
	warnings,
	context: { warn },
} = useWire();
const drift = () => warnings.filter(({ kind }) => kind === 'drift').map(({ text }) => text);

const order = { id: 'o1', pair_id: 'USD/NGN', status: 'filled', quantity: '10.00', price: '1500.00', replace: {} };
const limitOrder = {
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '1.00',
	price: '1500.00',
} as const;

describe('the output', () => {
	it('keeps the chosen fields and what identifies the record, in one answer and page by page', async () => {
		wire.on(ORDERS, success({ count: 1, orders: [order] }));
		const options = { output_mode: 'selected_fields', output_fields: ['status'] } as const;
		const narrow = { id: 'o1', status: 'filled' };
		await expect(client.order.list({}, { options })).resolves.toEqual({ count: 1, orders: [narrow] });
		const items = [];
		for await (const item of client.items('order.list', {}, { options, limit: 1 })) items.push(item);
		expect(items).toEqual([narrow]);
	});

	it('chooses fields of each balance and of what stands around them', async () => {
		const balances = [{ currency: 'NGN', available: '1.00', locked: '0.00', total: '1.00', rail_equivalents: null }];
		wire.on(BALANCES, success({ balances, credit: { status: 'none' }, generated_at: 'now' }));
		await expect(client.wallet.balances({}, { options: { output_mode: 'simplified' } })).resolves.toEqual({
			balances: [{ currency: 'NGN', available: '1.00', locked: '0.00', total: '1.00' }],
			generated_at: 'now',
		});
		await expect(client.wallet.balances({}, { options: { output_fields: ['total'] } })).resolves.toEqual({
			balances: [{ currency: 'NGN', total: '1.00' }],
		});
	});

	it('keeps how a write ended, and shows a dry run whole', async () => {
		wire.on(CREATE, success({ order_id: 'o1', status: 'pending', created_at: 'now', extra: 1 }));
		const options = { output_mode: 'simplified', check_market: false } as const;
		const answer = await client.order.create(limitOrder, { options, intent: 'a' });
		expect(Object.keys(answer).sort()).toEqual(
			['client_order_id', 'order_id', 'price', 'quantity', 'side', 'status'].sort(),
		);
		const dry = await client.order.create(limitOrder, { options: { ...options, dry_run: true }, intent: 'b' });
		expect(dry).toMatchObject({ dry_run: true, request: { method: 'POST' } });
	});

	it.each([{ output_mode: 'simplified' }, { output_fields: ['status'] }] as const)(
		'says with %j that an order was placed before',
		async (output) => {
			wire.on(CREATE, success({ order_id: 'o1', status: 'accepted', created_at: 'now' }));
			// A sandbox may have been reset meanwhile, so the order is read.
			wire.on(`${ORDERS}/o1`, success({ ...order, status: 'accepted' }));
			const options = { ...output, check_market: false };
			const place = () => client.order.create(limitOrder, { options, intent: 'rent' });
			expect(await place()).not.toHaveProperty('repeated');
			expect(await place()).toMatchObject({ repeated: true, original_created_at: 'now' });
		},
	);

	it('refuses an unknown field, and an empty selection, before anything is sent', async () => {
		const list = (options: object) => client.order.list({}, { options });
		await expect(list({ output_fields: ['quantitty'] })).rejects.toThrow(
			/Fields must be one or more of .*not "quantitty"/,
		);
		await expect(list({ output_mode: 'selected_fields' })).rejects.toThrow('Fields names none');
		expect(wire.received).toEqual([]);
	});

	it('accepts any field where the answer is not shown, and says which are missing', async () => {
		wire.on(FILLS, success({ fills: [{ fill_id: 'f1', liquidity: 'maker' }] }));
		const options = { output_fields: ['liquidity', 'fee_currency'] };
		await expect(client.fill.list({}, { options, warn })).resolves.toEqual({
			fills: [{ fill_id: 'f1', liquidity: 'maker' }],
		});
		expect(drift()).toContain('The answer of Get Many Fills has no field fee_currency');
	});
});
