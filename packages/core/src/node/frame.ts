/** The layout of unmasked text messages and pings from a server (RFC 6455, part 5.2). */

const [TEXT, PING, PONG] = [0x81, 0x89, 0x8a];
/**
 * Values of the length byte: up to SHORT_MAX it is the length; the other two say that the length follows in two or
 * eight bytes.
 */
const [SHORT_MAX, IN_TWO, IN_EIGHT] = [125, 126, 127];
const TWO_TO_32 = 2 ** 32;

/** The frame has another type, is too long, or violates the protocol. */
export const OTHER = -1;
/** Too few bytes of the frame have arrived to know its end. */
export const LENGTH_MISSING = Number.POSITIVE_INFINITY;

/**
 * The end of the frame that begins at `at`; bytes before `filled` have arrived. The mask bit makes the length of a
 * masked frame exceed every valid value.
 */
export function endOfFrame(bytes: Buffer, at: number, filled: number, bytesMax: number): number {
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
export function payloadAt(bytes: Buffer, at: number): number {
	const size = bytes[at + 1]!;
	return at + (size <= SHORT_MAX ? 2 : size === IN_TWO ? 4 : 10);
}

export const isText = (bytes: Buffer, at: number): boolean => bytes[at] === TEXT;
