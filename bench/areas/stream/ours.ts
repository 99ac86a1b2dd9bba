import WebSocket from 'ws';
import { createStream, type Account, type OpenSocket } from '@partner-exchange/core';
import { nodePorts, openAccount, wsSocket } from '@partner-exchange/core/node';
import { stopwatch, type Contestant } from '../../area';
import { TOPIC, type FeedName } from './frames';

interface Reading {
	feed: FeedName;
	topic?: string;
	/** Events handed over at a time. */
	batchMax?: number;
	/** Of how many messages one event comes. */
	messagesPerEvent?: number;
	openSocket?: OpenSocket;
}

/** The stream as it ships: parsed, recognised, filtered, queued, handed over and its position reported. */
export const ours = (title: string, reading: Reading): Contestant => ({
	title,
	run: (size, address) =>
		new Promise((resolve, reject) => {
			const { topic = TOPIC, batchMax = 1_000, messagesPerEvent = 1 } = reading;
			const { stream } = opened(address, reading, topic.startsWith('user.') ? 'bench-key' : '');
			let end = stopwatch();
			let left = Math.floor(size / messagesPerEvent);
			const { ready } = stream.subscribe({
				topics: [topic],
				batchMax,
				deliver: async (events) => {
					left -= events.length;
					// The last batch may hold more than is measured.
					if (left <= 0) resolve(end(size - left * messagesPerEvent));
				},
				onCheckpoint: () => undefined,
				onFailed: reject,
			});
			ready.then(() => (end = stopwatch()), reject);
		}),
});

/** Public topics are measured without a key, so without what REST would be read for. */
function opened(
	address: string,
	{ feed, openSocket = wsSocket }: Reading,
	apiKey: string,
): Pick<ReturnType<typeof openAccount>, 'stream'> {
	const [baseUrl, wsUrl] = [`http://${address}/${feed}/v1`, `ws://${address}/${feed}/v1/ws`];
	const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey };
	if (apiKey !== '') return openAccount(account, nodePorts());
	const refuse = (): never => {
		throw new Error('Nothing is read without a key');
	};
	const client = {
		call: () => Promise.reject(new Error('Nothing is read without a key')),
		items: refuse,
		page: refuse,
	};
	return { stream: createStream({ ...nodePorts(), account, client, openSocket }) };
}

/** A socket on which ws reads every message. */
export const wsAlone: OpenSocket = (url, handlers) => {
	const socket = new WebSocket(url, { perMessageDeflate: false });
	socket.on('open', handlers.opened);
	socket.on('message', (data) => handlers.messages([String(data)]));
	socket.on('close', (code) => handlers.closed({ code }));
	return { send: (text) => socket.send(text), terminate: () => socket.terminate() };
};
