import { aside, choice, choices, decimal, id, integer, onlyWhen, optional, text, timestamp } from './field';
import { operation } from './operation';
import { listChoices, orderWaits, outputModes, writeGuards } from './options';
import { openStatuses, orderStatuses, orderStatusLabels, timesInForce } from './statuses';
import { limitOrder, limitPrice, orderType, pair, side } from './terms';

const words = { label: 'Order ID' };
const orderId = id({ ...words, help: 'Identifier the service gave the order', pick: 'order' });
const openOrderId = id({ ...words, help: 'Identifier of an open order', pick: 'openOrder' });
const clientOrderId = text({
	label: 'Client Order ID',
	help: 'Your own identifier for the order; derived from the run when empty, and put behind the identifier derived from a Business Key',
	example: 'order-1001',
	digits: 'name',
	maxLength: 128,
	names: 'body',
});
const idempotencyKey = text({
	label: 'Idempotency Key',
	help: 'Key that keeps attempts from being carried out twice; derived from the run when empty, and not allowed together with a Business Key',
	maxLength: 128,
	names: 'header',
});
const timeInForce = choice(timesInForce, {
	label: 'Time in Force',
	help: 'How long the order may stay open; the service decides if it is not set',
	named: {
		GTC: { label: 'GTC (Until Cancelled)' },
		IOC: { label: 'IOC (Now, Cancel the Rest)' },
		FOK: { label: 'FOK (All Now or Nothing)' },
		POST_ONLY: { label: 'Post Only (Wait in the Book)' },
	},
});

/** The fields the client adds to the answer of every order write. */
const writes = [
	'acknowledgement',
	...(['idempotency_key', 'business_key', 'repeated', 'original_created_at', 'wait'] as const),
	...(['replaced_by_order_id', 'remaining_quantity', 'rejection', 'advice'] as const),
] as const;

const order = {
	id: 'text',
	client_order_id: 'text',
	pair_id: 'text',
	order_type: 'text',
	side: 'text',
	quantity: 'decimal',
	price: 'decimal?',
	filled_quantity: 'decimal',
	avg_fill_price: 'decimal?',
	status: 'text',
	time_in_force: 'text',
	created_at: 'timestamp',
	replace: { replaced_by_order_id: 'text?', replaces_order_id: 'text?' },
} as const;

/** The order as it is read after a write, whose answer says only of an open one how it is. */
const orderRead = { ...order, status: 'text?' } as const;

/** The usual fields of a placed or changed order, with those that say how it ended. */
const writeEssentials = [
	'order_id',
	'client_order_id',
	'side',
	'quantity',
	'price',
	'filled_quantity',
	'remaining_quantity',
	'status',
	'wait',
	'rejection',
] as const;

/** The same fields without `order_id`, because a replacement has an identifier of its own. */
const [, ...changed] = writeEssentials;

/** The usual fields of an order. */
const essentials = [
	'id',
	'client_order_id',
	'pair_id',
	'side',
	'quantity',
	'price',
	'filled_quantity',
	'remaining_quantity',
	'status',
	'created_at',
] as const;

