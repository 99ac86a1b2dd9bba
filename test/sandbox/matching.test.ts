import { ask, balance, command, listenTo, place, read, sandboxFor, sandboxForEach, type Json } from './connection';

const sandbox = sandboxForEach();

const other = 'sandbox-key-second';

describe('matching', () => {
	it('returns the difference to a better price at once', async () => {
		const opening = Number((await balance(sandbox, 'NGN')).available);
		await place(sandbox, { side: 'sell', quantity: '4.00', price: '1500.00' }, other);
		await place(sandbox, { quantity: '10.00', price: '1600.00' });
		const { available, locked } = await balance(sandbox, 'NGN');
		expect(locked).toBe('9600.00');
		expect(Number(available)).toBe(opening - 6_000 - 9_600);
	});

	it('accounts for the dust of odd prices and releases all with the last fill', async () => {
		const buy = await place(sandbox, { quantity: '0.07', price: '1500.33' });
		for (let fill = 0; fill < 7; fill++)
			await place(sandbox, { order_type: 'market', side: 'sell', quantity: '0.01' }, other);
		expect(await read(sandbox, buy.id!)).toMatchObject({
			status: 'filled',
			filled_quantity: '0.07',
			avg_fill_price: '1500.33',
		});
		expect(await balance(sandbox, 'NGN')).toMatchObject({ available: '49999894.97', locked: '0.00' });
		expect((await balance(sandbox, 'NGN', other)).available).toBe('50000105.00');
		const { clearing } = sandbox.engine.state.house.get('NGN') as { clearing: { available: bigint } };
		expect(clearing.available).toBe(3n);
	});

	it('fills 0.3 from three times 0.1 with nothing left over', async () => {
		for (let index = 0; index < 3; index++) await place(sandbox, { side: 'sell', quantity: '0.10' }, other);
		expect(await place(sandbox, { quantity: '0.30' })).toMatchObject({ status: 'filled', filled_quantity: '0.30' });
		const { json } = await ask(sandbox, 'GET /partner/exchange/orderbook/USD%2FNGN/snapshot');
		expect(json.data).toMatchObject({ bids: [], asks: [] });
	});

	it.each([
		['short by one unit', [['10.00', other]], '10.01'],
		[
			'only fillable with own orders',
			[
				['6.00', other],
				['5.00', 'sandbox-key'],
			],
			'10.00',
		],
	])('fills nothing of a FOK order that is %s', async (_case, resting, quantity) => {
		for (const [amount, key] of resting as [string, string][])
			await place(sandbox, { side: 'sell', quantity: amount }, key);
		expect(await place(sandbox, { quantity, time_in_force: 'FOK' })).toMatchObject({
			status: 'cancelled',
			filled_quantity: '0.00',
		});
		const { json } = await ask(sandbox, 'GET /partner/exchange/orderbook/USD%2FNGN/snapshot');
		expect(json.data!.bids).toEqual([]);
		expect((await balance(sandbox, 'NGN')).locked).toBe('0.00');
	});

	it('fills nothing of a FOK order that the balance does not cover', async () => {
		await place(sandbox, { side: 'sell', quantity: '50000.00' }, other);
		expect(await place(sandbox, { quantity: '50000.00', time_in_force: 'FOK' })).toMatchObject({
			status: 'rejected',
			filled_quantity: '0.00',
		});
	});

	it('keeps the fills of an IOC order and cancels its remainder', async () => {
		await place(sandbox, { side: 'sell', quantity: '4.00' }, other);
		expect(await place(sandbox, { time_in_force: 'IOC' })).toMatchObject({
			status: 'cancelled',
			filled_quantity: '4.00',
		});
		expect((await balance(sandbox, 'NGN')).locked).toBe('0.00');
	});

	it('rejects a POST_ONLY order that meets the other side even by equality, and a replacement that would', async () => {
		await place(sandbox, { side: 'sell', price: '1500.00' }, other);
		expect(await place(sandbox, { price: '1500.00', time_in_force: 'POST_ONLY' })).toMatchObject({
			status: 'rejected',
			filled_quantity: '0.00',
		});
		const resting = await place(sandbox, { price: '1499.99', time_in_force: 'POST_ONLY' });
		const line = await listenTo(sandbox, 'sandbox-key');
		const ack = await command(line, {
			action: 'order_replace',
			order_id: resting.id,
			quantity: '10.00',
			price: '1500.00',
		});
		sandbox.advance(10);
		expect(await read(sandbox, ack.data!.new_order_id!)).toMatchObject({ status: 'rejected', filled_quantity: '0.00' });
		expect((await read(sandbox, resting.id!)).status).toBe('accepted');
	});

	it('cancels a market order without a counterparty, with nothing locked', async () => {
		for (const side of ['buy', 'sell']) {
			expect(await place(sandbox, { order_type: 'market', side })).toMatchObject({
				status: 'cancelled',
				filled_quantity: '0.00',
			});
		}
		expect((await balance(sandbox, 'NGN')).locked).toBe('0.00');
		expect((await balance(sandbox, 'USD')).locked).toBe('0.00');
	});

	it('cancels the rest of a taker that meets an order of its own account', async () => {
		await place(sandbox, { side: 'sell', quantity: '3.00', price: '1499.00' }, other);
		const own = await place(sandbox, { side: 'sell', quantity: '3.00', price: '1500.00' });
		expect(await place(sandbox, { quantity: '10.00' })).toMatchObject({
			status: 'cancelled',
			filled_quantity: '3.00',
			cancel_reason: expect.stringContaining('same account'),
		});
		expect((await read(sandbox, own.id!)).status).toBe('accepted');
		expect((await ask(sandbox, 'GET /partner/exchange/trades?pair_id=USD%2FNGN')).json.data!.trades).toHaveLength(1);
	});

	it('cancels the resting order instead where the rule says so, and keeps FOK all or none', async () => {
		const sandbox = await sandboxFor({ settings: { selfTrade: 'cancel_maker' } });
		const own = await place(sandbox, { side: 'sell', quantity: '3.00', price: '1499.00' });
		await place(sandbox, { side: 'sell', quantity: '8.00', price: '1500.00' }, other);
		expect(await place(sandbox, { quantity: '10.00', time_in_force: 'FOK' })).toMatchObject({
			status: 'cancelled',
			filled_quantity: '0.00',
		});
		expect((await read(sandbox, own.id!)).status).toBe('accepted');
		expect(await place(sandbox, { quantity: '8.00', time_in_force: 'FOK' })).toMatchObject({ status: 'filled' });
		expect((await read(sandbox, own.id!)).status).toBe('cancelled');
	});

	describe('of orders at one price', () => {
		const fillOne = (sandbox: Parameters<typeof place>[0]) =>
			place(sandbox, { order_type: 'market', side: 'sell', quantity: '5.00' }, other);

		async function twoInQueue() {
			const [first, second] = [
				await place(sandbox, { quantity: '10.00' }),
				await place(sandbox, { quantity: '10.00' }),
			] as [Json, Json];
			const line = await listenTo(sandbox, 'sandbox-key');
			const replace = async (quantity: string, price = '1500.00') => {
				const ack = await command(line, { action: 'order_replace', order_id: first.id, quantity, price });
				sandbox.advance(10);
				return ack.data!.new_order_id as string;
			};
			return { sandbox, first, second, replace };
		}

		it('fills the earlier of two orders at one price first', async () => {
			const { sandbox, first, second } = await twoInQueue();
			await fillOne(sandbox);
			expect((await read(sandbox, first.id!)).filled_quantity).toBe('5.00');
			expect((await read(sandbox, second.id!)).filled_quantity).toBe('0.00');
		});

		it('keeps the place of a replacement that only lowers the quantity', async () => {
			const { sandbox, replace } = await twoInQueue();
			const replacement = await replace('6.00');
			await fillOne(sandbox);
			expect((await read(sandbox, replacement)).filled_quantity).toBe('5.00');
		});

		it.each([
			['raises the quantity', '11.00', '1500.00'],
			['changes the price', '10.00', '1499.99'],
		])('moves a replacement that %s to the end of its price', async (_case, quantity, price) => {
			const { sandbox, second, replace } = await twoInQueue();
			const replacement = await replace(quantity, price);
			await fillOne(sandbox);
			expect((await read(sandbox, second.id!)).filled_quantity).toBe('5.00');
			expect((await read(sandbox, replacement)).filled_quantity).toBe('0.00');
		});
	});
});
