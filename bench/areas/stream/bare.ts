import WebSocket from 'ws';
import { stopwatch, type Contestant, type Sample } from '../../area';
import { SYMBOL, TOPIC, type FeedName } from './frames';

/** What each feed expects to hear before it sends. */
const greetings: Record<FeedName, object[]> = {
	trades: [{ type: 'subscribe', topics: [TOPIC] }],
	orders: [{ type: 'subscribe', topics: ['user.orders'] }],
	fills: [{ type: 'subscribe', topics: ['user.fills'] }],
	twice: [{ type: 'subscribe', topics: [TOPIC] }],
	foreign: [{ type: 'subscribe', topics: [TOPIC] }],
	binance: [{ method: 'SUBSCRIBE', params: [`${SYMBOL.toLowerCase()}@trade`], id: 1 }],
	centrifuge: [
		{ id: 1, connect: {} },
		{ id: 2, subscribe: { channel: TOPIC } },
	],
};

interface Message {
	type?: string;
	topic?: string;
	seq?: number;
	data?: { id: string };
}

/** Counts what `read` says is one of the awaited messages, from the answer to the subscription to the last of them. */
function readAll(address: string, feed: FeedName, size: number, read: (text: string) => boolean): Promise<Sample> {
	return new Promise((resolve, reject) => {
		const socket = new WebSocket(`ws://${address}/${feed}`, { perMessageDeflate: false });
		let end = stopwatch();
		let left = size;
		socket.on('open', () => {
			for (const greeting of greetings[feed]) socket.send(JSON.stringify(greeting));
			end = stopwatch();
		});
		socket.on('error', reject);
		socket.on('message', (data) => {
			if (read(String(data)) && --left === 0) resolve(end(size));
		});
	});
}

const isEvent: Record<FeedName, (message: Record<string, unknown>) => boolean> = {
	trades: ({ type }) => type === 'data',
	orders: ({ type }) => type === 'data',
	fills: ({ type }) => type === 'data',
	twice: ({ type }) => type === 'data',
	foreign: ({ type }) => type === 'data',
	binance: ({ e }) => e === 'trade',
	centrifuge: ({ push }) => push !== undefined,
};

/** ws and JSON.parse: as little as anybody can do who wants to know what a message says. */
export const bare = (title: string, feed: FeedName): Contestant => ({
	title,
	run: (size, address) =>
		readAll(address, feed, size, (text) => isEvent[feed](JSON.parse(text) as Record<string, unknown>)),
});

/** What a careful person writes by hand: a position, no event twice, a dispatch by topic. */
export const byHand: Contestant = {
	title: 'written by hand, with deduplication',
	note: 'no reconnect, no backfill, nothing after an error',
	run: (size, address) => {
		const seen = new Set<string>();
		const handlers = new Map([[TOPIC, (_: Message) => undefined]]);
		let position = 0;
		return readAll(address, 'trades', size, (text) => {
			const message = JSON.parse(text) as Message;
			if (message.type !== 'data' || message.data === undefined) return false;
			if (message.seq! > position) position = message.seq!;
			if (seen.has(message.data.id)) return false;
			seen.add(message.data.id);
			handlers.get(message.topic!)!(message);
			return true;
		});
	},
};

/** The WebSocket that Node brings. */
export const builtIn: Contestant = {
	title: "Node's own WebSocket and JSON.parse",
	run: (size, address) =>
		new Promise((resolve, reject) => {
			const socket = new globalThis.WebSocket(`ws://${address}/trades`);
			let end = stopwatch();
			let left = size;
			socket.onopen = () => {
				socket.send(JSON.stringify(greetings.trades[0]));
				end = stopwatch();
			};
			socket.onerror = () => reject(new Error('The connection failed'));
			socket.onmessage = ({ data }) => {
				if ((JSON.parse(String(data)) as Message).type === 'data' && --left === 0) resolve(end(size));
			};
		}),
};
