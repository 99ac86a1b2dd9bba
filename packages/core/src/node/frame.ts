/** How a server lays out whole text messages and pings (RFC 6455, part 5.2). */

const [TEXT, PING, PONG] = [0x81, 0x89, 0x8a];
/** A longer payload has its length in the bytes behind this one: in two, or in eight. */
const [SHORT_MAX, IN_TWO, IN_EIGHT] = [125, 126, 127];
const TWO_TO_32 = 2 ** 32;

/** The frame is something else, too long, or against the protocol. */
export const OTHER = -1;
/** Not enough of it is here to say where it ends. */
export const UNTOLD = Number.POSITIVE_INFINITY;

/** Where the frame ends that begins at `at`, of which everything before `filled` is here. One that is masked has a size above all. */
export function endOfFrame(bytes: Buffer, at: number, filled: number, bytesMax: number): number {
	if (filled - at < 2) return UNTOLD;
	const [kind, size] = [bytes[at]!, bytes[at + 1]!];
	if (kind === PING || kind === PONG) return size > SHORT_MAX ? OTHER : at + 2 + size;
	if (kind !== TEXT || size > IN_EIGHT) return OTHER;
	const begin = payloadAt(bytes, at);
	if (begin > filled) return UNTOLD;
	const length = size <= SHORT_MAX ? size : size === IN_TWO ? bytes.readUInt16BE(at + 2) : longAt(bytes, at + 2);
	return length > bytesMax ? OTHER : begin + length;
}

const longAt = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at) * TWO_TO_32 + bytes.readUInt32BE(at + 4);

/** Where the payload begins of the frame that begins at `at`. */
export function payloadAt(bytes: Buffer, at: number): number {
	const size = bytes[at + 1]!;
	return at + (size <= SHORT_MAX ? 2 : size === IN_TWO ? 4 : 10);
}

export const isText = (bytes: Buffer, at: number): boolean => bytes[at] === TEXT;
