/** The parts of an MQTT 3.1.1 broker that Node-RED's nodes use: publish and subscribe with quality of service 1. */
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface MqttBroker {
	port: number;
	/** The published payloads, in order. */
	published: string[];
	subscriptions: () => number;
	/** Withholds the acknowledgements of published messages while `isHeld`. */
	holdConfirmations: (isHeld: boolean) => void;
	close: () => Promise<void>;
}

const [CONNECT, PUBLISH, SUBSCRIBE, PING] = [1, 3, 8, 12];

/** Delivers every message `copies` times, as quality of service 1 allows. */
export async function startMqttBroker(copies = 1): Promise<MqttBroker> {
	const sockets = new Set<Socket>();
	const subscribers = new Map<Socket, Set<string>>();
	const published: string[] = [];
	let held: (() => void)[] | undefined;
	let packetId = 0;

	function receive(socket: Socket, type: number, body: Buffer): void {
		if (type === CONNECT) socket.write(Buffer.from([0x20, 2, 0, 0]));
		if (type === PING) socket.write(Buffer.from([0xd0, 0]));
		if (type === SUBSCRIBE) {
			const topics = subscribers.get(socket) ?? new Set();
			subscribers.set(socket, topics.add(textAt(body, 2)));
			socket.write(Buffer.from([0x90, 3, body[0]!, body[1]!, 1]));
		}
		if (type === PUBLISH) publish(socket, body);
	}

	function publish(socket: Socket, body: Buffer): void {
		const topic = textAt(body, 0);
		const at = 2 + Buffer.byteLength(topic);
		const payload = body.subarray(at + 2);
		published.push(payload.toString());
		const confirm = (): void => void socket.write(Buffer.from([0x40, 2, body[at]!, body[at + 1]!]));
		if (held) held.push(confirm);
		else confirm();
		for (const [subscriber, topics] of subscribers) {
			if (!topics.has(topic)) continue;
			for (let copy = 0; copy < copies; copy += 1) {
				packetId = (packetId % 65_535) + 1;
				const id = Buffer.from([packetId >> 8, packetId & 0xff]);
				subscriber.write(packet(0x32, Buffer.concat([body.subarray(0, at), id, payload])));
			}
		}
	}

	const server = createServer((socket) => {
		sockets.add(socket);
		let rest = Buffer.alloc(0);
		socket.on('data', (chunk: Buffer) => {
			rest = Buffer.concat([rest, chunk]);
			for (let next = readPacket(rest); next; next = readPacket(rest)) {
				rest = rest.subarray(next.length);
				receive(socket, next.type, next.body);
			}
		});
		socket.on('error', () => undefined).on('close', () => (sockets.delete(socket), subscribers.delete(socket)));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		port: (server.address() as AddressInfo).port,
		published,
		subscriptions: () => subscribers.size,
		holdConfirmations: (isHeld) => {
			held?.forEach((confirm) => confirm());
			held = isHeld ? [] : undefined;
		},
		close: async () => {
			sockets.forEach((socket) => socket.destroy());
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

const textAt = (body: Buffer, at: number): string => body.toString('utf8', at + 2, at + 2 + body.readUInt16BE(at));

function packet(header: number, body: Buffer): Buffer {
	const length: number[] = [];
	let rest = body.length;
	do {
		length.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
		rest = Math.floor(rest / 128);
	} while (rest > 0);
	return Buffer.concat([Buffer.from([header, ...length]), body]);
}

function readPacket(bytes: Buffer): { type: number; body: Buffer; length: number } | undefined {
	let size = 0;
	for (let index = 1, factor = 1; index < bytes.length; index += 1, factor *= 128) {
		size += (bytes[index]! & 0x7f) * factor;
		if (bytes[index]! & 0x80) continue;
		const length = index + 1 + size;
		if (bytes.length < length) return undefined;
		return { type: bytes[0]! >> 4, body: bytes.subarray(index + 1, length), length };
	}
	return undefined;
}
