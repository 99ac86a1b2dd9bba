import type { CallContext, Warning } from '@partner-exchange/core';
import { success, useWire } from '../support/wire';

const ORDERS = 'POST /partner/exchange/orders';
const MARKETS = 'GET /partner/exchange/markets';
const created = success({ order_id: 'a1', status: 'pending', created_at: '2026-01-31T00:00:00Z' });
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' } as const;

const { wire, client } = useWire();
beforeEach(() => {
	wire.on(ORDERS, created);
});

const offer = (market: object) => wire.on(MARKETS, success({ markets: [{ pair_id: 'USD/NGN', ...market }] }));
async function place(changes: object = {}, context: CallContext = {}) {
	const warnings: Warning[] = [];
	const result = client.order.create(
		{ ...order, ...changes },
		{ warn: (warning) => warnings.push(warning), ...context },
	);
	return result.then(
		(answer) => ({ answer, warnings, error: undefined }),
		(error) => ({ answer: undefined, warnings, error }),
	);
}

describe('market rules', () => {
	it.each([
		['a decimals count', { quantity_precision: 2, price_precision: 2 }],
		['a decimals count as text', { amount_decimals: '2', price_decimals: '2' }],
		['a step and a tick', { quantity_step: '0.01', tick_size: '0.01' }],
		['a nested precision', { precision: { quantity: '0.01', price: '0.01' } }],
		['nested rules in camel case', { rules: { quantityIncrement: '0.01', priceIncrement: '0.01' } }],
	])('reads %s, refuses an amount off the step and names both neighbours (checklist 37)', async (_, market) => {
		offer(market);
		const { error } = await place({ quantity: '10.005' });
		expect(error).toMatchObject({
			code: 'invalid_input',
			field: 'quantity',
			details: { rule: 'quantity_step', below: '10', above: '10.01' },
		});
		expect(error.message).toContain('The nearest valid values are 10 and 10.01');
		expect((await place({ price: '1500.001' })).error.details).toMatchObject({
			rule: 'price_step',
			below: '1500',
			above: '1500.01',
		});
		expect(wire.calls(ORDERS)).toHaveLength(0);
	});

	it.each([
		['a scale that is no count of decimals', { price_scale: 100, quantity_scale: 100 }, {}],
		['a precision of nothing', { price_precision: 0, quantity_precision: '0' }, {}],
		['order types in other spelling', { order_types: ['LIMIT_ORDER', 'market-order'] }, {}],
		['times in force in other spelling', { time_in_force: ['gtc', 'POST-ONLY'] }, { time_in_force: 'POST_ONLY' }],
		['order types in another vocabulary', { order_types: ['LMT', 'MKT'] }, {}],
	])('refuses no good order for %s', async (_, market, changes) => {
		offer(market);
		expect((await place({ quantity: '10.50', price: '1500.25', ...changes })).answer).toMatchObject({ order_id: 'a1' });
	});

	it('sends the amount as it was written when it keeps the step, without rounding (checklist 166)', async () => {
		offer({ quantity_step: '0.01', tick_size: '0.05' });
		const { answer } = await place({ quantity: '10.00', price: '1500.05' });
		expect(answer).toMatchObject({ order_id: 'a1' });
		expect(JSON.parse(wire.calls(ORDERS)[0]!.body)).toMatchObject({ quantity: '10.00', price: '1500.05' });
	});
});
