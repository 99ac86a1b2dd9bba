import type { OpenSocket, SendHttp } from '../ports';
import { withoutSecret } from '../redaction';

/**
 * Everything a service sends enters here. Where it repeats the key, in a value or in a name, the key is hidden before
 * anything reads the text, so that no item, message, position or report can hold it. Any other text passes untouched.
 */
export function sendWithoutEcho(send: SendHttp, apiKey: string): SendHttp {
	const echo = echoOf(apiKey);
	if (!echo) return send;
	return async (request) => {
		const response = await send(request);
		return echo.isIn(response.body) ? { ...response, body: echo.hide(response.body) } : response;
	};
}

export function socketWithoutEcho(openSocket: OpenSocket, apiKey: string): OpenSocket {
	const withoutKey = keyHider(apiKey);
	return (url, handlers) => openSocket(url, { ...handlers, messages: (texts) => handlers.messages(withoutKey(texts)) });
}

/** Hides the key in messages that arrived together. */
export function keyHider(apiKey: string): (texts: readonly string[]) => readonly string[] {
	const echo = echoOf(apiKey);
	return (texts) => (echo && texts.some(echo.isIn) ? texts.map(echo.hide) : texts);
}

/** Shorter keys are part of ordinary words and amounts, which must reach a flow as they are. */
const KEY_LENGTH_MIN = 8;

/** A text within JSON. One without an end goes to the end, so that it is not searched for again from every quote in it. */
const literal = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/gs;

/** How the key is found in a JSON text, and hidden without changing anything else; undefined for an account without one. */
function echoOf(apiKey: string) {
	if (apiKey.length < KEY_LENGTH_MIN) return undefined;
	const others = otherSpellings(apiKey);
	const hideIn = (text: string): string => {
		try {
			const value = JSON.parse(text) as string;
			const hidden = withoutSecret(value, apiKey);
			return hidden === value ? text : JSON.stringify(hidden);
		} catch {
			return text;
		}
	};
	return {
		// Asked of every message, so the usual answer takes two searches.
		isIn: (text: string): boolean =>
			text.includes(apiKey) || text.includes(CODE_POINT) || others.some((sign) => text.includes(sign)),
		hide: (text: string): string => text.replace(literal, hideIn),
	};
}

/** JSON may write any character of the key as a code point. */
const CODE_POINT = '\\u';

/** How JSON and addresses write a key that has signs of their own in it; a key of letters and digits has one spelling. */
function otherSpellings(apiKey: string): string[] {
	const json = JSON.stringify(apiKey).slice(1, -1);
	const percent = encodeURIComponent(apiKey);
	const lower = percent.replace(/%[\dA-F]{2}/g, (sign) => sign.toLowerCase());
	// As the address of the stream is written.
	const query = new URLSearchParams([['', apiKey]]).toString().slice(1);
	const spellings = new Set([json, json.replaceAll('/', '\\/'), percent, lower, query]);
	spellings.delete(apiKey);
	return [...spellings];
}
