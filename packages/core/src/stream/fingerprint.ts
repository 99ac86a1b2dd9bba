/** Characters of a fingerprint, six bits each. */
export const FINGERPRINT_LENGTH = 10;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const { imul } = Math;
const { fromCharCode } = String;
const letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));

/**
 * Stands for a key in checkpoints, and for what one held. Sixty bits: of a million remembered keys fewer than one of a trillion
 * new ones is mistaken for one of them. It is no secret and proves nothing, so it need not be slow.
 */
export function fingerprint(text: string): string {
	let first = 0xdeadbeef;
	let two = 0x41c6ce57;
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		first = imul(first ^ code, 0x9e3779b1);
		two = imul(two ^ code, 0x5f356495);
	}
	// Both halves go into each other, so that every letter depends on all of the text.
	first = imul(first ^ (first >>> 16), 0x85ebca6b) ^ imul(two ^ (two >>> 13), 0xc2b2ae35);
	two = imul(two ^ (two >>> 16), 0x85ebca6b) ^ imul(first ^ (first >>> 13), 0xc2b2ae35);
	return fromCharCode(
		letters[first >>> 26]!,
		letters[(first >>> 20) & 63]!,
		letters[(first >>> 14) & 63]!,
		letters[(first >>> 8) & 63]!,
		letters[(first >>> 2) & 63]!,
		letters[two >>> 26]!,
		letters[(two >>> 20) & 63]!,
		letters[(two >>> 14) & 63]!,
		letters[(two >>> 8) & 63]!,
		letters[(two >>> 2) & 63]!,
	);
}
