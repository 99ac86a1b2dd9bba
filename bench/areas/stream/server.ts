import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { feeds, HISTORY, type Feed, type FeedName, type ServiceFeed } from './frames';
import { answerList } from './lists';

/** How far the lists lag behind the stream. */
const LAG_MS = 2_000;
/** Between the order to send and the first message, so that the one who gave it is ready to measure. */
const PAUSE_MS = 50;
const CHUNK = 250;
const TICK_MS = 1;

/** The clients that listen to a feed at present, and how much was sent when. */
interface Listening {
	socket: Duplex;
	sent: { at: number; count: number }[];
}

/**
 * Serves messages that were framed before anybody asked, so that what is measured is the one who reads them. They are
 * sent once the listener says so: as fast as they are taken, or so many a second, each alone. Lists show what was sent
 * two seconds ago.
 */
export async function serveStreams(): Promise<string> {
	const listening = new Map<FeedName, Listening>();
	const framed = new Map<FeedName, Buffer[]>();
	const server = createServer((request, response) => answer(request, response));
	const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
	server.on('upgrade', (request, socket, head) => {
		sockets.handleUpgrade(request, socket, head, (client) => {
			const name = nameIn(request);
			listening.set(name, { socket, sent: [{ at: 0, count: HISTORY }] });
			socket.on('error', () => undefined);
			client.on('error', () => undefined);
			client.on('close', () => listening.get(name)?.socket === socket && listening.delete(name));
			client.on('message', (data) => confirm(client, name, String(data)));
		});
	});

	function answer(request: IncomingMessage, response: ServerResponse): void {
		const name = nameIn(request);
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://bench');
		const listener = listening.get(name);
		const [, , word, size, perSecond] = pathname.split('/');
		response.setHeader('content-type', 'application/json');
		if (word === 'begin') {
			if (listener) setTimeout(() => begin(name, listener, Number(size), Number(perSecond)), PAUSE_MS);
			return void response.end('{}');
		}
		const count = listener?.sent.findLast(({ at }) => at <= performance.now() - LAG_MS)?.count ?? HISTORY;
		const data = answerList(feeds[name] as ServiceFeed, pathname, searchParams, count);
		response.end(JSON.stringify({ status: 'success', data }));
	}

	function begin(name: FeedName, listener: Listening, size: number, perSecond: number): void {
		if (perSecond > 0) return sendPaced(listener, feeds[name], size, perSecond);
		const chunks = framed.get(name) ?? [];
		framed.set(name, chunks);
		const { frame } = feeds[name];
		while ((chunks.length + 1) * CHUNK <= size) chunks.push(framesOf(frame, chunks.length * CHUNK, CHUNK));
		const whole = Math.floor(size / CHUNK);
		sendAll(listener, [...chunks.slice(0, whole), framesOf(frame, whole * CHUNK, size % CHUNK)], size);
	}

	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks for the messages of a feed; a client does so once it has subscribed to all it wants. */
export const begin = (address: string, feed: FeedName, size: number, perSecond = 0): Promise<void> =>
	new Promise((resolve, reject) => {
		const url = `http://${address}/${feed}/begin/${size}/${perSecond}`;
		get(url, { agent: false }, (response) => response.resume().on('end', resolve)).on('error', reject);
	});

/** Paths are `/v1/...` of ours below the name of the feed, or whatever a peer makes of `/<name>`. */
const nameIn = ({ url = '' }: IncomingMessage): FeedName => url.split(/[/?]/)[1] as FeedName;

interface ClientMessage {
	id?: number;
	type?: string;
	topics?: string[];
	connect?: unknown;
	subscribe?: unknown;
}

/** Centrifuge says several things in one message, one a line. */
function confirm(client: WebSocket, name: FeedName, said: string): void {
	for (const line of said.split('\n').filter((each) => each.startsWith('{'))) {
		const { id, type, topics, connect } = JSON.parse(line) as ClientMessage;
		if (name === 'binance') client.send(JSON.stringify({ result: null, id }));
		else if (name !== 'centrifuge') {
			if (type === 'subscribe') client.send(JSON.stringify({ type: 'subscribed', topics }));
			if (type === 'ping') client.send('{"type":"pong"}');
		} else if (connect) client.send(JSON.stringify({ id, connect: { client: 'bench', version: '6.0.0', ping: 0 } }));
		else client.send(JSON.stringify({ id, subscribe: { recoverable: false } }));
	}
}

/** A server's frames are not masked: two bytes of head, and two of length where it is above 125. */
function framesOf(frame: (number: number) => string, after: number, count: number): Buffer {
	const parts: Buffer[] = [];
	for (let number = after + 1; number <= after + count; number += 1) {
		const payload = Buffer.from(frame(number));
		const { length } = payload;
		parts.push(Buffer.from(length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 0xff]), payload);
	}
	return Buffer.concat(parts);
}

function sendAll(listener: Listening, chunks: readonly Buffer[], size: number, from = 0): void {
	const { socket, sent } = listener;
	for (let index = from; index < chunks.length; index += 1) {
		if (socket.destroyed) return;
		sent.push({ at: performance.now(), count: HISTORY + Math.min(size, (index + 1) * CHUNK) });
		if (socket.write(chunks[index]!)) continue;
		return void socket.once('drain', () => sendAll(listener, chunks, size, index + 1));
	}
}

/** Each message alone, with the time of the machine at which it was sent. */
function sendPaced({ socket, sent }: Listening, feed: Feed, size: number, perSecond: number): void {
	let count = 0;
	const began = performance.now();
	const timer = setInterval(() => {
		const now = performance.now();
		const due = Math.min(size, Math.floor(((now - began) * perSecond) / 1_000));
		while (count < due) {
			const at = Math.round(monotonicMs() * 1_000);
			socket.write(framesOf((number) => feed.frame(number).replace('"data":{', `"data":{"at":${at},`), count, 1));
			count += 1;
		}
		sent.push({ at: now, count: HISTORY + count });
		if (count === size || socket.destroyed) clearInterval(timer);
	}, TICK_MS);
}

/** One value for all processes of a machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
