import { serialize } from 'node:v8';
import { routeOf, operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { createExchange } from '@partner-exchange/sandbox';
import type { Handler } from '../../packages/sandbox/src/api/call';

/** State outside the journal is lost at the next kill, so only a recorded action may change the state. */

// Code that fails to compile has no types, which is intended here.
/* eslint-disable @typescript-eslint/no-unsafe-call */
/**
 * Never called: each line that tries to change the state must fail to compile, or the type check of this file fails.
 */
export const forbidden: Handler = ({ state, world, account }) => {
	// @ts-expect-error A handler sets no field of the state.
	state.now = 0;
	// @ts-expect-error A handler adds no order.
	state.orders.set('id', [...state.orders.values()][0]!);
	// @ts-expect-error A handler changes no balance.
	account.holdings.get('NGN')!.available = 1n;
	// @ts-expect-error A handler appends to no list.
	account.fills.push(account.fills[0]!);
	// @ts-expect-error A handler does not reach the state through the world either.
	world.state.settings.orderDelayMs = 1;
	// @ts-expect-error A handler touches no book.
	world.state.markets.get('USD/NGN')!.book.buy.levels.pop();
	return { data: null };
};

const routed = operationIds.filter((id) => routeOf(operationOf(id)));
const body = JSON.stringify({
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '1.00',
	price: '1500.00',
	email: 'trader@sandbox.test',
	amount: '5.00',
	currency: 'NGN',
	chain: 'TRON',
	asset: 'USDT',
	status: 'rejected',
	recipient_type: 'fiat',
	label: 'A friend',
	bank_code: '058',
	account_number: '0123456789',
});
const query = '?pair_id=USD%2FNGN&interval=1m&levels=5&side=sell';

/** The operations that changed the state in this test, to show that the comparison detects changes. */
const changing: string[] = [];

it.each(routed)('changes state on %s only by an action that is recorded', (id) => {
	const recorded: string[] = [];
	const exchange = createExchange({
		settings: { marketMaker: 'live' },
		record: (_at, { kind }) => recorded.push(kind),
	});
	exchange.engine.advanceTo(exchange.engine.state.now + 5_000);
	const bytes = () => serialize(exchange.engine.state);
	const before = bytes();
	const [method, path] = routeOf(operationOf(id))!.split(' ') as [string, string];
	const input = {
		method,
		path: `/v1${path.replace(/\{pair_id\}/, 'USD%2FNGN').replace(/\{\w+\}/, 'unknown')}${query}`,
		headers: { 'x-api-key': 'sandbox-key', 'idempotency-key': 'one', 'content-type': 'application/json' },
		...(method === 'GET' ? {} : { body }),
	};
	expect(exchange.handle(input).status).not.toBe(500);
	if (bytes().equals(before)) return;
	changing.push(id);
	expect(recorded).not.toEqual([]);
});

it('detects a change of state where there is one', () => {
	expect(changing).toEqual(expect.arrayContaining(['order.create', 'recipient.create', 'simulation.fiatDeposit']));
});

it('reads a missing balance as zero without opening it', () => {
	const exchange = createExchange({ keys: [{ key: 'fresh', email: 'fresh@sandbox.test' }] });
	const account = [...exchange.engine.state.accounts.values()].find(({ email }) => email === 'fresh@sandbox.test')!;
	(account.holdings as Map<string, unknown>).delete('USD');
	const { status } = exchange.handle({
		method: 'GET',
		path: '/v1/partner/wallets/balances/overview',
		headers: { 'x-api-key': 'fresh' },
	});
	expect(status).toBe(200);
	expect([...account.holdings.keys()]).toEqual(['NGN']);
});
