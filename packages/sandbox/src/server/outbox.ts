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
	let frames: Buffer[] = [];
	let bytes = 0;
	function flush() {
		const leaving = frames;
		[frames, bytes] = [[], 0];
		if (client.readyState === client.OPEN) wire.write(leaving.length === 1 ? leaving[0] : Buffer.concat(leaving));
	}
	return {
		write(text, event) {
			if (frames.length === 0) setImmediate(flush);
			const frame = event ? sharedFrame(text, event) : frameOf(text);
			frames.push(frame);
			bytes += frame.length;
		},
		bufferedBytes: () => bytes + wire.writableLength,
		flushed: (then) => void setImmediate(() => (wire.writableNeedDrain ? wire.once('drain', then) : then())),
	};
}

let lastEvent: StreamEvent | undefined;
let lastFrame: Buffer;

/** An event is delivered to its subscribers one after the other; they share one encoded frame. */
function sharedFrame(text: string, event: StreamEvent): Buffer {
	if (event !== lastEvent) [lastEvent, lastFrame] = [event, frameOf(text)];
	return lastFrame;
}

const FINAL_TEXT = 0x81;
const SHORT_MAX = 125;
const MEDIUM_MAX = 65_535;

/** Encodes one unmasked text frame. (RFC 6455, part 5.2.) */
function frameOf(text: string): Buffer {
	const length = Buffer.byteLength(text);
	const head = length <= SHORT_MAX ? 2 : length <= MEDIUM_MAX ? 4 : 10;
	const frame = Buffer.allocUnsafe(head + length);
	frame[0] = FINAL_TEXT;
	if (head === 2) frame[1] = length;
	else if (head === 4) {
		frame[1] = 126;
		frame.writeUInt16BE(length, 2);
	} else {
		frame[1] = 127;
		frame.writeBigUInt64BE(BigInt(length), 2);
	}
	frame.write(text, head);
	return frame;
}
