import type { OpenSocket } from '@partner-exchange/core';
import { HANDSHAKE_MS_MAX, MESSAGE_LENGTH_MAX, textOfBytes } from '@partner-exchange/core/adapters';
import { hostClock } from './clock';
import { refusalOfStream } from './egress';
import type { HttpHost } from './egress';

/** WebSocket close code for a message above the size limit. */
const TOO_LARGE = 1009;

/**
 * Wraps the WebSocket built into Node. It hides why an upgrade was refused and cannot send ping frames, so the stream
 * detects a wrong key by a REST read, and a dead connection by application-level pings.
 */
export const hostSocket =
	(host: HttpHost): OpenSocket =>
	(url, handlers) => {
		let done = false;
		let socket: WebSocket | undefined;
		const closed = (facts: Parameters<typeof handlers.closed>[0] = {}) => {
			if (done) return;
			done = true;
			cancelHandshake();
			handlers.closed(facts);
		};
		const cancelHandshake = hostClock.after(HANDSHAKE_MS_MAX, () => {
			closed();
			socket?.close();
		});
		const open = (refusal: string | undefined): void => {
			if (done) return;
			if (refusal !== undefined) return closed({ refusal });
			socket = new WebSocket(url);
			socket.onopen = () => {
				cancelHandshake();
				if (!done) handlers.opened();
			};
			socket.binaryType = 'arraybuffer';
			socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
				if (done) return;
				if (lengthOf(data) > MESSAGE_LENGTH_MAX) {
					closed({ code: TOO_LARGE });
					return socket?.close();
				}
				const text = typeof data === 'string' ? data : textOfBytes(data);
				if (text !== undefined) handlers.messages([text]);
			};
			socket.onclose = ({ code }) => closed({ code });
		};
		refusalOfStream(host, url)
			.then(open)
			.catch(() => closed());
		const terminate = () => {
			done = true;
			cancelHandshake();
			socket?.close();
		};
		return { send: (text) => void (socket?.readyState === WebSocket.OPEN && socket.send(text)), terminate };
	};

const lengthOf = (data: string | ArrayBuffer): number => (typeof data === 'string' ? data.length : data.byteLength);
