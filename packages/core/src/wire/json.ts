/**
 * A number whose text JavaScript would not write back the same: a fraction, an exponent, or more than 15 digits. Those
 * after a name are looked for apart from those in a list, because together they take twice as long.
 */
const named = /"\s*:\s*-?(?:\d+[.eE]|\d{16})/;
const listed = /[,[]\s*-?(?:\d+[.eE]|\d{16})/;
const mayLoseDigits = (text: string): boolean => named.test(text) || (text.includes('[') && listed.test(text));

/** Levels of lists and records in anything of the service. What it documents has five. */
export const DEPTH_MAX = 64;

/**
 * Whether a text nests deeper than is ever expected. Asked before it is parsed, because whoever walks what came of it would
 * run out of stack. Texts are skipped as a whole, so that brackets inside them do not count.
 */
export function isTooDeep(text: string, depthMax = DEPTH_MAX): boolean {
	// Most texts contain fewer brackets than that, which is much faster to find out.
	if (opens(text, '{') + opens(text, '[') <= depthMax) return false;
	let depth = 0;
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			at = endOfText(text, at);
			if (at < 0) return false;
		} else if (code === BRACE || code === BRACKET) {
			depth += 1;
			if (depth > depthMax) return true;
		} else if (code === BRACE_END || code === BRACKET_END) depth -= 1;
	}
	return false;
}
const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/** How often a bracket stands in a text; what goes beyond the depth is not counted. */
function opens(text: string, bracket: string): number {
	let count = 0;
	for (let at = text.indexOf(bracket); at >= 0 && count <= DEPTH_MAX; at = text.indexOf(bracket, at + 1)) count += 1;
	return count;
}

/** The quote that ends the text begun at `from`: one behind an even number of backslashes. */
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

interface ReviverContext {
	source?: string;
}

/**
 * Reads JSON without changing an amount: a number that JavaScript would write differently from what the service sent
 * stays the text it came as, and its name is told to `kept`. Throws at what is no JSON or nests too deeply: this is the one
 * reader of answers, frames and acknowledgements.
 */
export function parseExactly(text: string, kept: (name: string) => void = ignore, depthMax = DEPTH_MAX): unknown {
	if (isTooDeep(text, depthMax)) throw new SyntaxError('nested too deeply');
	if (!mayLoseDigits(text)) return JSON.parse(text);
	const keepText = (name: string, value: unknown, context?: ReviverContext): unknown => {
		if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
		kept(name);
		return context.source;
	};
	return JSON.parse(text, keepText);
}

const ignore = (): void => undefined;
