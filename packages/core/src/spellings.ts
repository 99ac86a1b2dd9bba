/** Hides a secret in a text; returns the very text that does not hold it. */
export type Hide = (text: string) => string;

export const HIDDEN = '[hidden]';

/**
 * The spellings of a secret that count: as it is, which is how a header carries it; within an address, where any sign of
 * it may be percent signs; within JSON, where any sign may be a code point; and within base64 at each alignment. Whoever
 * writes it in another way does so on purpose, and has the key already. (SECURITY.md says so.)
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
