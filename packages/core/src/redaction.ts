import { printable } from './printable';
import { decodingsOf, lowerCase, spellingsOf, type Decoding, type Spellings } from './spellings';

const HIDDEN = '[hidden]';
/** Shorter keys are not searched for, because they would hide ordinary words. */
const SECRET_LENGTH_MIN = 4;
const EXCERPT_LENGTH_MAX = 300;
const READ_LENGTH_MAX = 20_000;
/** The longest encoding of one byte of a key: a percent sign encoded several times over. */
const SPELLING_LENGTH_MAX = 9;
/** Keys whose spellings are cached, because an outage produces many messages. */
const SPELLINGS_MAX = 1_024;

const cached = new Map<string, Spellings>();

/** Replaces the secret, in any encoding it may have, and every token or key parameter. */
export function redact(text: string, secret: string | undefined): string {
	const clean = text
		.replace(/([?&]token=)[^&\s"'<>]+/gi, `$1${HIDDEN}`)
		.replace(/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`);
	return secret === undefined ? clean : withoutSecret(clean, secret);
}

/** Replaces the secret alone. */
export function withoutSecret(text: string, secret: string): string {
	// No encoding is shorter than the secret.
	if (secret.length < SECRET_LENGTH_MIN || text.length < secret.length) return text;
	return withoutPlaces(text, placesOf(text, spelled(secret)));
}

/** The part of a text from the service that may be shown: redacted, on one line, shortened, and never a web page. */
export function excerpt(text: string, secret: string | undefined): string {
	if (/^\s*<(!doctype|html|head|body)/i.test(text)) return 'a web page instead of data';
	const clean = redact(text.slice(0, READ_LENGTH_MAX), secret);
	// A key at the cut is incomplete and not recognized, so the length of its longest encoding is dropped.
	const unsure = text.length > READ_LENGTH_MAX ? (secret?.length ?? 0) * SPELLING_LENGTH_MAX : 0;
	const sure = clean.slice(0, Math.min(EXCERPT_LENGTH_MAX * 4, Math.max(0, clean.length - unsure)));
	const line = printable(sure).replace(/\s+/g, ' ').trim();
	return line.length > EXCERPT_LENGTH_MAX ? `${line.slice(0, EXCERPT_LENGTH_MAX)}…` : line;
}

/** A part of a text, from its first character to the one behind it. */
type Place = readonly [from: number, to: number];

function placesOf(text: string, { plain, hex, base64 }: Spellings): Place[] {
	return decodingsOf(text).flatMap((decoding) => [
		...[...plain, hex].flatMap((sign) => placesIn({ ...decoding, text: lowerCase(decoding.text) }, sign)),
		...base64.flatMap((sign) => placesIn({ ...decoding, text: withOneAlphabet(decoding.text) }, sign)),
	]);
}

const withOneAlphabet = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/');

function placesIn({ text, starts }: Decoding, sign: string): Place[] {
	const places: Place[] = [];
	if (sign.length < SECRET_LENGTH_MIN) return places;
	for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length))
		places.push([starts[at]!, starts[at + sign.length]!]);
	return places;
}

function withoutPlaces(text: string, places: Place[]): string {
	const parts: string[] = [];
	let end = 0;
	for (const [from, to] of places.sort(([a], [b]) => a - b)) {
		if (from >= end) parts.push(text.slice(end, from), HIDDEN);
		end = Math.max(end, to);
	}
	return [...parts, text.slice(end)].join('');
}

function spelled(secret: string): Spellings {
	const spellings = cached.get(secret) ?? spellingsOf(secret);
	cached.delete(secret);
	cached.set(secret, spellings);
	const [oldest] = cached.keys();
	if (cached.size > SPELLINGS_MAX && oldest !== undefined) cached.delete(oldest);
	return spellings;
}
