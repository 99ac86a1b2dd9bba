import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { framesOf, sendFrames } from '../stream/server';

/** Between the last subscription and the first message, so that all subscribers are ready. */
const QUIET_MS = 200;
const BEGIN_MS = 1_767_603_600_000;

/** Trades of as many pairs as the first part of the path says, in turn, each with numbers of its own. */
function tradeOf(pairs: number, count: number): string {
	const pair = count % pairs;
	const sequence = Math.floor(count / pairs) + 1;
	const ts = new Date(BEGIN_MS + count).toISOString();
	const id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
	const data = {
		...{ id, pair_id: `P${pair}/NGN`, price: '1500.25', quantity: '10.00', side: 'buy', sequence, created_at: ts },
	};
	return JSON.stringify({ type: 'data', topic: `trades.P${pair}_NGN`, seq: sequence, epoch: 'mjuixs00-1', ts, data });
}

/** Sends once nobody has subscribed to anything for a moment. */
export async function serveTopics(): Promise<string> {
	const framed = new Map<string, Buffer>();
	const server = createServer();
	const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
	server.on('upgrade', (request, socket, head) => {
		sockets.handleUpgrade(request, socket, head, (client) => {
			const [, pairs = '1', size = '1'] = request.url?.split('/') ?? [];
			const key = `${pairs}/${size}`;
			if (!framed.has(key))
				framed.set(
					key,
					framesOf(Number(size), (sequence) => tradeOf(Number(pairs), sequence - 1)),
				);
			let timer: NodeJS.Timeout | undefined;
			socket.on('error', () => undefined);
			client.on('error', () => undefined);
			client.on('message', (data) => {
				const { type, topics } = JSON.parse(String(data)) as { type: string; topics: string[] };
				if (type !== 'subscribe') return;
				client.send(JSON.stringify({ type: 'subscribed', topics }));
				clearTimeout(timer);
				timer = setTimeout(() => sendFrames(socket, framed.get(key)!), QUIET_MS);
			});
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
