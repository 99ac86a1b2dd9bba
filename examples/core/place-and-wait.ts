/** Buys dollars once, however often it is run with the same invoice, and waits until the order is final. */
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(invoice: string): Promise<void> {
	const { client } = openAccount(account);
	const { status, filled_quantity, avg_fill_price } = await client.order.create(
		{ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' },
		{ options: { business_key: invoice, wait: 'final', fail_when: 'time_limit' } },
	);
	console.log(`${status}: ${filled_quantity} USD at ${avg_fill_price}`);
}

void main(process.argv[2] ?? 'invoice-4711');
