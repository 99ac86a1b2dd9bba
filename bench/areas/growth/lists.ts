import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A list of orders as long as the first part of the path says, in pages by offset. */
export async function serveLists(): Promise<string> {
	const server = createServer(({ url = '' }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://bench');
		const total = Number(pathname.split('/')[1]);
		const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)));
		const length = Math.max(0, Math.min(limit!, total - offset!));
		const orders = Array.from({ length }, (_, index) => orderAt(total - offset! - index));
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ status: 'success', data: { count: orders.length, orders } }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const orderAt = (number: number) => ({
	...{ id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, client_order_id: `bench-${number}` },
	...{ pair_id: 'USD/NGN', order_type: 'limit', side: 'buy', quantity: '10.00', price: '1500.25' },
	...{ filled_quantity: '10.00', status: 'filled', created_at: '2026-01-01T00:00:00.000Z' },
});
