import WebSocket from 'ws';
import type { Account, OpenSocket, Stream } from '@partner-exchange/core';
import { createClient, createStream } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { asError, stopwatch, type Contestant, type Sample } from '../../area';
import { feeds, inOrder, type FeedName, type ServiceFeed } from './frames';
import { createLatencies } from './latencies';
import { begin } from './server';

const { openSocket: wsSocket } = nodePorts();

export interface StreamOptions {
	feed: FeedName;
	/** Events handed over at a time. */
	batchMax?: number;
	/** How many a second, each alone; as fast as they are taken without it. */
	perSecond?: number;
	/** How many want each event. */
	subscribers?: number;
	openSocket?: OpenSocket;
}

/** An account with its key, as hosts open one: what the stream does not bring is read from lists. */
export function openedAt(address: string, feed: FeedName, openSocket: OpenSocket = wsSocket): Stream {
	const [baseUrl, wsUrl] = [`http://${address}/${feed}/v1`, `ws://${address}/${feed}/v1/ws`];
	const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'bench-key' };
	const ports = nodePorts();
	return createStream({ ...ports, account, client: createClient(account, ports), openSocket });
}

/** The stream as it ships: parsed, recognised, filtered, queued, handed over and its position reported. */
export const ours = (title: string, options: StreamOptions): Contestant => ({
	title,
	run: (size, address) =>
		new Promise<Sample>((resolve, reject) => {
			const { feed, perSecond, subscribers = 1, batchMax = 1_000, openSocket } = options;
			const stream = openedAt(address, feed, openSocket);
			const events = Math.ceil(size / subscribers);
			const latencies = perSecond === undefined ? undefined : createLatencies();
			let end = stopwatch();
			let left = events * subscribers;
			const listen = (topic: string): Promise<void> => {
				const check = inOrder(feed);
				return stream.subscribe({
					...{ topics: [topic], batchMax },
					deliver: async (batch) => {
						try {
							for (const { data } of batch) {
								latencies?.record(data as Record<string, string>);
								check(topic, data);
							}
						} catch (error) {
							reject(asError(error));
						}
						left -= batch.length;
						if (left === 0) resolve({ ...end(events * subscribers), ...latencies?.spread() });
					},
					onCheckpoint: () => undefined,
					onFailed: reject,
				}).ready;
			};
			const { topics, topicOf } = feeds[feed] as ServiceFeed;
			const each = Array.from({ length: topics * subscribers }, (_, index) => listen(topicOf((index % topics) + 1)));
			Promise.all(each)
				.then(() => begin(address, feed, events, perSecond))
				.then(() => (end = stopwatch()), reject);
		}),
});

/** A socket on which ws reads every message. */
export const wsAlone: OpenSocket = (url, handlers) => {
	const socket = new WebSocket(url, { perMessageDeflate: false });
	socket.on('open', handlers.opened);
	socket.on('message', (data) => handlers.messages([String(data)]));
	socket.on('close', (code) => handlers.closed({ code }));
	return { send: (text) => socket.send(text), terminate: () => socket.terminate() };
};
