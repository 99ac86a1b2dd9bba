/** Characters that HTML may write as named entities. */
const entities: Readonly<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
	'+': 'plus',
	'/': 'sol',
	'=': 'equals',
};

/**
 * Patterns of every encoding of a secret: character by character as in JSON, URLs and HTML, in hex, and inside base64
 * at each alignment. Longer ones come first, so that no match leaves the rest of a longer one.
 */
export function spellingsOf(secret: string): string[] {
	const bytes = [...new TextEncoder().encode(secret)];
	const written = [...secret].map(spellingsOfCharacter).join('');
	const hex = bytes.map((byte) => anyCase(hexOf(byte, 2))).join('');
	return [written, hex, ...[0, 1, 2].map((before) => insideBase64(bytes, before))];
}

function spellingsOfCharacter(character: string): string {
	const bytes = [...new TextEncoder().encode(character)];
	const code = character.codePointAt(0)!;
	const percent = bytes.map((byte) => `%(?:25){0,3}${anyCase(hexOf(byte, 2))}`).join('');
	const named = entities[character];
	const ways = [
		percent,
		`\\\\{1,4}u${anyCase(hexOf(code, 4))}`,
		`&(?:amp;){0,2}#0{0,5}${code};?`,
		`&(?:amp;){0,2}#[xX]0{0,5}${anyCase(hexOf(code, 1))};?`,
		...(named ? [`&(?:amp;){0,2}${named};?`] : []),
		// JSON escapes a quote or a backslash with a backslash, and some encoders escape the slash too.
		`\\\\{0,3}${escaped(character)}`,
	];
	return `(?:${ways.join('|')})`;
}

/**
 * The base64 characters, in both alphabets, that depend on the secret alone when `before` bytes precede it in its
 * group.
 */
function insideBase64(bytes: readonly number[], before: number): string {
	const text = btoa(String.fromCharCode(...Array<number>(before).fill(0), ...bytes));
	const whole = text.slice([0, 2, 3][before], Math.floor(((before + bytes.length) * 8) / 6));
	return [...whole].map((sign) => base64Signs[sign] ?? sign).join('');
}
const base64Signs: Readonly<Record<string, string>> = { '+': '(?:[+-]|%2[bB])', '/': '(?:[/_]|%2[fF])' };

const hexOf = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
