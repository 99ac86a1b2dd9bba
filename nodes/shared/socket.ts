import type { OpenSocket } from '@partner-exchange/core';
import { hostClock } from './clock';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MESSAGE_LENGTH_MAX = 1024 * 1024;
/** WebSocket close code for a message above the size limit. */
const TOO_LARGE = 1009;

/**
 * Wraps the WebSocket built into Node. It hides why an upgrade was refused and cannot send ping frames, so the stream
 * detects a wrong key by a REST read, and a dead connection by application-level pings.
 */
export const hostSocket: OpenSocket = (url, handlers) => {
	let done = false;
	let socket: WebSocket;
	const closed = (code?: number) => {
		if (done) return;
		done = true;
		cancelHandshake();
		handlers.closed({ code });
	};
	const cancelHandshake = hostClock.after(HANDSHAKE_TIMEOUT_MS, () => {
		closed();
		socket?.close();
	});
	try {
		socket = new WebSocket(url);
	} catch {
		queueMicrotask(() => closed());
		return { send: () => undefined, terminate: () => void (done = true) };
	}
	socket.onopen = () => {
		cancelHandshake();
		if (!done) handlers.opened();
	};
	socket.onmessage = ({ data }: { data: unknown }) => {
		if (done || typeof data !== 'string') return;
		if (data.length <= MESSAGE_LENGTH_MAX) return handlers.messages([data]);
		closed(TOO_LARGE);
		socket.close();
	};
	socket.onclose = ({ code }) => closed(code);
	const terminate = () => {
		done = true;
		cancelHandshake();
		socket.close();
	};
	return { send: (text) => void (socket.readyState === WebSocket.OPEN && socket.send(text)), terminate };
};
