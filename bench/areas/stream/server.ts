import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { feeds, type ClientMessage, type Feed, type FeedName } from './frames';

/** Between the answer to a subscription and the first message, so that a client is ready to measure. */
const PAUSE_MS = 100;
const CHUNK_BYTES = 64 * 1024;
const TICK_MS = 10;
/** Lists in which nothing is yet: our client reads them before it tells what is new. */
const EMPTY_LISTS = JSON.stringify({ status: 'success', data: { count: 0, orders: [], fills: [], trades: [] } });

/**
 * Serves messages that were framed before anybody asked, so that what is measured is the one who reads them: as fast as
 * they are taken, or so many a second.
 */
export async function serveStreams(size: number, perSecond?: number): Promise<string> {
	const framed = new Map<string, Buffer>();
	const server = createServer(answerList);
	const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
	server.on('upgrade', (request, socket, head) => {
		sockets.handleUpgrade(request, socket, head, (client) => {
			const name = nameIn(request);
			const feed: Feed = feeds[name];
			let isSent = false;
			socket.on('error', () => undefined);
			client.on('error', () => undefined);
			client.on('message', (data) => {
				for (const message of messagesIn(String(data))) {
					const answer = feed.answer(message);
					if (answer !== undefined) client.send(answer);
					if (isSent || !feed.isReady(message)) continue;
					isSent = true;
					if (!framed.has(name)) framed.set(name, framesOf(size, feed.frame));
					const bytes = framed.get(name)!;
					const perTick = perSecond && Math.ceil((bytes.length / size) * perSecond * (TICK_MS / 1_000));
					setTimeout(() => (perTick ? sendPaced(socket, bytes, perTick) : sendFrames(socket, bytes)), PAUSE_MS);
				}
			});
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Paths are `/v1/ws` of ours below the name of the feed, or whatever a peer makes of `/<name>`. */
const nameIn = ({ url = '' }: IncomingMessage): FeedName => url.split(/[/?]/)[1] as FeedName;

/** Centrifuge says several things in one message, one a line. */
const messagesIn = (text: string): ClientMessage[] =>
	text
		.split('\n')
		.filter((line) => line.startsWith('{'))
		.map((line) => JSON.parse(line) as ClientMessage);

function answerList(_: IncomingMessage, response: ServerResponse): void {
	response.setHeader('content-type', 'application/json').end(EMPTY_LISTS);
}

/** A server's frames are not masked: two bytes of head, and two of length where it is above 125. */
export function framesOf(size: number, frame: (sequence: number) => string): Buffer {
	const parts: Buffer[] = [];
	for (let sequence = 1; sequence <= size; sequence += 1) {
		const payload = Buffer.from(frame(sequence));
		const { length } = payload;
		parts.push(Buffer.from(length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 0xff]), payload);
	}
	return Buffer.concat(parts);
}

export function sendFrames(socket: Duplex, bytes: Buffer, from = 0): void {
	for (let at = from; at < bytes.length; at += CHUNK_BYTES) {
		if (socket.destroyed) return;
		if (socket.write(bytes.subarray(at, at + CHUNK_BYTES))) continue;
		return void socket.once('drain', () => sendFrames(socket, bytes, at + CHUNK_BYTES));
	}
}

function sendPaced(socket: Duplex, bytes: Buffer, perTick: number): void {
	let at = 0;
	const timer = setInterval(() => {
		if (socket.destroyed || at >= bytes.length) return clearInterval(timer);
		socket.write(bytes.subarray(at, (at += perTick)));
	}, TICK_MS);
}
