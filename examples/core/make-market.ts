/** Keeps a bid and an offer around the middle of the market, and takes both away when it ends. */
import { add, divide, multiply, named, subtract } from '@partner-exchange/core';
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

const pair_id = 'USD/NGN';
const QUANTITY = '5.00';
const HALF_SPREAD = '0.005';

async function main(rounds: number): Promise<void> {
	const { client, close } = openAccount(account);
	const placed = new Set<string>();
	const place = async (side: 'buy' | 'sell', price: string): Promise<void> => {
		const { order_id, status } = await client.order.create(
			{ pair_id, side, order_type: 'limit', time_in_force: 'POST_ONLY', quantity: QUANTITY, price },
			{ options: { wait: 'accepted', fail_when: 'never' } },
		);
		placed.add(order_id);
		console.log(`${side} ${QUANTITY} at ${price}: ${status}`);
	};
	for (let round = 0; round < rounds; round += 1) {
		const { best_bid, best_ask } = named('ticker', await client.market.ticker({ pair_id }));
		if (best_bid === undefined || best_ask === undefined) throw new Error('The market shows no price');
		const middle = divide(add(best_bid, best_ask), '2', 2, 'half_even');
		const away = multiply(middle, HALF_SPREAD);
		await place('buy', divide(subtract(middle, away), '1', 2, 'down'));
		await place('sell', divide(add(middle, away), '1', 2, 'up'));
		for (const order_id of placed) await client.order.cancel({ pair_id, order_id }, { options: { wait: 'final' } });
		placed.clear();
	}
	await close();
}

void main(Number(process.argv[2] ?? '2'));
