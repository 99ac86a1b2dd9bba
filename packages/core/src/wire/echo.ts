import type { Account } from '../account';
import type { HttpResponse, OpenSocket } from '../ports';
import { hideOf, type Hide } from '../redaction';

/**
 * Everything a service sends enters here. Where it repeats a secret of the account, in a value or in a name, that is
 * hidden before anything reads the text, so that no item, message, position or report can hold it. Any other text passes
 * untouched. A secret that is made of JSON's own signs, or of digits alone, can make an answer unreadable, never wrong.
 */
export function withoutEcho(response: HttpResponse, hide: Hide): HttpResponse {
	const body = hide(response.body);
	return body === response.body ? response : { ...response, body };
}

export function socketWithoutEcho(openSocket: OpenSocket, apiKey: string): OpenSocket {
	const withoutKey = keyHider(apiKey);
	return (url, handlers) => openSocket(url, { ...handlers, messages: (texts) => handlers.messages(withoutKey(texts)) });
}

/** Hides the key in messages that arrived together. */
export function keyHider(apiKey: string): (texts: readonly string[]) => readonly string[] {
	const hide = hideAll([apiKey]);
	// One search for all of them, because nearly none holds it.
	return (texts) => {
		const all = texts.join('\n');
		return hide(all) === all ? texts : texts.map(hide);
	};
}

/** Hides the secrets of an account. */
export const secretHider = ({ apiKey, controlToken = '' }: Account): Hide => hideAll([apiKey, controlToken]);

/** Shorter secrets are part of ordinary words and amounts, which must reach a flow as they are. */
const SECRET_LENGTH_MIN = 8;

function hideAll(secrets: readonly string[]): Hide {
	const hides = secrets.filter(({ length }) => length >= SECRET_LENGTH_MIN).map(hideOf);
	return (text) => {
		let hidden = text;
		for (const hide of hides) hidden = hide(hidden);
		return hidden;
	};
}
