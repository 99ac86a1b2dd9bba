/** A number whose text JavaScript would not write back the same: a fraction, an exponent, or more than 15 digits. */
const mayLoseDigits = /(?:":|[,[])\s*-?(?:\d+\.|\d+[eE]|\d{16,})/;

interface ReviverContext {
	source?: string;
}

/**
 * Reads JSON without changing an amount: a number that JavaScript would write differently from what the service sent
 * stays the text it came as, and its name is told to `kept`.
 */
export function parseExactly(text: string, kept: (name: string) => void = () => undefined): unknown {
	if (!mayLoseDigits.test(text)) return JSON.parse(text);
	const keepText = (name: string, value: unknown, context?: ReviverContext): unknown => {
		if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
		kept(name);
		return context.source;
	};
	return JSON.parse(text, keepText);
}
