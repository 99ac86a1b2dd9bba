import { printable } from './printable';

/** Shorter keys are not searched for, because they would hide ordinary words. */
const SECRET_LENGTH_MIN = 4;
const EXCERPT_LENGTH_MAX = 300;
const READ_LENGTH_MAX = 20_000;
/** The longest spelling of a sign: a code point of JSON. */
const SIGN_LENGTH_MAX = 6;

/**
 * Replaces the secret, in every spelling that counts, and every token or key parameter. A secret of less than four
 * characters is not searched for. Never throws.
 *
 * @example
 * redact('x-api-key: "abcd"', 'abcd'); // 'x-api-key: "[hidden]"'
 */
export function redact(text: string, secret: string | undefined): string {
	// What is logged may be an error or a number, and a log must not fail.
	const clean = String(text)
		.replace(/([?&]token=)[^&\s"'<>]+/gi, `$1${HIDDEN}`)
		.replace(/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`);
	return typeof secret !== 'string' || secret.length < SECRET_LENGTH_MIN ? clean : hideOf(secret)(clean);
}

/** The part of a text from the service that may be shown: redacted, on one line, shortened, and never a web page. */
export function excerpt(text: string, secret: string | undefined): string {
	if (/^\s*<(!doctype|html|head|body)/i.test(text)) return 'a web page instead of data';
	const clean = redact(text.slice(0, READ_LENGTH_MAX), secret);
	// A key at the cut is incomplete and not recognized, so the length of its longest spelling is dropped.
	const unsure = text.length > READ_LENGTH_MAX ? (secret?.length ?? 0) * SIGN_LENGTH_MAX : 0;
	const sure = clean.slice(0, Math.min(EXCERPT_LENGTH_MAX * 4, Math.max(0, clean.length - unsure)));
	const line = printable(sure).replace(/\s+/g, ' ').trim();
	return line.length > EXCERPT_LENGTH_MAX ? `${line.slice(0, EXCERPT_LENGTH_MAX)}…` : line;
}

/** Hides a secret in a text; returns the very text that does not hold it. */
export type Hide = (text: string) => string;

const HIDDEN = '[hidden]';

/**
 * The spellings of a secret that count: as it is, which is how a header carries it; within an address, where any sign
 * of it may be percent signs; within JSON, where any sign may be a code point; and within base64 at each alignment.
 * Anybody who writes it in another way does so on purpose, and has the key already. (SECURITY.md says so.)
 */
export function hideOf(secret: string): Hide {
	const base64 = [0, 1, 2].map((before) => insideBase64(secret, before));
	const spellings = new RegExp([...[secret, ...base64].map(escapedOrNot), verbatim(secret)].join('|'), 'g');
	// A plain search costs a tenth of the pattern, and nearly every text ends here.
	const runs = [secret, ...base64].map(longestRun);
	return (text) => {
		for (const run of runs) if (text.includes(run)) return text.replace(spellings, HIDDEN);
		return text;
	};
}

const verbatim = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '\\$&');

const escapedOrNot = (text: string): string => text.replace(/[^A-Za-z0-9]/g, signPattern);

/** No part of it repeats, and no two parts begin alike, so that the time of a search grows with the text alone. */
function signPattern(sign: string): string {
	const hex = sign
		.charCodeAt(0)
		.toString(16)
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
	return `(?:${plainSigns[sign] ?? `\\${sign}`}|%${hex}|\\\\u00${hex})`;
}

/** JSON puts a backslash before some signs; base64 for addresses has other signs than base64 has. */
const plainSigns: Readonly<Record<string, string>> = {
	'\\': '\\\\\\\\',
	'"': '\\\\?"',
	'/': '(?:\\\\?\\/|_)',
	'+': '[+-]',
};

/** Letters and digits are written in no other way, so a text without this part of a spelling lacks the spelling. */
const longestRun = (text: string): string =>
	text.split(/[^A-Za-z0-9]+/).reduce((longest, run) => (run.length > longest.length ? run : longest), '');

/** The characters that depend on the secret alone when `before` bytes precede it in its group. */
function insideBase64(secret: string, before: number): string {
	const text = btoa('\0'.repeat(before) + secret);
	return text.slice([0, 2, 3][before], Math.floor(((before + secret.length) * 8) / 6));
}
