/** Buys dollars once, however often it is run with the same invoice, and waits until the order is final. */
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(invoice: string): Promise<void> {
	const { client, close } = openAccount(account);
	const placed = await client.order.create(
		{ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' },
		{ options: { business_key: invoice, wait: 'final', wait_seconds: 30, check_balance: true }, warn: console.warn },
	);
	const order = await client.order.get({ order_id: placed.order_id });
	console.log(`${order.status}: ${order.filled_quantity} USD at ${order.avg_fill_price}`);
	await close();
}

void main(process.argv[2] ?? 'invoice-4711');