export const orders = {
	'order.create': operation({
		label: 'Create Order',
		action: 'Create order',
		help: 'Place an order; matching happens afterwards, and the answer says how far it got',
		run: { via: 'intent', kind: 'create', route: 'POST /partner/exchange/orders' },
		access: 'orderCreate',
		input: {
			pair_id: pair,
			side,
			order_type: orderType,
			quantity: decimal({
				label: 'Quantity',
				help: 'Amount in the base currency',
				example: '100.00',
				unit: 'base',
			}),
			price: limitPrice,
			time_in_force: aside(onlyWhen(limitOrder, timeInForce)),
			client_order_id: aside(clientOrderId),
			idempotency_key: aside(idempotencyKey),
		},
		options: [...orderWaits, 'business_key', ...writeGuards, ...outputModes, 'check_market', 'unknown_after_seconds'],
		inForms: { wait: 'accepted' },
		essentials: writeEssentials,
		output: { order_id: 'text', status: 'text', created_at: 'timestamp' },
		follows: orderRead,
		adds: ['client_order_id', ...writes, 'duplicate_order_ids'],
		palette: 'create-order',
	}),
	'order.get': operation({
		label: 'Get Order',
		action: 'Get order',
		help: 'Read the current status, fills and price of one order',
		run: { via: 'rest', route: 'GET /partner/exchange/orders/{order_id}', retry: 'safe', appearsLater: true },
		access: 'exchangeRead',
		input: { order_id: orderId },
		output: order,
		options: outputModes,
		essentials,
		adds: ['remaining_quantity', 'business_key'],
		outputNotShown: 'The fields of an order read alone are taken to be those of the order list',
		palette: 'get-order',
	}),
	'order.list': operation({
		label: 'Get Many Orders',
		action: 'Get many orders',
		help: 'List the orders of the account, filtered by status or pair',
		run: { via: 'rest', route: 'GET /partner/exchange/orders', retry: 'safe' },
		access: 'exchangeRead',
		input: {
			status: optional(
				choices(['open', ...(Object.keys(orderStatuses) as (keyof typeof orderStatuses)[])], {
					label: 'Status',
					help: 'Only orders with one of these statuses; open are all that are not over yet',
					named: orderStatusLabels,
					groups: { open: openStatuses },
					assumed: 'The list filters by status; the parameter name is not shown',
				}),
			),
			pair_id: optional({
				...pair,
				help: 'Only orders for this pair',
				assumed: 'The list filters by pair; the parameter name is not shown',
			}),
			limit: optional(
				integer({
					label: 'Limit',
					help: 'Max number of results to return',
					min: 1,
					assumed: 'The page size parameter is not named',
				}),
			),
			offset: aside(
				integer({
					label: 'Offset',
					help: 'How many orders to skip from the start',
					min: 0,
					assumed: 'The offset parameter is not named',
				}),
			),
		},
		output: order,
		adds: ['remaining_quantity', 'business_key'],
		list: { at: 'orders', identifiedByFirstOf: ['order_id', 'id'], paging: 'offset' },
		options: [...listChoices, ...outputModes],
		essentials,
		palette: 'orders',
	}),
	'order.cancel': operation({
		label: 'Cancel Order',
		action: 'Cancel order',
		help: 'Ask the service to cancel what is still open of an order',
		run: { via: 'intent', kind: 'cancel' },
		access: 'orderExecute',
		input: { pair_id: pair, order_id: openOrderId, idempotency_key: aside(idempotencyKey) },
		options: ['wait', 'wait_seconds', 'fail_when', 'dry_run', ...outputModes, 'unknown_after_seconds'],
		essentials: writeEssentials,
		output: { order_id: 'text', status: 'text', cancelled_at: 'timestamp' },
		follows: orderRead,
		adds: writes,
		palette: 'cancel-order',
	}),
	'order.replace': operation({
		label: 'Replace Order',
		action: 'Replace order',
		help: 'Replace an open order with one of another quantity or price',
		run: { via: 'intent', kind: 'replace' },
		access: 'orderExecute',
		input: {
			pair_id: pair,
			order_id: openOrderId,
			quantity: decimal({
				label: 'Quantity',
				help: 'New amount in the base currency',
				example: '100.00',
				unit: 'base',
			}),
			price: decimal({
				label: 'Price',
				help: 'New price in the quote currency',
				example: '1500.00',
				unit: 'quotePerBase',
			}),
			client_order_id: aside(clientOrderId),
			idempotency_key: aside(idempotencyKey),
		},
		options: [...orderWaits, 'business_key', ...writeGuards, ...outputModes, 'check_market', 'unknown_after_seconds'],
		inForms: { wait: 'accepted' },
		essentials: ['new_order_id', 'original_order_id', ...changed],
		output: { original_order_id: 'text', new_order_id: 'text', status: 'text', replaced_at: 'timestamp' },
		follows: { order_id: 'text', ...orderRead },
		adds: ['client_order_id', ...writes],
		palette: 'replace-order',
	}),
	'order.resolve': operation({
		label: 'Resolve Order',
		action: 'Resolve unknown order',
		help: 'Find out whether an order with a client order ID exists, without placing anything: accepted, not_found, or unknown while a request may still arrive',
		run: { via: 'lookup' },
		access: 'exchangeRead',
		input: {
			client_order_id: { ...clientOrderId, help: 'Identifier the order was sent with' },
			pair_id: aside({ ...pair, help: 'Pair of the order; one of another pair is another order' }),
			not_before: aside(
				timestamp({
					label: 'Not Before',
					help: 'The not_before of the error or of an earlier answer; without it, five minutes and a quarter from now',
					example: '2026-01-31T14:32:00Z',
				}),
			),
		},
		options: ['wait_certain'],
		output: { outcome: 'text', client_order_id: 'text', order: 'unspecified' },
		adds: ['duplicate_order_ids', 'replaced_by_order_id', 'replacement', 'not_before', 'advice'],
		palette: 'resolve-order',
	}),
	'fill.list': operation({
		label: 'Get Many Fills',
		action: 'Get many fills',
		help: 'List the fills of the account',
		run: { via: 'rest', route: 'GET /partner/exchange/fills', retry: 'safe' },
		access: 'exchangeRead',
		input: {
			pair_id: optional({
				...pair,
				help: 'Only fills for this pair',
				assumed: 'The query parameters of fills are not shown',
			}),
			order_id: optional({
				...orderId,
				help: 'Only fills of this order',
				assumed: 'The query parameters of fills are not shown',
			}),
			limit: optional(
				integer({
					label: 'Limit',
					help: 'Max number of results to return',
					min: 1,
					assumed: 'The query parameters of fills are not shown',
				}),
			),
			offset: aside(
				integer({
					label: 'Offset',
					help: 'How many fills to skip from the start',
					min: 0,
					assumed: 'The query parameters of fills are not shown',
				}),
			),
		},
		options: [...listChoices, ...outputModes],
		essentials: ['id', 'order_id', 'pair_id', 'side', 'quantity', 'price', 'fee', 'created_at'],
		output: 'unspecified',
		adds: ['business_key'],
		outputNotShown: 'A fill is an execution linked to an order of the account; its fields are not shown',
		list: {
			at: 'fills',
			identifiedByFirstOf: ['id', 'fill_id', 'execution_id', 'trade_id'],
			identifiedWith: 'order_id',
			paging: 'offset',
		},
		palette: 'fills',
	}),
};
