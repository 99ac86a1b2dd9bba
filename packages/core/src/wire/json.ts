/**
 * A number whose text JavaScript would not write back the same: a fraction, an exponent, or more than 15 digits. Those
 * after a name are looked for apart from those in a list, because together they take twice as long.
 */
const named = /[^]":\s*-?(?:\d+[.eE]|\d{16})/;
const listed = /[,[]\s*-?(?:\d+[.eE]|\d{16})/;
const mayLoseDigits = (text: string): boolean => named.test(text) || (text.includes('[') && listed.test(text));

interface ReviverContext {
	source?: string;
}

/**
 * Reads JSON without changing an amount: a number that JavaScript would write differently from what the service sent
 * stays the text it came as, and its name is told to `kept`.
 */
export function parseExactly(text: string, kept: (name: string) => void = () => undefined): unknown {
	if (!mayLoseDigits(text)) return JSON.parse(text);
	const keepText = (name: string, value: unknown, context?: ReviverContext): unknown => {
		if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
		kept(name);
		return context.source;
	};
	return JSON.parse(text, keepText);
}
