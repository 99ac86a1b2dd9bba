const FINAL_TEXT = 0x81;
/** Lengths of a payload that fit into the second byte of a frame, and into the two bytes behind it. */
const SHORT_BYTES_MAX = 125;
const MEDIUM_BYTES_MAX = 65_535;
const [MEDIUM, LONG] = [126, 127];

/** A message as one frame of a server, which is not masked. (RFC 6455, part 5.2.) */
export function frameOf(text: string): Buffer {
	const length = Buffer.byteLength(text);
	const start = length <= SHORT_BYTES_MAX ? 2 : length <= MEDIUM_BYTES_MAX ? 4 : 10;
	const frame = Buffer.allocUnsafe(start + length);
	frame[0] = FINAL_TEXT;
	frame[1] = start === 2 ? length : start === 4 ? MEDIUM : LONG;
	if (start === 4) frame.writeUInt16BE(length, 2);
	if (start === 10) frame.writeBigUInt64BE(BigInt(length), 2);
	frame.write(text, start);
	return frame;
}
