/** A text as it is, or decoded one or more times. */
export interface Decoding {
	text: string;
	/** Where each character begins in the original text, and where the last one ends. */
	starts: readonly number[];
}

/** How often a text may be encoded in itself: JSON within an address within HTML is three times. */
const DECODINGS_MAX = 4;

/**
 * Percent signs, also doubled ones; code points of JSON, line breaks of it, and any backslash; HTML entities by number
 * and by name; line breaks with the indent behind them.
 */
const encoded =
	/%(?:25)*([\da-f]{2})|\\+(?:u([\da-f]{4})|[rn])?|[\r\n]+[ \t]*|&(?:amp;)*(?:#x0*([\da-f]{1,5});?|#0*(\d{1,6});?|(lt|gt|quot|apos|plus|sol|equals|amp);?)/gi;

const entities: Readonly<Record<string, string>> = {
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	plus: '+',
	sol: '/',
	equals: '=',
	amp: '&',
};

/**
 * The text, and the texts that come of decoding it again and again, each in one pass. Every place where a key may be
 * written differently than it is becomes the same in one of them, so that keys are searched for as plain text.
 */
export function decodingsOf(text: string): Decoding[] {
	const decodings: Decoding[] = [{ text, starts: Array.from({ length: text.length + 1 }, (_, at) => at) }];
	while (decodings.length <= DECODINGS_MAX) {
		const next = decoded(decodings.at(-1)!);
		if (next === undefined) break;
		decodings.push(next);
	}
	return decodings;
}

/** Decoded once more; undefined where nothing is encoded any more. */
function decoded({ text, starts }: Decoding): Decoding | undefined {
	const parts: string[] = [];
	const next: number[] = [];
	let end = 0;
	for (const { 0: whole, index, ...groups } of text.matchAll(encoded)) {
		parts.push(text.slice(end, index));
		for (let at = end; at < index; at += 1) next.push(starts[at]!);
		const sign = signOf(groups);
		// A backslash belongs to the character behind it, and a line break to what it splits.
		if (sign !== '') next.push(...Array<number>(sign.length).fill(starts[index]!));
		parts.push(sign);
		end = index + whole.length;
	}
	if (end === 0) return undefined;
	parts.push(text.slice(end));
	for (let at = end; at <= text.length; at += 1) next.push(starts[at]!);
	return { text: parts.join(''), starts: next };
}

function signOf({
	1: percent,
	2: point,
	3: hex,
	4: number,
	5: name,
}: Readonly<Record<number, string | undefined>>): string {
	if (name !== undefined) return entities[name.toLowerCase()]!;
	if (number !== undefined) return signAt(Number(number));
	const code = percent ?? point ?? hex;
	return code === undefined ? '' : signAt(parseInt(code, 16));
}

const CODE_POINT_MAX = 0x10ffff;
const signAt = (code: number): string => (code <= CODE_POINT_MAX ? String.fromCodePoint(code) : '');

/** The signs that stand for a secret in a text: itself, decoded, in hex, and inside base64 at each alignment. */
export interface Spellings {
	/** In lower case, as `hex` is: a key may be hex itself, which is the same key in either case. */
	plain: readonly string[];
	hex: string;
	/** In the alphabet of base64 that has + and /. */
	base64: readonly string[];
}

export function spellingsOf(secret: string): Spellings {
	const bytes = [...new TextEncoder().encode(secret)];
	return {
		plain: decodingsOf(secret).map(({ text }) => lowerCase(text)),
		hex: bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''),
		base64: [0, 1, 2].map((before) => insideBase64(bytes, before)),
	};
}

/** The characters that depend on the secret alone when `before` bytes precede it in its group. */
function insideBase64(bytes: readonly number[], before: number): string {
	const text = btoa(String.fromCharCode(...Array<number>(before).fill(0), ...bytes));
	return text.slice([0, 2, 3][before], Math.floor(((before + bytes.length) * 8) / 6));
}

/** Every character stays at its place, which other letters than these would not promise. */
export const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
