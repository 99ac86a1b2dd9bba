import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Wire } from './wire';

const TRANSACTIONS = 'GET /partner/wallets/transactions';
const BEGINS = Date.UTC(2026, 0, 15);

/** A transaction so many minutes after the service's time. */
export const transaction = (id: string, minute: number, status = 'completed') => ({
	...{ id, status, currency: 'NGN', rail: 'bank', amount: '1.00' },
	created_at: new Date(BEGINS + minute * 60_000).toISOString(),
});

/** More of them than a page has, from before. */
export const oldTransactions = Array.from({ length: 300 }, (_, index) => transaction(`old ${index}`, -index));

/** Serves the newest first; what lies behind the first page is refused. */
export function serveFirstPage(wire: Wire, rows: readonly object[]): void {
	wire.on(TRANSACTIONS, (request: IncomingMessage, response: ServerResponse) => {
		const { offset = '0', limit = '100' } = Object.fromEntries(new URL(request.url!, 'http://h').searchParams);
		response.setHeader('date', new Date(BEGINS).toUTCString());
		const isFirst = Number(offset) === 0;
		if (!isFirst) response.statusCode = 400;
		const transactions = rows.slice(0, Number(limit));
		response.end(JSON.stringify(isFirst ? { status: 'success', data: { transactions } } : { message: 'too far' }));
	});
}
