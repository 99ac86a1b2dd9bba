import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { frameOf } from '../../packages/sandbox/src/server/outbox';
import { until } from '../support/condition';

describe('a frame of the stream', () => {
	const texts = [0, 1, 125, 126, 65_535, 65_536, 200_000].map((length) => 'x'.repeat(length));

	it.each([...texts, '€₦ naira '.repeat(10_000)])(
		'writes a frame that a client reads as the same message',
		async (text) => {
			const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
			await once(server, 'listening');
			server.on('connection', (_, { socket }) => socket.write(Buffer.concat([frameOf(text), frameOf('the next')])));
			const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
			const messages: string[] = [];
			client.on('message', (data) => messages.push(String(data)));
			await until(() => messages.length === 2, { what: 'both messages' });
			expect(messages).toEqual([text, 'the next']);
			client.terminate();
			server.close();
		},
	);
});
