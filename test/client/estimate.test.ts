/** What an estimate said is what happened while nothing else traded. */
import type { OperationId } from '@partner-exchange/core/catalogue';
import { createClient, type EstimateOrderAnswer } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import Big from 'big.js';
import { random } from '../simulation/support/random';
import { accountOf, errorOf } from '../support/placing';
import { forAll } from '../support/opened';

const BOOKS = 200;
const pair_id = 'USD/NGN';

describe('an estimate', () => {
	const sandbox = forAll(() => startSandbox({ clock: 'virtual', settings: { orderDelayMs: 0, settlementDelayMs: 0 } }));
	const client = forAll(() => createClient(accountOf(sandbox), nodePorts(), { isForm: true }));
	let placed = 0;

	/** Places an order in the exchange itself, and returns it as it ended up. */
	function place(accountId: string, fields: object) {
		const { engine } = sandbox;
		const key = `key-${(placed += 1)}`;
		const action = { kind: 'order_create', accountId, fields: { pair_id, ...fields }, key, fingerprint: key } as const;
		const { order_id } = engine.apply(action).data as { order_id: string };
		engine.advanceTo(engine.state.now + 1_000);
		return engine.state.orders.get(order_id)!;
	}

	const units = (text: string, decimals = 2) => BigInt(new Big(text).times(new Big(10).pow(decimals)).toFixed());

	it(`is what the sandbox's own matching then does, in ${BOOKS} random books`, async () => {
		const chance = random(25);
		let compared = 0;
		const amount = (most: number) => (1 + Math.floor(chance.next() * most * 100)) / 100;
		for (let book = 0; book < BOOKS; book += 1) {
			sandbox.reset();
			const side = chance.next() < 0.5 ? 'buy' : 'sell';
			const isLimit = chance.next() < 0.4;
			const levels = Math.floor(chance.next() * 8);
			for (let level = 0; level < levels; level += 1) {
				const price = (1400 + Math.floor(chance.next() * 20_000) / 100).toFixed(2);
				const maker = { side: side === 'buy' ? 'sell' : 'buy', order_type: 'limit', time_in_force: 'GTC' };
				place('second', { ...maker, price, quantity: amount(20).toFixed(2) });
			}
			const price = isLimit ? { price: (1400 + Math.floor(chance.next() * 20_000) / 100).toFixed(2) } : {};
			const asked =
				chance.next() < 0.5 ? { quantity: amount(60).toFixed(2) } : { quote_amount: (amount(60) * 1500).toFixed(2) };
			const order_type = isLimit ? 'limit' : 'market';
			const said = (await client.call<OperationId>('order.estimate', {
				...{ pair_id, side, order_type, ...price, ...asked },
			})) as EstimateOrderAnswer;
			if (new Big(said.quantity).eq(0)) {
				expect([Number(said.fillable_quantity), said.problems]).toEqual([0, [expect.any(String)]]);
				continue;
			}
			if (said.problems.length > 0) continue;
			const order = place('trader', { side, order_type, ...price, quantity: new Big(said.quantity).toFixed(2) });
			compared += 1;
			const seen = { side, order_type, ...price, ...asked, book };
			expect({ ...seen, filled: units(said.fillable_quantity) }).toEqual({ ...seen, filled: order.filled });
			expect({ ...seen, value: units(said.total, 4) }).toEqual({ ...seen, value: order.exactValue });
			const rest = new Big(said.quantity).minus(said.fillable_quantity);
			if ('quantity' in asked) expect(rest.eq(said.left_over)).toBe(true);
			else if (!isLimit) expect(new Big(said.total).plus(said.left_over).eq(asked.quote_amount)).toBe(true);
			if (said.avg_price !== null && order.filled > 0n) {
				const average = new Big(order.exactValue.toString())
					.div(100)
					.div(order.filled.toString())
					.round(8, Big.roundHalfEven);
				expect(said.avg_price).toBe(average.toFixed(8));
			}
		}
		expect(compared).toBeGreaterThan(BOOKS / 2);
	});

	it('refuses nothing itself, and says in the words of Create Order what the market would refuse', async () => {
		sandbox.reset();
		const order = { pair_id, side: 'buy', order_type: 'limit', price: '1400.005', quantity: '0.019' } as const;
		const { problems, quantity } = await client.order.estimate(order);
		expect(quantity).toBe('0.01');
		const refused = await errorOf(client.order.create({ ...order, quantity }));
		expect(problems).toEqual([expect.stringContaining(refused.what)]);
	});

	it('says of a quantity that may mean thousands what the order would say', async () => {
		sandbox.reset();
		const order = { pair_id, side: 'buy', order_type: 'market', quantity: '1.000' } as const;
		const { problems } = await client.order.estimate(order);
		const refused = await errorOf(client.order.create(order));
		expect(problems).toContainEqual(expect.stringContaining(refused.what));
	});

	it('gives a quantity that can be ordered where an amount of the quote currency buys it without a rest', async () => {
		sandbox.reset();
		const order = { pair_id, side: 'buy', order_type: 'limit', price: '1500.00' } as const;
		const { quantity, problems } = await client.order.estimate({ ...order, quote_amount: '60000.00' });
		expect({ quantity, problems }).toEqual({ quantity: '40', problems: [] });
		await expect(client.order.create({ ...order, quantity })).resolves.toMatchObject({ pair_id });
	});

	it('says whether the balance covers it, where it is asked to', async () => {
		sandbox.reset();
		const order = { pair_id, side: 'sell', order_type: 'limit', price: '1400.00', quantity: '200000.00' } as const;
		await expect(client.order.estimate(order)).resolves.toMatchObject({ available: null, affordable: null });
		const compared = await client.order.estimate(order, { options: { compare_balance: true } });
		expect(compared).toMatchObject({ available: '100000.00', affordable: false });
		expect(compared.problems).toEqual(['The order needs 200000.00 USD, but only 100000.00 USD is available']);
	});

	it('does not call a market order covered by the balance of which the book shows only a part, or nothing', async () => {
		sandbox.reset();
		const order = { pair_id, side: 'buy', order_type: 'market', quantity: '10.00' } as const;
		const said = await client.order.estimate(order, { options: { compare_balance: true } });
		expect(said).toMatchObject({ affordable: null, problems: [expect.stringContaining('shows 0 of it')] });
		const sold = await client.order.estimate({ ...order, side: 'sell' });
		expect(sold.problems).toEqual([expect.stringContaining('shows 0 of it')]);
	});
});
