import fc from 'fast-check';
import { createExchange, type Exchange } from '@partner-exchange/sandbox';

/** A random history of the exchange: commands of two accounts, drawn from small ranges so that orders match. */

export type Command =
	| {
			do: 'create';
			who: number;
			side: 'buy' | 'sell';
			type: 'limit' | 'market';
			tif: string;
			price: number;
			quantity: number;
	  }
	| { do: 'cancel'; who: number; which: number }
	| { do: 'replace'; who: number; which: number; price: number; quantity: number }
	| { do: 'withdraw'; who: number; amount: number }
	| { do: 'deposit'; who: number; amount: number }
	| { do: 'wait'; ms: number };

const who = fc.integer({ min: 0, max: 1 });
/** Prices and quantities in hundredths; odd ones, so that amounts have to be rounded. */
const price = fc.integer({ min: 149_990, max: 150_010 });
const quantity = fc.integer({ min: 1, max: 700 });
const which = fc.integer({ min: 0, max: 7 });

export const command: fc.Arbitrary<Command> = fc.oneof(
	{
		weight: 10,
		arbitrary: fc.record({
			do: fc.constant('create' as const),
			who,
			side: fc.constantFrom('buy' as const, 'sell' as const),
			type: fc.constantFrom('limit' as const, 'limit' as const, 'limit' as const, 'market' as const),
			tif: fc.constantFrom('GTC', 'GTC', 'GTC', 'IOC', 'FOK', 'POST_ONLY'),
			price,
			quantity,
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), who, which }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('replace' as const), who, which, price, quantity }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant('withdraw' as const), who, amount: fc.integer({ min: 1, max: 5_000_000 }) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant('deposit' as const), who, amount: fc.integer({ min: 1, max: 5_000_000 }) }),
	},
	{ weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20 }) }) },
);

const keys = ['sandbox-key', 'sandbox-key-second'];
const emails = ['trader@sandbox.test', 'second@sandbox.test'];
const decimal = (hundredths: number): string =>
	`${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;

export interface Play {
	exchange: Exchange;
	/** The stream of each account, in order. */
	heard: { type: string; topic?: string; seq?: number; data?: Record<string, never> }[][];
	run(command: Command): void;
}

/** An exchange whose accounts have little money, so that funds run out, with a stream per account. */
export function startPlay(options: Parameters<typeof createExchange>[0] = {}): Play {
	const exchange = createExchange(options);
	const heard: Play['heard'] = [[], []];
	const sessions = keys.map((key, index) => {
		const session = exchange.connect({ send: (text) => heard[index]?.push(JSON.parse(text)) }, key);
		session.receive(
			JSON.stringify({
				type: 'subscribe',
				topics: ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.USD_NGN'],
			}),
		);
		return session;
	});
	let count = 0;
	const send = (who: number, message: object) =>
		sessions[who]?.receive(
			JSON.stringify({ type: 'command', request_id: `r${++count}`, pair_id: 'USD/NGN', ...message }),
		);
	const simulate = (rail: string, path: string, body: object) =>
		exchange.handle({
			method: 'POST',
			path: `/v1/simulate/${rail}/${path}`,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	for (const email of emails) {
		simulate('fiat', 'withdrawals', { email, amount: '49970000.00', currency: 'NGN' });
		simulate('crypto', 'withdrawals', { email, amount: '99980.00', chain: 'TRON', asset: 'USDT' });
	}
	exchange.engine.advanceTo(exchange.engine.state.now + 100);
	function run(command: Command) {
		switch (command.do) {
			case 'create':
				return send(command.who, {
					action: 'order_create',
					side: command.side,
					order_type: command.type,
					time_in_force: command.tif,
					price: decimal(command.price),
					quantity: decimal(command.quantity),
				});
			case 'cancel':
				return send(command.who, { action: 'order_cancel', order_id: nthLast(exchange, command.who, command.which) });
			case 'replace':
				return send(command.who, {
					action: 'order_replace',
					order_id: nthLast(exchange, command.who, command.which),
					price: decimal(command.price),
					quantity: decimal(command.quantity),
				});
			case 'withdraw':
				return void simulate('fiat', 'withdrawals', {
					email: emails[command.who],
					amount: decimal(command.amount),
					currency: 'NGN',
				});
			case 'deposit':
				return void simulate('fiat', 'deposits', {
					email: emails[command.who],
					amount: decimal(command.amount),
					currency: 'NGN',
				});
			case 'wait':
				return exchange.engine.advanceTo(exchange.engine.state.now + command.ms);
		}
	}
	return { exchange, heard, run };
}

function nthLast(exchange: Exchange, who: number, which: number): string {
	const { orders } = exchange.engine.state.accounts.get(who === 0 ? 'trader' : 'second') as {
		orders: readonly string[];
	};
	return orders[orders.length - 1 - which] ?? 'none';
}
