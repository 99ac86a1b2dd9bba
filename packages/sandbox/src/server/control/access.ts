/** Access to the control API and console: from this machine, or with the control token where there is one. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../guard';

const TOKEN_CHARACTERS_MIN = 16;

export function requireUsableToken(token: string | undefined): void {
	if (token === undefined || token.length >= TOKEN_CHARACTERS_MIN) return;
	throw new Error(
		`The control token must have at least ${TOKEN_CHARACTERS_MIN} characters. Draw one with: openssl rand -hex 24`,
	);
}

export type Access = 'granted' | 'token_required' | 'local_only';

export function accessOf({ socket, headers }: IncomingMessage, token: string | undefined): Access {
	// A reverse proxy on this machine makes every visitor local, so a token is asked of everybody.
	if (token === undefined) return isLoopback(socket.remoteAddress) ? 'granted' : 'local_only';
	const sent = givenToken(headers.authorization);
	return sent !== undefined && isSame(sent, token) ? 'granted' : 'token_required';
}

/** Programs send the token as Bearer; a browser asks the user and sends it as Basic, whose user name is ignored. */
function givenToken(header: string | undefined): string | undefined {
	const [, scheme = '', value = ''] = /^(bearer|basic) +(\S{1,1024})$/i.exec(header ?? '') ?? [];
	if (scheme.toLowerCase() === 'bearer') return value;
	if (scheme === '') return undefined;
	const pair = Buffer.from(value, 'base64').toString();
	return pair.slice(pair.indexOf(':') + 1);
}

/**
 * Compares digests in constant time; they have equal length, so timing reveals neither length nor position of a
 * difference.
 */
const isSame = (sent: string, token: string): boolean =>
	timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'));
