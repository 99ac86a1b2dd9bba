import { randomUUID } from 'node:crypto';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';

export interface Crowd {
	listeners: number;
	accounts: number;
}

/** The first account trades; the others only listen. */
const TRADER = 'sandbox-key';
const MAKER = 'sandbox-key-second';

export const keyOf = (account: number): string => (account === 0 ? TRADER : `sandbox-key-${account}-of-many`);

/** A quiet exchange with an account for each key. */
export async function openExchange({ accounts }: Crowd): Promise<Sandbox> {
	const others = Array.from({ length: accounts - 1 }, (_, index) => ({
		key: keyOf(index + 1),
		email: `trader-${index + 1}@sandbox.test`,
	}));
	return await startSandbox({
		...{ marketMaker: false, requestsPerSecond: 100_000, settings: { orderDelayMs: 0 } },
		...(others.length > 0 ? { keys: others } : {}),
	});
}

/** A fill of the first account. Nobody else trades, so an order meets the one before it. */
export async function fillOnce({ baseUrl }: Sandbox, side: 'buy' | 'sell'): Promise<void> {
	const other = side === 'buy' ? 'sell' : 'buy';
	for (const [key, way] of [
		[MAKER, other],
		[TRADER, side],
	] as const) {
		const body = JSON.stringify({
			...{ pair_id: 'USD/NGN', side: way, order_type: 'limit' },
			...{ quantity: '1.00', price: '1500.00' },
		});
		const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': randomUUID() };
		const answer = await fetch(`${baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
		if (!answer.ok) throw new Error(`The sandbox refused an order: ${await answer.text()}`);
	}
}
