/** Places an order and prints its fills as they arrive, until the whole of it is filled. */
import { add, compare } from '@partner-exchange/core';
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(quantity: string): Promise<void> {
	const { client, stream, close } = openAccount(account);
	let filled = '0';
	const fills = stream.subscribe({
		topics: ['user.fills'],
		deliver: async (events) => {
			const { order_id } = await order;
			for (const { kind, data, delivery } of events) {
				// A notice, such as a gap, is no fill, and other orders of the account are filled, too.
				if (kind !== undefined || data.order_id !== order_id) continue;
				console.log(`${delivery}: ${data.quantity} USD at ${data.price}`);
				filled = add(filled, data.quantity ?? '0');
			}
			if (compare(filled, quantity) >= 0) await close();
		},
	});
	const order = fills.ready.then(() =>
		client.order.create({ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity }),
	);
	await order;
}

void main(process.argv[2] ?? '25.00');
