import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { startSandbox } from '../../packages/sandbox/src';

const CLIENTS = 100;
const EVENTS = 2_000;
const EVENTS_PER_TURN = 20;

/** Events a second that arrive at all clients together, counted in bytes at the receivers. */
export const fanOut = (kind: 'sandbox' | 'each'): Promise<number> =>
	kind === 'sandbox' ? throughSandbox() : stringifiedEach();

async function throughSandbox(): Promise<number> {
	const sandbox = await startSandbox({
		marketMaker: false,
		clock: 'virtual',
		settings: { orderDelayMs: 0 },
		backlogBytesMax: 1 << 30,
	});
	const clients = await Promise.all(
		Array.from({ length: CLIENTS }, () =>
			listener(new URL(sandbox.url).port, '{"type":"subscribe","topics":["orderbook.USD_NGN"]}'),
		),
	);
	const speed = await measure(clients, (turn) => {
		for (let one = 0; one < EVENTS_PER_TURN; one++) {
			const fields = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '0.01', price: '1500.00' };
			sandbox.exchange.apply({
				kind: 'order_create',
				accountId: 'trader',
				fields,
				key: `${turn}-${one}`,
				fingerprint: '',
			});
			sandbox.exchange.engine.advanceTo(sandbox.engine.state.now);
		}
	});
	await sandbox.close();
	return speed;
}

async function stringifiedEach(): Promise<number> {
	const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	const clients = await Promise.all(Array.from({ length: CLIENTS }, () => listener(String(port))));
	const level = { price: '1500.00', quantity: '123.45' };
	const speed = await measure(clients, (turn) => {
		for (let one = 0; one < EVENTS_PER_TURN; one++) {
			const data = {
				pair_id: 'USD/NGN',
				bids: [level],
				asks: [],
				sequence: turn * EVENTS_PER_TURN + one,
				timestamp: '2026-01-01T00:00:00.000Z',
			};
			const message = {
				type: 'data',
				topic: 'orderbook.USD_NGN',
				seq: data.sequence,
				epoch: 'mjuixs00-1',
				ts: data.timestamp,
				data,
			};
			for (const client of server.clients) client.send(JSON.stringify(message));
		}
	});
	server.close();
	return speed;
}

interface Listener {
	socket: Socket;
	bytes: number;
}

/** A raw socket that upgrades, says one thing and counts what comes back; parsing would be the cost of the client. */
async function listener(port: string, text?: string): Promise<Listener> {
	const socket = connect(Number(port), '127.0.0.1');
	const self: Listener = { socket, bytes: 0 };
	await once(socket, 'connect');
	socket.write(
		`GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
	);
	await once(socket, 'data');
	if (text) {
		const payload = Buffer.from(text);
		socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
		await once(socket, 'data');
	}
	socket.on('data', (chunk: Buffer) => (self.bytes += chunk.length));
	return self;
}

/** Sends until all is out, then waits until nothing more comes: every client has then had the same bytes. */
async function measure(clients: Listener[], send: (turn: number) => void): Promise<number> {
	const started = performance.now();
	for (let turn = 0; turn < EVENTS / EVENTS_PER_TURN; turn++) {
		send(turn);
		await new Promise(setImmediate);
	}
	let last = performance.now();
	for (let bytes = -1; ;) {
		const total = clients.reduce((sum, client) => sum + client.bytes, 0);
		if (total !== bytes) last = performance.now();
		else if (performance.now() - last > 200) break;
		bytes = total;
		await new Promise(setImmediate);
	}
	const [first] = clients;
	if (clients.some(({ bytes }) => bytes !== first?.bytes)) throw new Error('Not every client received the same');
	for (const { socket } of clients) socket.destroy();
	return ((EVENTS * CLIENTS) / (last - started)) * 1_000;
}
