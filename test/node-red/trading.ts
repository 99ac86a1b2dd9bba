/** Trades of the test account, made directly in the exchange: the records a test compares with. */
import type { Sandbox } from '@partner-exchange/sandbox';
import { KEY } from './flows';

const COUNTERPARTY = 'sandbox-key-second';

export interface Trading {
	/** This many fills for the test account at 1500: it buys or sells so many USD each time. */
	fills: (count: number, usd?: number, side?: 'buy' | 'sell') => void;
	/** The IDs of all fills of the account, as the service lists them. */
	truth: () => Promise<string[]>;
}

export function tradingOn(sandbox: Sandbox): Trading {
	let orders = 0;
	const order = (key: string, side: 'buy' | 'sell', quantity: string, price: string): void => {
		const body = { pair_id: 'USD/NGN', side, order_type: 'limit', quantity, price, time_in_force: 'GTC' };
		const headers = {
			'x-api-key': key,
			'idempotency-key': `trading-${(orders += 1)}`,
			'content-type': 'application/json',
		};
		const { status } = sandbox.exchange.handle({
			method: 'POST',
			path: '/v1/partner/exchange/orders',
			headers,
			body: JSON.stringify(body),
		});
		if (status >= 300) throw new Error(`The sandbox refused a trade with status ${status}`);
	};
	return {
		fills: (count, usd = 1, side = 'buy') => {
			order(COUNTERPARTY, side === 'buy' ? 'sell' : 'buy', `${count * usd}.00`, '1500.00');
			for (let made = 0; made < count; made += 1) order(KEY, side, `${usd}.00`, '1500.00');
		},
		truth: async () => {
			const ids: string[] = [];
			for (let offset = 0; ; offset = ids.length) {
				const answer = await fetch(`${sandbox.baseUrl}/partner/exchange/fills?limit=500&offset=${offset}`, {
					headers: { 'x-api-key': KEY },
				});
				const { data } = (await answer.json()) as { data: { fills: { id: string }[] } };
				if (data.fills.length === 0) return ids;
				ids.push(...data.fills.map(({ id }) => id));
			}
		},
	};
}
