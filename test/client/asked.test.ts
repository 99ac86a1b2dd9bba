/** An answer is about what was asked for. */
import { operationIds, operationOf, routeOf } from '@partner-exchange/core/catalogue';
import { inputOf } from '../support/inputs';
import { success, useWire } from '../support/wire';

const { wire, client } = useWire();
const route = (id: (typeof operationIds)[number], input: Record<string, unknown>): string =>
	routeOf(operationOf(id))!.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));

const single = operationIds.filter((id) => {
	const operation = operationOf(id);
	return routeOf(operation)?.startsWith('GET ') && !operation.list;
});

describe('the smallest useless success', () => {
	it.each(
		single.flatMap((id) => [{}, { found: false }, { id: null, status: '' }].map((answer) => [id, answer] as const)),
	)('of %s is an error: %j', async (id, answer) => {
		const input = inputOf(id);
		wire.on(route(id, input), success(answer));
		await expect(client.call(id, input)).rejects.toMatchObject({
			code: 'malformed_response',
			what: 'The answer shows nothing of it',
		});
	});
});

describe('an answer about something else', () => {
	const order = { id: 'order-2', pair_id: 'USD/NGN', status: 'filled' };

	it.each([
		['bare', order],
		['in a part of its own', { order }],
		['with its other name', { order_id: 'order-2' }],
	])('is refused for an order %s', async (_, answer) => {
		wire.on('GET /partner/exchange/orders/order-1', success({ status: 'filled', ...answer }));
		await expect(client.order.get({ order_id: 'order-1' })).rejects.toMatchObject({
			code: 'malformed_response',
			what: 'The answer is about order_id order-2, not order-1',
		});
	});

	it('is refused for another pair, in a record or in a row', async () => {
		wire.on('GET /partner/exchange/ticker/24h', success({ symbol: 'EUR/NGN', last: '1700.00' }));
		wire.on('GET /partner/exchange/trades', success({ trades: [{ id: 't1', pair_id: 'EUR/NGN' }] }));
		const what = 'The answer is about pair_id EUR/NGN, not USD/NGN';
		await expect(client.market.ticker({ pair_id: 'USD/NGN' })).rejects.toMatchObject({ what });
		await expect(client.market.trades({ pair_id: 'USD/NGN' })).rejects.toMatchObject({ what });
	});

	it('takes the same pair or identifier in another spelling for what was asked', async () => {
		wire.on('GET /partner/exchange/ticker/24h', success({ symbol: 'usd_ngn', last: '1700.00' }));
		wire.on('GET /partner/exchange/orders/order-2', success({ ...order, id: 'ORDER-2' }));
		await expect(client.market.ticker({ pair_id: 'USD/NGN' })).resolves.toMatchObject({ last: '1700.00' });
		await expect(client.order.get({ order_id: 'order-2' })).resolves.toMatchObject({ id: 'ORDER-2' });
	});

	it('ends no wait for a transaction, nor does one that shows nothing', async () => {
		const pending = { id: 't1', status: 'pending' };
		const done = { id: 't2', status: 'completed' };
		wire.on('GET /partner/wallets/transactions/t1', success(pending), success(done), success({}), success(done));
		const wait = client.transaction.get({ transaction_id: 't1' }, { options: { wait_settled: true, wait_seconds: 5 } });
		await expect(wait).resolves.toMatchObject({ ...pending, wait: { ended: 'time_limit' } });
	});
});

describe('an answer in an array', () => {
	it('is read as the record that was asked for, if it is the only one in it', async () => {
		wire.on('GET /partner/exchange/orders/o1', success([{ id: 'o1', status: 'filled' }]));
		wire.on('GET /partner/wallets/transactions/t1', success([{ id: 't1', status: 'completed' }]));
		await expect(client.order.get({ order_id: 'o1' })).resolves.toEqual({ id: 'o1', status: 'filled' });
		await expect(client.transaction.get({ transaction_id: 't1' })).resolves.toMatchObject({ id: 't1' });
	});

	it('is handed over as it is where several may be meant', async () => {
		const accounts = [{ bank_name: 'GTB' }, { bank_name: 'Access' }];
		wire.on('GET /partner/wallets/fiat/deposit-account', success(accounts));
		await expect(client.wallet.depositAccount()).resolves.toEqual(accounts);
	});
});
