import WebSocket from 'ws';
import { createStream } from '../../packages/core/src/stream/stream';
import { nodePorts, wsSocket } from '../../packages/core/src/node';
import { TOPIC } from './server';

/** Each reads what an address sends, says when it begins and resolves when it has had the last trade. */
export type Client = (url: string, last: number, begins: () => void) => Promise<void>;

/** As little as anybody can do. */
const bare: Client = (url, last, begins) =>
	new Promise((resolve) => {
		const socket = new WebSocket(url, { perMessageDeflate: false });
		socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', topics: [TOPIC] })));
		socket.on('message', (data) => {
			const message = JSON.parse(String(data)) as { type: string; seq: number };
			if (message.type !== 'data') return begins();
			if (message.seq === last) resolve(socket.terminate());
		});
	});

/** The stream as it ships: parsed, recognised, filtered, queued, handed over and its position reported. */
const stream: Client = (url, last, begins) =>
	new Promise((resolve) => {
		const account = { environment: 'sandbox', baseUrl: 'http://127.0.0.1:9/v1', wsUrl: url, apiKey: '' } as const;
		const opened = createStream({ ...nodePorts(), account, client: withoutKey, openSocket: wsSocket });
		const { ready } = opened.subscribe({
			topics: [TOPIC],
			batchMax: 1_000,
			deliver: async (events) => {
				if (events.at(-1)?.seq === last) void opened.close().then(resolve);
			},
			onCheckpoint: () => undefined,
		});
		void ready.then(begins);
	});

const withoutKey = {
	page: () => {
		throw new Error('Nothing is read without a key');
	},
	call: () => Promise.reject(new Error('Nothing is read without a key')),
};

export const clients = { bare, stream };
export type ClientName = keyof typeof clients;
