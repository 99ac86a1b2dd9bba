import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Serves messages that were framed before anybody asked, so that what is measured is the one who reads them. */

export const TOPIC = 'trades.USD_NGN';
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const CHUNK_BYTES = 64 * 1024;

/** What an address sends, and how many trades of the topic are among so many messages. */
export const feeds = {
	once: {
		title: 'Every message is a new trade',
		trades: (messages: number) => messages,
		texts: (sequence: number) => [trade(sequence, TOPIC)],
	},
	twice: {
		title: 'Every message comes twice',
		trades: (messages: number) => messages / 2,
		texts: (sequence: number) => [trade(sequence, TOPIC), trade(sequence, TOPIC)],
	},
	foreign: {
		title: 'Every second message is of a topic nobody asked for',
		trades: (messages: number) => messages / 2,
		texts: (sequence: number) => [trade(sequence, 'trades.GHS_NGN'), trade(sequence, TOPIC)],
	},
};

export type FeedName = keyof typeof feeds;

export function trade(sequence: number, topic: string): string {
	const ts = new Date(1_767_603_600_000 + sequence).toISOString();
	const id = `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`;
	const data = { id, pair_id: 'USD/NGN', price: '1500.25', quantity: '10.00', side: 'buy', sequence, created_at: ts };
	return JSON.stringify({ type: 'data', topic, seq: sequence, epoch: 'mjuixs00-1', ts, data });
}

function framed(text: string): Buffer {
	const payload = Buffer.from(text);
	return Buffer.concat([Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]), payload]);
}

function framesOf({ trades, texts }: (typeof feeds)[FeedName], messages: number): Buffer {
	const sequences = Array.from({ length: trades(messages) }, (_, index) => index + 1);
	return Buffer.concat(sequences.flatMap((sequence) => texts(sequence).map(framed)));
}

/** Listens, and says where. */
export function serve(messages: number): void {
	const buffers = new Map(Object.entries(feeds).map(([name, feed]) => [`/${name}`, framesOf(feed, messages)]));
	const server = createServer();
	server.on('upgrade', ({ url = '', headers }, socket: Duplex) => {
		const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${ACCEPT_SUFFIX}`).digest('base64');
		socket.write(
			`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
		);
		socket.on('error', () => undefined);
		// The first thing a client says is that it subscribes.
		socket.once('data', () => {
			socket.on('data', () => undefined);
			const ready = framed(JSON.stringify({ type: 'subscribed', topics: [TOPIC], padding: ' '.repeat(100) }));
			send(socket as Socket, Buffer.concat([ready, buffers.get(url)!]));
		});
	});
	server.listen(0, '127.0.0.1', () => console.log(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

function send(socket: Socket, bytes: Buffer, from = 0): void {
	for (let at = from; at < bytes.length; at += CHUNK_BYTES) {
		if (socket.destroyed) return;
		if (socket.write(bytes.subarray(at, at + CHUNK_BYTES))) continue;
		return void socket.once('drain', () => send(socket, bytes, at + CHUNK_BYTES));
	}
}
