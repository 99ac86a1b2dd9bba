import WebSocket from 'ws';
import type { OpenSocket } from '../ports';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MESSAGE_BYTES_MAX = 1024 * 1024;

/** A WebSocket for plain Node over ws. Its errors hold the address with the token in it, so none of them gets out. */
export const wsSocket: OpenSocket = (url, handlers) => {
	let socket: WebSocket;
	let status: number | undefined;
	let done = false;
	const closed = (code?: number) => {
		if (done) return;
		done = true;
		handlers.closed({ code, status });
	};
	try {
		socket = new WebSocket(url, {
			handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
			maxPayload: MESSAGE_BYTES_MAX,
			perMessageDeflate: false,
			followRedirects: false,
		});
	} catch {
		queueMicrotask(() => closed());
		return { send: () => undefined, terminate: () => void (done = true) };
	}
	socket.on('open', () => done || handlers.opened());
	socket.on('message', (data, isBinary) => {
		if (!done && !isBinary) handlers.message(String(data));
	});
	socket.on('unexpected-response', (request, response) => {
		status = response.statusCode;
		request.destroy();
		closed();
	});
	socket.on('error', () => undefined);
	socket.on('close', (code) => closed(code));
	return {
		send: (text) => {
			if (socket.readyState === WebSocket.OPEN) socket.send(text);
		},
		terminate: () => {
			done = true;
			socket.terminate();
		},
		pause: () => socket.pause(),
		resume: () => socket.resume(),
	};
};
