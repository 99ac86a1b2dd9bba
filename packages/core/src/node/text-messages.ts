import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/**
 * Half of what Node itself reads at once, and how much is read in a turn of the event loop. Node would read up to 2 MB,
 * thousands of messages, before whoever takes them comes to a turn.
 */
const READ_BYTES = 32 * 1024;
const LINE_END = 0x0a;
/** What invalid UTF-8 decodes to. Valid text may contain it too, so ws validates such a message. */
const REPLACEMENT = '\ufffd';

/** The ws options that install this reader. */
interface Connecting {
	createConnection(options: ClientRequestArgs): Socket;
	finishRequest(request: ClientRequest): void;
}

interface TextMessagesPorts {
	/** Without TLS. */
	isPlain: boolean;
	/** Longest message in bytes. */
	bytesMax: number;
	/** Receives the messages read here, those of one read together; messages that ws reads are reported by ws. */
	deliver(texts: readonly string[]): void;
}

/**
 * Reads text messages directly from the socket, at half the CPU time of ws. ws reads the handshake and pings. From the
 * first frame that is neither a ping nor a complete, valid text message (a close, a fragment, binary, compressed,
 * masked, too long or invalid), ws reads everything that follows, so the order of messages is kept.
 */
export function createTextMessages({ isPlain, bytesMax, deliver }: TextMessagesPorts): Connecting {
	let socket: Socket;
	let reader: 'http' | 'us' | 'ws' = 'http';
	/** Holds an incomplete frame, with room for the next bytes. */
	let bytes = Buffer.allocUnsafeSlow(READ_BYTES);
	let filled = 0;
	let sincePause = 0;

	function arrived(count: number): boolean {
		filled += count;
		let at = reader === 'http' ? handOnHead() : 0;
		if (reader === 'us') at = readFrames(at);
		if (reader === 'ws') at = handOn(at, filled);
		keep(at);
		sincePause += count;
		if (sincePause < READ_BYTES) return true;
		sincePause = 0;
		setImmediate(() => socket.resume());
		return false;
	}

	/** Passes a copy on to ws, because the next bytes are read into the same buffer. */
	function handOn(from: number, to: number): number {
		if (to > from && !socket.destroyed) socket.push(Buffer.from(bytes.subarray(from, to)));
		return to;
	}

	/** Passes the HTTP head on line by line, because ws would consume frames that share a packet with its end. */
	function handOnHead(): number {
		let at = 0;
		while (reader === 'http' && at < filled) {
			const end = bytes.indexOf(LINE_END, at) + 1;
			at = handOn(at, end > 0 && end < filled ? end : filled);
		}
		return at;
	}

	/** Returns the offset of the first frame that is incomplete or has to be read by ws. */
	function readFrames(from: number): number {
		let at = from;
		while (!socket.destroyed) {
			const texts: string[] = [];
			at = readTexts(at, texts);
			if (texts.length > 0) {
				deliver(texts);
				continue;
			}
			const end = endOfFrame(bytes, at, filled, bytesMax);
			if (end > filled) return at;
			if (end === OTHER || isText(bytes, at)) {
				reader = 'ws';
				return at;
			}
			at = handOn(at, end);
		}
		return filled;
	}

	/** Adds the text messages from an offset on; returns the offset of the first other, incomplete or invalid frame. */
	function readTexts(from: number, texts: string[]): number {
		let at = from;
		for (;;) {
			const end = endOfFrame(bytes, at, filled, bytesMax);
			if (end > filled || end === OTHER || !isText(bytes, at)) return at;
			const text = bytes.toString(undefined, payloadAt(bytes, at), end);
			if (text.includes(REPLACEMENT)) return at;
			texts.push(text);
			at = end;
		}
	}

	/** Moves the remaining bytes to the front. A long message gets one buffer of its full size. */
	function keep(from: number): void {
		const end = from < filled ? endOfFrame(bytes, from, filled, bytesMax) : from;
		const size = end === LENGTH_MISSING ? READ_BYTES : Math.max(READ_BYTES, end - from);
		if (from === 0 && size === bytes.length) return;
		const next = size === bytes.length ? bytes : Buffer.allocUnsafeSlow(size);
		filled = bytes.copy(next, 0, from, filled);
		bytes = next;
	}

	const onread = { buffer: () => bytes.subarray(filled), callback: arrived };
	return {
		createConnection: (options) => (socket = open({ ...(options as TcpNetConnectOpts), onread }, isPlain)),
		finishRequest: (request) => {
			request.on('upgrade', (_response, _socket, rest) => void (reader = rest.length === 0 ? 'us' : 'ws'));
			request.end();
		},
	};
}

/** Connects as ws does: the `path` of the options is that of the request, not of a Unix socket. */
function open(options: TcpNetConnectOpts, isPlain: boolean): Socket {
	const { host = '' } = options;
	if (isPlain) return connect({ ...options, path: undefined });
	return connectSecurely({ ...options, path: undefined, servername: isIP(host) ? '' : host });
}

// The layout of unmasked text messages and pings from a server (RFC 6455, part 5.2).

const [TEXT, PING, PONG] = [0x81, 0x89, 0x8a];
/**
 * Values of the length byte: up to SHORT_MAX it is the length; the other two say that the length follows in two or
 * eight bytes.
 */
const [SHORT_MAX, IN_TWO, IN_EIGHT] = [125, 126, 127];
const TWO_TO_32 = 2 ** 32;

/** The frame has another type, is too long, or violates the protocol. */
const OTHER = -1;
/** Too few bytes of the frame have arrived to know its end. */
const LENGTH_MISSING = Number.POSITIVE_INFINITY;

/**
 * The end of the frame that begins at `at`; bytes before `filled` have arrived. The mask bit makes the length of a
 * masked frame exceed every valid value.
 */
function endOfFrame(bytes: Buffer, at: number, filled: number, bytesMax: number): number {
	if (filled - at < 2) return LENGTH_MISSING;
	const [kind, size] = [bytes[at]!, bytes[at + 1]!];
	if (kind === PING || kind === PONG) return size > SHORT_MAX ? OTHER : at + 2 + size;
	if (kind !== TEXT || size > IN_EIGHT) return OTHER;
	const begin = payloadAt(bytes, at);
	if (begin > filled) return LENGTH_MISSING;
	const length = size <= SHORT_MAX ? size : size === IN_TWO ? bytes.readUInt16BE(at + 2) : longAt(bytes, at + 2);
	return length > bytesMax ? OTHER : begin + length;
}

const longAt = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at) * TWO_TO_32 + bytes.readUInt32BE(at + 4);

/** Start of the payload of the frame that begins at `at`. */
function payloadAt(bytes: Buffer, at: number): number {
	const size = bytes[at + 1]!;
	return at + (size <= SHORT_MAX ? 2 : size === IN_TWO ? 4 : 10);
}

const isText = (bytes: Buffer, at: number): boolean => bytes[at] === TEXT;
