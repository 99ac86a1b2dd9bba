import type { Item } from '@partner-exchange/core';
import { startSandbox } from '@partner-exchange/sandbox';
import { forEach } from '../support/opened';
import { useWarnings } from '../support/wire';
import { accountOf, errorOf, ordersIn, resting, streamingClient } from '../support/placing';

const options = { check_balance: true } as const;

// The account starts with 50,000,000 NGN and 100,000 USD.
describe('the balance check of a replacement', () => {
	const sandbox = forEach(() => startSandbox({ seed: 7 }));
	const used = forEach(() => streamingClient(accountOf(sandbox)));
	const { warnings, context } = useWarnings();

	const place = async (changes: Item) =>
		(await used.client.order.create({ ...resting, ...changes }, { options: { wait: 'accepted' } })).order_id;
	const replace = async (order_id: string, quantity: string, price: string) =>
		await used.client.order.replace({ pair_id: resting.pair_id, order_id, quantity, price }, { options, ...context });

	it('counts in the balance check of a replacement what the order holds already', async () => {
		const order_id = await place({ quantity: '30000.00', price: '1000.00' });
		const error = await errorOf(replace(order_id, '50000.01', '1000.00'));
		expect(error).toMatchObject({
			code: 'invalid_input',
			details: { rule: 'available', currency: 'NGN', needed: '20000010', available: '20000000.00' },
		});
		expect(error.message).toContain('Beyond what the order holds already, its replacement needs 20000010 NGN');
		expect(ordersIn(sandbox)).toHaveLength(1);
		expect(await replace(order_id, '50000.00', '1000.00')).toMatchObject({ original_order_id: order_id });
	});

	it('skips the balance check of a replacement that needs no more than before, and reads no balance', async () => {
		const order_id = await place({ quantity: '50000.00', price: '1000.00' });
		const { new_order_id } = await replace(order_id, '50000.00', '1000.00');
		expect(await replace(String(new_order_id), '49999.00', '1000.00')).toMatchObject({
			original_order_id: new_order_id,
		});
		expect(sandbox.requests.filter(({ path }) => path.includes('balances'))).toEqual([]);
		expect(warnings.filter(({ kind }) => kind === 'not_checked')).toEqual([]);
	});
});
