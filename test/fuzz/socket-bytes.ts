/** Bytes of a WebSocket server that is correct, or mostly correct, in packets split anywhere. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BINARY, byOurs, byWs, CLOSE, frame, PART, PING, PONG, startRawServer, TEXT } from '../support/raw-frames';

const said = fc.oneof(
	...[fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom('', '\ufffd', '"\r\n\r\n"')],
	fc.integer({ min: 100, max: 70_000 }).map((length) => 'x'.repeat(length)),
);
const odd = fc.uint8Array({ maxLength: 130 }).map((bytes) => Buffer.from(bytes));
const opcode = fc.constantFrom(PART, TEXT, BINARY, CLOSE, PING, PONG, 0x3);

const sound = fc.oneof(
	{ weight: 6, arbitrary: said.map((text) => frame(TEXT, text)) },
	fc
		.tuple(said, fc.constantFrom(2 as const, 8 as const))
		.map(([text, lengthBytes]) =>
			Buffer.byteLength(text) < 65_536 ? frame(TEXT, text, { lengthBytes }) : frame(TEXT, text),
		),
	fc.tuple(fc.constantFrom(PING, PONG), odd).map(([kind, bytes]) => frame(kind, bytes.subarray(0, 125))),
);
const strange = fc.oneof(
	fc.tuple(opcode, odd).map(([kind, bytes]) => frame(kind, bytes)),
	fc.tuple(opcode, said, fc.nat(15)).map(([kind, text, bits]) => frame(kind, text, { bits })),
	fc.tuple(said, odd).map(([text, mask]) => frame(TEXT, text, { mask: [...mask.subarray(0, 4)] })),
	fc.tuple(said, said).map(([name, other]) => Buffer.concat([frame(TEXT, name, { bits: 0 }), frame(PART, other)])),
	fc.nat(2 ** 30).map((length) => frame(TEXT, 'cut', { length })),
	odd,
);

const bytes = fc
	.array(fc.oneof({ weight: 12, arbitrary: sound }, strange), { minLength: 1, maxLength: 12 })
	.map((frames) => Buffer.concat(frames));
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

/** The bytes, where they are split, and whether they begin in the packet that ends the handshake. */
export const speech: [typeof bytes, typeof cuts, fc.Arbitrary<boolean>] = [bytes, cuts, fc.boolean()];

/** Our socket must deliver, reply and close exactly as a socket of ws does. */
export async function heardAsByWs(all: Buffer, at: readonly number[], isWithHead: boolean): Promise<void> {
	const places = [0, ...at.map((share) => Math.round(share * all.length)).sort((a, b) => a - b), all.length];
	const packets = places.slice(1).map((end, index) => all.subarray(places[index], end));
	const server = await startRawServer();
	try {
		const theirs = await server.heardBy(byWs, { packets, isWithHead });
		assert.deepEqual(await server.heardBy(byOurs(), { packets, isWithHead }), theirs);
	} finally {
		server.close();
	}
}
