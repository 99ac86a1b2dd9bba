import { withoutZeros } from '../decimal';

/**
 * Matches a number that JavaScript would not write back the same: a fraction, an exponent, or more than 15 digits.
 * Numbers in records and in lists have a pattern each, because one pattern for both takes twice as long. A colon after a
 * digit is that of a time, and naming the quote before the others would take longer.
 */
const inRecords = /[^\d\s]\s*:\s*-?(?:\d+[.eE]|\d{16})/;
const inLists = /[,[]\s*-?(?:\d+[.eE]|\d{16})/;
/** The end of the name of an amount, which is text in every answer: what compares and adds amounts takes nothing else. */
const AMOUNT = '(?:quantity|price|amount|available|locked)';
const amountNames = new RegExp(`${AMOUNT}$`, 'i');
const amounts = new RegExp(`${AMOUNT}"\\s*:\\s*-?\\d`, 'i');
const holdsNumbersToKeep = (text: string): boolean =>
	inRecords.test(text) || (text.includes('[') && inLists.test(text)) || amounts.test(text);

/** Deepest nesting of lists and records accepted from the service. The documented answers have five levels. */
export const DEPTH_MAX = 64;

/**
 * Whether a JSON text nests too deeply. Checked before parsing, because recursive code would run out of stack on the
 * parsed value. Strings are skipped, so that brackets inside them do not count.
 */
export function isTooDeep(text: string): boolean {
	// Most texts contain fewer brackets than the limit, which is much faster to check.
	if (opens(text, '{') + opens(text, '[') <= DEPTH_MAX) return false;
	let depth = 0;
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			at = endOfText(text, at);
			if (at < 0) return false;
		} else if (code === BRACE || code === BRACKET) {
			depth += 1;
			if (depth > DEPTH_MAX) return true;
		} else if (code === BRACE_END || code === BRACKET_END) depth -= 1;
	}
	return false;
}
const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/** Counts a bracket in a text, up to the depth limit. */
function opens(text: string, bracket: string): number {
	let count = 0;
	for (let at = text.indexOf(bracket); at >= 0 && count <= DEPTH_MAX; at = text.indexOf(bracket, at + 1)) count += 1;
	return count;
}

/** The closing quote of the string that starts at `from`: the first one after an even number of backslashes. */
function endOfText(text: string, from: number): number {
	let end = text.indexOf('"', from + 1);
	while (end > 0) {
		let slashes = 0;
		while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
		if (slashes % 2 === 0) return end;
		end = text.indexOf('"', end + 1);
	}
	return -1;
}

const BYTE_ORDER_MARK = 0xfeff;

/**
 * A text, or a number, of valid JSON. What is no JSON does not become any by quotes around a number, which is no name. A text
 * may lack its end, so that one that is cut is looked through once.
 */
const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\s*:)/g;

/**
 * Parses JSON without changing an amount: a number that is one by its name, or that JavaScript would write differently, stays
 * text, and `onText` gets its name. Throws on invalid JSON and on deep nesting. All answers, messages and acknowledgements are
 * parsed here.
 */
export function parseExactly(written: string, onText: (name: string) => void = ignore): unknown {
	const text = written.charCodeAt(0) === BYTE_ORDER_MARK ? written.slice(1) : written;
	if (isTooDeep(text)) throw new SyntaxError('nested too deeply');
	if (!holdsNumbersToKeep(text)) return JSON.parse(text);
	let name = '';
	// A reviver sees how a number was written only from Node 22 on.
	const quoted = text.replace(tokens, (token) => {
		if (token.startsWith('"')) return (name = token);
		const named = name.slice(1, -1);
		const isKept = String(Number(token)) === token;
		if (isKept && !amountNames.test(named)) return token;
		onText(named);
		return `"${isKept ? withoutZeros(token) : token}"`;
	});
	return JSON.parse(quoted);
}

const ignore = (): void => undefined;

/** What a JSON text of this side says, such as a stored one; undefined for any other text. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
