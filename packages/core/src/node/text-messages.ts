import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { endOfFrame, isText, OTHER, payloadAt, UNTOLD } from './frame';

/** As much as Node reads at a time. */
const READ_BYTES = 64 * 1024;
const LINE_END = 0x0a;
/** What bytes are read as that are no UTF-8. Whether it was said itself, ws finds out. */
const REPLACEMENT = '\ufffd';

/** What ws needs to connect in this way. */
interface Connecting {
	createConnection(options: ClientRequestArgs): Socket;
	finishRequest(request: ClientRequest): void;
}

interface TextMessagesPorts {
	/** Without TLS. */
	isPlain: boolean;
	/** The longest message. */
	bytesMax: number;
	/** A message; those that ws reads are told by ws. */
	tell(text: string): void;
}

/**
 * Reads text messages where a connection brings them, which costs half of what ws takes. Everything else is for ws: the
 * handshake, pings, and from the first frame on that is neither a ping nor a whole message of valid text, all that follows:
 * closes, parts of messages, what is binary, packed, masked, too long or against the protocol. So nothing changes places.
 */
export function createTextMessages({ isPlain, bytesMax, tell }: TextMessagesPorts): Connecting {
	let socket: Socket;
	let reader: 'http' | 'us' | 'ws' = 'http';
	/** The beginning of a frame that is not here as a whole, and room for what comes next. */
	let bytes = Buffer.allocUnsafeSlow(READ_BYTES);
	let filled = 0;

	function arrived(count: number): true {
		filled += count;
		let at = reader === 'http' ? handOnHead() : 0;
		if (reader === 'us') at = readFrames(at);
		if (reader === 'ws') at = handOn(at, filled);
		keep(at);
		return true;
	}

	/** Copied, because what comes next is read into the same place. */
	function handOn(from: number, to: number): number {
		if (to > from && !socket.destroyed) socket.push(Buffer.from(bytes.subarray(from, to)));
		return to;
	}

	/** Line by line, because ws would read what follows the head in the same packet. */
	function handOnHead(): number {
		let at = 0;
		while (reader === 'http' && at < filled) {
			const end = bytes.indexOf(LINE_END, at) + 1;
			at = handOn(at, end > 0 && end < filled ? end : filled);
		}
		return at;
	}

	/** Answers where the first frame begins that is not here as a whole, or not for us. */
	function readFrames(from: number): number {
		let at = from;
		while (!socket.destroyed) {
			const end = endOfFrame(bytes, at, filled, bytesMax);
			if (end > filled) return at;
			if (end === OTHER || !read(at, end)) {
				reader = 'ws';
				return at;
			}
			at = end;
		}
		return filled;
	}

	function read(at: number, end: number): boolean {
		if (!isText(bytes, at)) return handOn(at, end) === end;
		const text = bytes.toString(undefined, payloadAt(bytes, at), end);
		if (text.includes(REPLACEMENT)) return false;
		tell(text);
		return true;
	}

	/** Moves what is left to the front. A long message gets the room it needs, once. */
	function keep(from: number): void {
		const end = from < filled ? endOfFrame(bytes, from, filled, bytesMax) : from;
		const size = end === UNTOLD ? READ_BYTES : Math.max(READ_BYTES, end - from);
		if (from === 0 && size === bytes.length) return;
		const next = size === bytes.length ? bytes : Buffer.allocUnsafeSlow(size);
		filled = bytes.copy(next, 0, from, filled);
		bytes = next;
	}

	const onread = { buffer: () => bytes.subarray(filled), callback: arrived };
	return {
		createConnection: (given) => (socket = open({ ...(given as TcpNetConnectOpts), onread }, isPlain)),
		finishRequest: (request) => {
			request.on('upgrade', (_response, _socket, rest) => void (reader = rest.length === 0 ? 'us' : 'ws'));
			request.end();
		},
	};
}

/** As ws opens one: the path is the one of the request. */
function open(options: TcpNetConnectOpts, isPlain: boolean): Socket {
	const { host = '' } = options;
	if (isPlain) return connect({ ...options, path: undefined });
	return connectSecurely({ ...options, path: undefined, servername: isIP(host) ? '' : host });
}
