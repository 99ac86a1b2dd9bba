import { choice, decimal, onlyWhen, optional, text, timestamp } from './field';
import { operation } from './operation';
import { orderTypes } from './statuses';

const pair = text({
	label: 'Pair',
	help: 'Trading pair as the markets list names it',
	example: 'USD/NGN',
	pick: 'pair',
});
const limitOrder = { order_type: 'limit' };

/** What a desk asks every day: computed from other operations, each of which is called as anybody calls it. */
export const computed = {
	'order.estimate': operation({
		label: 'Estimate Order',
		action: 'Estimate an order',
		help: 'Compute from the order book what an order would trade, at which prices, and what the market would refuse; fees are left out',
		run: { via: 'composed', as: 'estimate', of: ['market.list', 'market.orderBook', 'wallet.balances'] },
		access: 'exchangeRead',
		input: {
			pair_id: pair,
			side: choice(['buy', 'sell'], { label: 'Side', help: 'Whether to buy or sell the base currency' }),
			order_type: choice(orderTypes, {
				label: 'Order Type',
				help: 'Limit trades at your price or better, market trades at once at the best prices available',
			}),
			price: onlyWhen(
				limitOrder,
				decimal({
					label: 'Price',
					help: 'Price of one unit of the base currency, in the quote currency',
					example: '1500.00',
					unit: 'quotePerBase',
				}),
			),
			quantity: optional(
				decimal({
					label: 'Quantity',
					help: 'Amount in the base currency; give this or a quote amount',
					example: '100.00',
					unit: 'base',
				}),
			),
			quote_amount: optional(
				decimal({
					label: 'Quote Amount',
					help: 'Amount in the quote currency that is to be spent or received, in place of a quantity',
					example: '500000.00',
					unit: 'quote',
				}),
			),
		},
		options: ['compare_balance'],
		output: {
			pair_id: 'text',
			side: 'text',
			order_type: 'text',
			price: 'decimal?',
			quantity: 'decimal',
			best_price: 'decimal?',
			avg_price: 'decimal?',
			worst_price: 'decimal?',
			total: 'decimal',
			slippage_percent: 'decimal?',
			fillable_quantity: 'decimal',
			left_over: 'decimal',
			available: 'decimal?',
			affordable: 'boolean?',
			problems: ['text'],
		},
		palette: 'estimate-order',
	}),
	'order.cancelAll': operation({
		label: 'Cancel Open Orders',
		action: 'Cancel open orders',
		help: 'Cancel all open orders, or those of a pair or side, and say of each how it ended and what is still open',
		run: { via: 'composed', as: 'cancel_open', of: ['order.list', 'order.cancel'], acts: true },
		access: 'orderExecute',
		input: {
			pair_id: optional({ ...pair, help: 'Only orders for this pair' }),
			sides: optional(
				choice(['both', 'buy', 'sell'], { label: 'Sides', help: 'Orders of both sides, or of one alone' }),
			),
			created_before: optional(
				timestamp({
					label: 'Created Before',
					help: 'Only orders created before this time',
					example: '2026-02-01T00:00:00Z',
				}),
			),
		},
		options: ['wait_seconds'],
		output: {
			orders: [
				{
					order_id: 'text',
					outcome: 'text',
					status: 'text',
					pair_id: 'text',
					side: 'text',
					quantity: 'decimal',
					filled_quantity: 'decimal',
					remaining_quantity: 'decimal',
					problem: 'text?',
				},
			],
			still_open: 'integer',
			problem: 'text?',
		},
		parts: 'orders',
		palette: 'cancel-open-orders',
	}),
};
