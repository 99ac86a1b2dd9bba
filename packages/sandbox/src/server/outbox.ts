import type { Duplex } from 'node:stream';
import * as ws from 'ws';
import type { WebSocket } from 'ws';
import type { Published } from '../engine/events';

/**
 * Write buffer of one connection. System calls dominate the cost of a message, so all messages of one turn of the event
 * loop are written at once, after the actions of that turn are on disk.
 */
export interface Outbox {
	write(text: string, event?: Published): void;
	/** Bytes not yet handed to the kernel. */
	bufferedBytes(): number;
	/** Calls back once the socket has drained. */
	flushed(then: () => void): void;
}

interface OutboxOptions {
	client: WebSocket;
	wire: Duplex;
	afterCommit(release: () => void): void;
	/** A client with more unsent bytes is disconnected. */
	backlogBytesMax: number;
}

export function createOutbox({ client, wire, afterCommit, backlogBytesMax }: OutboxOptions): Outbox {
	let frames: Buffer[] = [];
	let waitingBytes = 0;
	const bufferedBytes = () => waitingBytes + client.bufferedAmount;
	function flush() {
		const turn = frames;
		frames = [];
		afterCommit(() => {
			if (bufferedBytes() > backlogBytesMax) client.terminate();
			const bytes = joined(turn);
			waitingBytes -= bytes.length;
			// No frame may follow a close frame. (RFC 6455, part 5.5.1.)
			if (client.readyState === client.OPEN) wire.write(bytes);
		});
	}
	return {
		write(text, event) {
			const frame = event ? sharedFrame(text, event) : frameOf(text);
			waitingBytes += frame.length;
			if (waitingBytes > backlogBytesMax) return client.terminate();
			if (frames.push(frame) === 1) setImmediate(flush);
		},
		bufferedBytes,
		flushed: (then) => void setImmediate(() => (wire.writableNeedDrain ? wire.once('drain', then) : then())),
	};
}

let lastEvent: Published | undefined;
let lastFrame: Buffer;

/** An event is sent to all its subscribers in succession, so the last encoded frame is cached. */
function sharedFrame(text: string, event: Published): Buffer {
	if (event !== lastEvent) [lastEvent, lastFrame] = [event, frameOf(text)];
	return lastFrame;
}

let lastTurn: readonly Buffer[] = [];
let lastBytes: Buffer;

/** Subscribers of the same topics have equal frames in a turn, so the last concatenation is cached. */
function joined(turn: readonly Buffer[]): Buffer {
	if (turn.length === 1) return turn[0] as Buffer;
	const isSame = turn.length === lastTurn.length && turn.every((frame, index) => frame === lastTurn[index]);
	if (!isSame) [lastTurn, lastBytes] = [turn, Buffer.concat(turn)];
	return lastBytes;
}

/** ws exports `Sender`, but its types lack it. */
const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] } };

interface FrameOptions {
	fin: boolean;
	opcode: number;
}

/** RFC 6455, part 11.8. */
const TEXT_OPCODE = 1;

/** Encodes a text message as one unmasked server frame. */
export const frameOf = (text: string): Buffer =>
	Buffer.concat(Sender.frame(Buffer.from(text), { fin: true, opcode: TEXT_OPCODE }));
