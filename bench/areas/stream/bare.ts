import WebSocket from 'ws';
import { asError, stopwatch, type Contestant, type Sample } from '../../area';
import { feeds, inOrder, type FeedName } from './frames';
import { createLatencies } from './latencies';
import { begin } from './server';

interface Message {
	type?: string;
	topic?: string;
	seq?: number;
	data?: Record<string, string>;
}

/** What is read of every message; answers the data message there was, if it was one. */
type Read = (text: string) => Message | undefined;

interface ReaderOptions {
	feed: FeedName;
	perSecond?: number;
	/** How many want each event. */
	subscribers?: number;
	createRead?: () => Read;
}

const topicsOf = (feed: FeedName): string[] => {
	const { topics, topicOf } = feeds[feed] as (typeof feeds)['trades'];
	return Array.from({ length: topics }, (_, index) => topicOf(index + 1));
};

const parse: Read = (text) => {
	const message = JSON.parse(text) as Message;
	return message.type === 'data' ? message : undefined;
};

/** ws and JSON.parse: as little as anybody can do who wants to know what a message says. */
export const bare = (
	title: string,
	{ feed, perSecond, subscribers = 1, createRead = () => parse }: ReaderOptions,
): Contestant => ({
	title,
	run: (size, address) =>
		new Promise<Sample>((resolve, reject) => {
			const socket = new WebSocket(`ws://${address}/${feed}`, { perMessageDeflate: false });
			const checks = Array.from({ length: subscribers }, () => inOrder(feed));
			const latencies = perSecond === undefined ? undefined : createLatencies();
			const events = Math.ceil(size / subscribers);
			const read = createRead();
			let end = stopwatch();
			let left = events;
			const onData = (data: WebSocket.RawData): void => {
				const message = read(String(data));
				if (message === undefined) return;
				latencies?.record(message.data!);
				for (const check of checks) check(message.topic!, message.data);
				if (--left === 0) resolve({ ...end(events * subscribers), ...latencies?.spread() });
			};
			socket.on('error', reject);
			socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', topics: topicsOf(feed) })));
			// The first message is the confirmation.
			socket.once('message', () => {
				socket.on('message', (data) => {
					try {
						onData(data);
					} catch (error) {
						reject(asError(error));
					}
				});
				begin(address, feed, events, perSecond).then(() => (end = stopwatch()), reject);
			});
		}),
});

/** What a careful person writes by hand: a position, no event twice, a dispatch by topic. */
export const byHand: Contestant = {
	...bare('written by hand, with deduplication', { feed: 'trades', createRead: readByHand }),
	note: 'no reconnect, no backfill, nothing after an error',
};

function readByHand(): Read {
	const seen = new Set<string>();
	const handlers = new Map([['trades.USD_NGN', (_: Message) => undefined]]);
	let position = 0;
	return (text) => {
		const message = parse(text);
		if (message === undefined) return undefined;
		if (message.seq! > position) position = message.seq!;
		if (seen.has(message.data!['id']!)) return undefined;
		seen.add(message.data!['id']!);
		handlers.get(message.topic!)!(message);
		return message;
	};
}

/** The WebSocket that Node brings. */
export const builtIn: Contestant = {
	title: "Node's own WebSocket and JSON.parse",
	run: (size, address) =>
		new Promise((resolve, reject) => {
			const socket = new globalThis.WebSocket(`ws://${address}/trades`);
			const check = inOrder('trades');
			let end = stopwatch();
			let left = size;
			socket.onerror = () => reject(new Error('The connection failed'));
			socket.onopen = () => socket.send(JSON.stringify({ type: 'subscribe', topics: topicsOf('trades') }));
			socket.onmessage = ({ data }) => {
				const message = parse(String(data));
				if (message === undefined) {
					begin(address, 'trades', size).then(() => (end = stopwatch()), reject);
					return;
				}
				check(message.topic!, message.data);
				if (--left === 0) resolve(end(size));
			};
		}),
};
