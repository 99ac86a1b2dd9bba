import { aside, choice, decimal, namedChoice, optional, text, timestamp } from './field';
import { operation } from './operation';
import { outputModes } from './options';
import { limitPrice, orderType, pair, side } from './terms';

/** What a desk asks every day: computed from other operations, each of which is called as anybody calls it. */
export const computed = {
	'order.estimate': operation({
		label: 'Estimate Order',
		action: 'Estimate order',
		help: 'Compute from the order book what an order would trade, at which prices, and what the market would refuse; fees are left out',
		run: { via: 'composed', as: 'estimate', of: ['market.list', 'market.orderBook', 'wallet.balances'] },
		access: 'exchangeRead',
		input: {
			pair_id: pair,
			side,
			order_type: orderType,
			price: limitPrice,
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
		options: ['compare_balance', ...outputModes],
		essentials: [
			...(['pair_id', 'side', 'order_type', 'price', 'quantity', 'avg_price', 'total'] as const),
			...(['fillable_quantity', 'left_over', 'problems'] as const),
		],
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
			side: optional(choice(['both', 'buy', 'sell'], { label: 'Side', help: 'Orders of both sides, or of one alone' })),
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
	'fill.summary': operation({
		label: 'Summarize Fills',
		action: 'Summarize fills',
		help: 'Add up the fills of some days: count, quantity, total, average price and fees, exact, in groups if you like',
		run: { via: 'composed', as: 'fill_summary', of: ['fill.list'] },
		access: 'exchangeRead',
		input: {
			from: text({ label: 'From', help: 'First day, in the time zone', example: '2026-01-01' }),
			to: text({ label: 'To', help: 'Last day, in the time zone; it counts whole', example: '2026-01-31' }),
			time_zone: text({ label: 'Time Zone', help: 'Whose days they are', example: 'Africa/Lagos' }),
			group_by: aside(
				namedChoice(
					{
						nothing: { label: 'Nothing (One Row)' },
						day: { label: 'Day' },
						side: { label: 'Side' },
						pair: { label: 'Pair' },
						order: { label: 'Order' },
					},
					{ label: 'Group By', help: 'What each row adds up; pairs are never added to each other' },
				),
			),
			side: aside(choice(['both', 'buy', 'sell'], { label: 'Side', help: 'Fills of both sides, or of one alone' })),
			pair_id: aside({ ...pair, help: 'Only fills for this pair' }),
		},
		output: {
			rows: [
				{
					group: 'text',
					pair_id: 'text?',
					count: 'integer',
					quantity: 'decimal',
					total: 'decimal',
					avg_price: 'decimal?',
					fees: 'unspecified',
					first_at: 'timestamp?',
					last_at: 'timestamp?',
				},
			],
			complete: 'boolean',
			problem: 'text?',
		},
		parts: 'rows',
		palette: 'summarize-fills',
	}),
};
