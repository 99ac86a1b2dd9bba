/** Combines images of equal size into an animated PNG. Frames are copied compressed, so no image library is needed. */
import { crc32 } from 'node:zlib';

const SIGNATURE_LENGTH = 8;

interface Chunk {
	type: string;
	data: Buffer;
}

/** Shows each image for `frameMs`, in an endless loop. */
export function animate(pictures: readonly Buffer[], frameMs: number): Buffer {
	const [first] = pictures;
	if (!first) throw new Error('An animation needs at least one picture');
	const header = chunksIn(first).find(({ type }) => type === 'IHDR')!;
	let sequence = 0;
	const frames = pictures.flatMap((picture, index) => {
		const chunks = chunksIn(picture);
		if (!chunks[0]!.data.equals(header.data))
			throw new Error('The pictures of an animation have one size and colour type');
		const control = { type: 'fcTL', data: frameControl(sequence++, header.data, frameMs) };
		const data = chunks.filter(({ type }) => type === 'IDAT');
		// The first frame is stored as a plain IDAT chunk, so that viewers without animation show it.
		return [
			control,
			...(index === 0 ? data : data.map((each) => ({ type: 'fdAT', data: numbered(sequence++, each.data) }))),
		];
	});
	const all = [
		header,
		{ type: 'acTL', data: words(pictures.length, 0) },
		...frames,
		{ type: 'IEND', data: Buffer.alloc(0) },
	];
	return Buffer.concat([first.subarray(0, SIGNATURE_LENGTH), ...all.map(written)]);
}

function chunksIn(picture: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	for (let at = SIGNATURE_LENGTH; at < picture.length;) {
		const length = picture.readUInt32BE(at);
		const type = picture.toString('latin1', at + 4, at + 8);
		chunks.push({ type, data: picture.subarray(at + 8, at + 8 + length) });
		at += length + 12;
	}
	return chunks;
}

function written({ type, data }: Chunk): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	return Buffer.concat([words(data.length), named, words(crc32(named))]);
}

/** The frame control chunk: full size, no offset, delay in milliseconds; the frame replaces the one before. */
function frameControl(sequence: number, header: Buffer, frameMs: number): Buffer {
	const rest = Buffer.alloc(6);
	rest.writeUInt16BE(frameMs, 0);
	rest.writeUInt16BE(1_000, 2);
	return Buffer.concat([words(sequence), header.subarray(0, 8), words(0, 0), rest]);
}

const numbered = (sequence: number, data: Buffer): Buffer => Buffer.concat([words(sequence), data]);

function words(...numbers: number[]): Buffer {
	const bytes = Buffer.alloc(4 * numbers.length);
	numbers.forEach((number, index) => bytes.writeUInt32BE(number >>> 0, 4 * index));
	return bytes;
}
