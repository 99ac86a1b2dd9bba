import { choice, decimal, onlyWhen, text } from './field';
import { orderTypes, sides } from './statuses';

/** What an order asks for, in the words of every form that asks for it. */
export const pair = text({
	label: 'Pair',
	help: 'Trading pair as the markets list names it',
	example: 'USD/NGN',
	pick: 'pair',
});
export const side = choice(sides, { label: 'Side', help: 'Whether to buy or sell the base currency' });
export const orderType = choice(orderTypes, {
	label: 'Order Type',
	help: 'Limit trades at your price or better, market trades at once at the best prices available',
});
export const limitOrder = { order_type: 'limit' };
export const limitPrice = onlyWhen(
	limitOrder,
	decimal({
		label: 'Price',
		help: 'Price of one unit of the base currency, in the quote currency',
		example: '1500.00',
		unit: 'quotePerBase',
	}),
);

/** The names under which an order is known. They say nothing of what it is. */
export const orderNames: readonly string[] = ['client_order_id', 'idempotency_key'];
