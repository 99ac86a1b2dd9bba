import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { startSandbox } from '../../../packages/sandbox/src';
import { stopwatch, type Contestant, type Sample } from '../../area';
import { startPart } from '../../processes';
import { keys } from './load';

const CLIENTS = 100;
const EVENTS_PER_TURN = 20;
const TOPIC = 'orderbook.USD_NGN';

const ts = '2026-01-01T00:00:00.000Z';
const level = { price: '1500.00', quantity: '123.45' };
const bookAt = (sequence: number) => ({ pair_id: 'USD/NGN', bids: [level], asks: [], sequence, timestamp: ts });

/** Orders over HTTP, each of which changes the book. */
const sandboxToAll: Contestant = {
	title: 'ours, with the orders',
	note: 'takes the orders over HTTP, and matches them',
	run: async (size) => {
		const settings = { orderDelayMs: 0 };
		const { url } = await startSandbox({ keys, marketMaker: false, backlogBytesMax: 1 << 30, settings });
		return deliver(new URL(url).port, size, () => {
			startPart(process.argv[1]!, 'load', url, String(size), 'resting');
		});
	},
};

/** What most servers do. */
const stringifiedEach: Contestant = {
	title: 'ws, JSON.stringify for each client',
	note: 'of events that are there, without an order',
	run: async (size) => {
		const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
		await once(server, 'listening');
		server.on('connection', (client) => client.on('message', () => client.send('{"type":"subscribed"}')));
		const send = (number: number): void => {
			const message = { type: 'data', topic: TOPIC, seq: number, epoch: 'mjuixs00-1', ts, data: bookAt(number) };
			for (const client of server.clients) client.send(JSON.stringify(message));
		};
		return deliver(String((server.address() as { port: number }).port), size, async () => {
			for (let number = 0; number < size;) {
				for (let sent = 0; sent < EVENTS_PER_TURN && number < size; sent += 1) send(number++);
				await new Promise(setImmediate);
			}
		});
	},
};

export const fanOut = { each: stringifiedEach, sandbox: sandboxToAll };

/** Has events sent to listeners in another process, until each of them has had as many frames. */
async function deliver(port: string, events: number, send: () => unknown): Promise<Sample> {
	const { child, line } = startPart(process.argv[1]!, 'listen', port, String(events));
	await line;
	const gone = once(child, 'exit');
	const end = stopwatch();
	await send();
	await gone;
	return end(events * CLIENTS);
}

interface Listener {
	socket: Socket;
	frames: number;
	rest: Buffer;
}

/** What the other process does: listens until each has counted as many frames as there are events. */
export async function listenAll([port = '', events = '']: readonly string[]): Promise<void> {
	const clients = await Promise.all(Array.from({ length: CLIENTS }, () => listener(port)));
	let busy = clients.length;
	for (const client of clients) {
		client.socket.on('data', (chunk: Buffer) => {
			const before = client.frames;
			count(client, chunk);
			if (before < Number(events) && client.frames >= Number(events) && --busy === 0) process.exit();
		});
	}
	process.stdout.write('ready\n');
}

/** A raw socket that upgrades, says one thing and counts what comes back; parsing would be the cost of the client. */
async function listener(port: string): Promise<Listener> {
	const socket = connect(Number(port), '127.0.0.1');
	await once(socket, 'connect');
	socket.write(
		`GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
	);
	await once(socket, 'data');
	const payload = Buffer.from(`{"type":"subscribe","topics":["${TOPIC}"]}`);
	socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
	await once(socket, 'data');
	return { socket, frames: 0, rest: Buffer.alloc(0) };
}

/** Frames by their heads: none is longer than what two bytes of length can say. */
function count(client: Listener, chunk: Buffer): void {
	const bytes = client.rest.length === 0 ? chunk : Buffer.concat([client.rest, chunk]);
	let at = 0;
	for (;;) {
		const short = bytes[at + 1];
		const head = short === 126 ? 4 : 2;
		if (short === undefined || bytes.length < at + head) break;
		const end = at + head + (short === 126 ? bytes.readUInt16BE(at + 2) : short);
		if (end > bytes.length) break;
		at = end;
		client.frames += 1;
	}
	client.rest = bytes.subarray(at);
}
