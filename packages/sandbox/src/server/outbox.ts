import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { StreamEvent } from '../engine/events';

/** Write buffer of one connection. The system call dominates the cost of a message, so one event loop turn is one write. */
export interface Outbox {
	write(text: string, event?: StreamEvent): void;
	/** Bytes not yet handed to the kernel. */
	bufferedBytes(): number;
	/** Calls back once the socket has room again. */
	flushed(then: () => void): void;
}

export function createOutbox(client: WebSocket, wire: Duplex): Outbox {
	let corked = false;
	function uncork() {
		corked = false;
		wire.uncork();
	}
	return {
		write(text, event) {
			if (!corked) {
				corked = true;
				wire.cork();
				setImmediate(uncork);
			}
			client.send(event ? sharedBytes(text, event) : text, { binary: false });
		},
		bufferedBytes: () => client.bufferedAmount,
		flushed: (then) => void setImmediate(() => (wire.writableNeedDrain ? wire.once('drain', then) : then())),
	};
}

let lastEvent: StreamEvent | undefined;
let lastBytes: Buffer;

/** An event is delivered to its subscribers one after the other; they share its encoded bytes. */
function sharedBytes(text: string, event: StreamEvent): Buffer {
	if (event !== lastEvent) [lastEvent, lastBytes] = [event, Buffer.from(text)];
	return lastBytes;
}
