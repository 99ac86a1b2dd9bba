/** Bytes of a WebSocket server, valid or not, and how two clients handle them. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import WebSocket from 'ws';
import type { OpenSocket } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { openPort } from './loopback';

const { openSocket: wsSocket } = nodePorts();

export const [PART, TEXT, BINARY, CLOSE, PING, PONG] = [0x0, 0x1, 0x2, 0x8, 0x9, 0xa] as const;
const [FIN, MASKED] = [0x80, 0x80];

interface Traits {
	/** The bits before the opcode: 8 marks the last part, lower ones are reserved. */
	bits?: number;
	mask?: readonly number[];
	/** The size of the length field, where it is not the shortest possible. */
	lengthBytes?: 2 | 8;
	/** The declared length, where it is false. */
	length?: number;
}

export function frame(opcode: number, payload: string | Buffer, traits: Traits = {}): Buffer {
	const content = Buffer.from(payload);
	const { bits = FIN >> 4, mask = [], length = content.length } = traits;
	const lengthBytes = traits.lengthBytes ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8);
	const said = Buffer.alloc(lengthBytes);
	if (lengthBytes === 2) said.writeUInt16BE(length);
	if (lengthBytes === 8) said.writeBigUInt64BE(BigInt(length));
	const size = lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127;
	const masked = content.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
	const head = Buffer.from([(bits << 4) | opcode, size | (mask.length > 0 ? MASKED : 0)]);
	return Buffer.concat([head, said, Buffer.from(mask), masked]);
}

/** The bytes a server sends to a client that connects. */
export interface Speech {
	packets: readonly Buffer[];
	/** Whether the first packet includes the response head. */
	isWithHead?: boolean;
	/** Sent before the head, such as an informational response. */
	before?: string;
	/** Whether the head accepts the handshake correctly. */
	isProved?: boolean;
}

/** The result: the delivered texts, how the connection ended, and what the client sent meanwhile. */
interface Heard {
	texts: string[];
	code?: number;
	answers: string[];
}

export interface RawServer {
	heardBy(client: Client, speech: Speech): Promise<Heard>;
	close(): void;
}

type Client = (url: string) => Promise<Pick<Heard, 'texts' | 'code'>>;

const accepted = (request: string): string =>
	createHash('sha1')
		.update(`${/sec-websocket-key: (.*)\r/i.exec(request)![1]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
		.digest('base64');

/** A server that sends given bytes and ends the connection. */
export async function startRawServer(): Promise<RawServer> {
	const speeches: { speech: Speech; answered(answers: string[]): void }[] = [];
	const server = createServer((socket) => {
		const { speech, answered } = speeches.shift()!;
		const chunks: Buffer[] = [];
		socket.on('error', () => undefined);
		socket.once('data', (request) => {
			socket.on('data', (chunk) => chunks.push(chunk));
			void speak(socket, speech, String(request));
		});
		socket.on('close', () => answered(answersIn(Buffer.concat(chunks))));
	});
	const port = await openPort(server);
	return {
		heardBy: async (client, speech) => {
			const answers = new Promise<string[]>((answered) => speeches.push({ speech, answered }));
			return { ...(await client(`ws://127.0.0.1:${port}/v1/ws`)), answers: await answers };
		},
		close: () => void server.close(),
	};
}

async function speak(socket: Socket, speech: Speech, request: string): Promise<void> {
	const { packets, isWithHead = false, before = '', isProved = true } = speech;
	const proof = `Sec-WebSocket-Accept: ${accepted(isProved ? request : 'sec-websocket-key: another\r')}`;
	const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', proof];
	const head = `${before}${lines.join('\r\n')}\r\n\r\n`;
	const [first = Buffer.alloc(0), ...others] = packets;
	for (const packet of isWithHead ? [Buffer.concat([Buffer.from(head), first]), ...others] : [head, ...packets]) {
		if (socket.destroyed) return;
		await new Promise<unknown>((written) => socket.write(packet, written));
		// The client runs in this process, and reads in between.
		await turn();
		await turn();
	}
	socket.end();
}

/** Frames of a client, which are masked and short. */
function answersIn(bytes: Buffer): string[] {
	const answers: string[] = [];
	for (let at = 0; at + 6 <= bytes.length;) {
		const length = bytes[at + 1]! & 0x7f;
		const mask = bytes.subarray(at + 2, at + 6);
		const payload = bytes.subarray(at + 6, at + 6 + length).map((byte, index) => byte ^ mask[index % 4]!);
		answers.push(`${bytes[at]! & 0xf} ${Buffer.from(payload).toString('latin1')}`);
		at += 6 + length;
	}
	return answers;
}

/** The result with ws alone. */
export const byWs: Client = (url) =>
	new Promise((resolve) => {
		const texts: string[] = [];
		const socket = new WebSocket(url, { maxPayload: 1024 * 1024, perMessageDeflate: false });
		socket.on('message', (data: Buffer) => void (isUtf8(data) && texts.push(String(data))));
		socket.on('error', () => undefined);
		socket.on('close', (code) => resolve({ texts, code }));
	});

/** The result with our socket. */
export const byOurs =
	(open: OpenSocket = wsSocket): Client =>
	(url) =>
		new Promise((resolve) => {
			const texts: string[] = [];
			open(url, {
				opened: () => undefined,
				messages: (heard) => texts.push(...heard),
				closed: ({ code }) => resolve({ texts, code }),
			});
		});
