import { deflateSync, inflateSync, crc32 } from 'node:zlib';
import { animate, chunksIn } from '../scripts/pictures/apng';

/** One grey pixel. */
function picture(shade: number, width = 1): Buffer {
	const header = Buffer.from([0, 0, 0, width, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
	const chunk = (type: string, data: Buffer): Buffer => {
		const named = Buffer.concat([Buffer.from(type), data]);
		const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
		length.writeUInt32BE(data.length);
		sum.writeUInt32BE(crc32(named));
		return Buffer.concat([length, named, sum]);
	};
	const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
	const pixels = deflateSync(Buffer.from([0, ...new Array<number>(width).fill(shade)]));
	return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

describe('an animated picture', () => {
	it('holds each frame for its time, and begins with the first for viewers that know no animations', () => {
		const chunks = chunksIn(animate([picture(10), picture(20), picture(30)], 1_500));
		expect(chunks.map(({ type }) => type)).toEqual([
			'IHDR',
			'acTL',
			'fcTL',
			'IDAT',
			'fcTL',
			'fdAT',
			'fcTL',
			'fdAT',
			'IEND',
		]);
		const named = (name: string) => chunks.filter(({ type }) => type === name).map(({ data }) => data);
		expect(named('acTL')[0]!.readUInt32BE(0)).toBe(3);
		expect(named('fcTL').map((data) => [data.readUInt16BE(20), data.readUInt16BE(22)])).toEqual(
			new Array(3).fill([1_500, 1_000]),
		);
		const sequence = chunks.filter(({ type }) => /^f[cd]/.test(type)).map(({ data }) => data.readUInt32BE(0));
		expect(sequence).toEqual([0, 1, 2, 3, 4]);
		expect(named('fdAT').map((data) => inflateSync(data.subarray(4))[1])).toEqual([20, 30]);
	});

	it('refuses an animated picture of frames that differ in size', () => {
		expect(() => animate([picture(1), picture(1, 2)], 1_000)).toThrow('one size');
		expect(() => animate([], 1_000)).toThrow('at least one');
	});
});
