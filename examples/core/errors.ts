/** Does the right thing for each way in which an order fails: correct it, wait, look it up, or give up. */
import { isExchangeError, type CreateOrderInput } from '@partner-exchange/core';
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

const { client } = openAccount(account);
const order: CreateOrderInput = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '11', price: '1000' };

async function place(input: CreateOrderInput, business_key: string): Promise<string> {
	try {
		const { order_id, status } = await client.order.create(input, { options: { business_key, wait: 'accepted' } });
		await client.order.cancel({ pair_id: input.pair_id, order_id });
		return status ?? 'not read yet';
	} catch (error) {
		if (isExchangeError(error, 'outcome_unknown')) {
			const { client_order_id, pair_id, not_before } = error.details;
			if (client_order_id === undefined) throw error;
			return (await client.order.resolve({ client_order_id, pair_id, not_before })).outcome;
		}
		if (isExchangeError(error, 'rate_limited')) return `try again in ${error.retryAfterMs ?? 60_000} ms`;
		if (isExchangeError(error, 'invalid_input')) return `correct ${error.field ?? 'it'}: ${error.what}`;
		throw error;
	}
}

async function main(): Promise<void> {
	console.log(await place(order, 'errors-1'));
	console.log(await place({ ...order, quantity: '0.001' }, 'errors-2'));
}

void main();
