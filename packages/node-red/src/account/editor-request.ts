/** Checks requests to the editor API. Without user accounts, any web page could otherwise send such a request. */
import { ExchangeError } from '@partner-exchange/core';
import type { Request } from 'express';

/**
 * Refuses cross-site requests. Settings are accepted only as JSON, which an HTML form cannot send and a script of
 * another site cannot send without a CORS preflight. Programs other than browsers send none of these headers.
 */
export function assertFromEditor({ method, headers }: Request): void {
	if (!isSameOrigin(headers)) throw refusal('The request comes from another page than the editor');
	if (method !== 'GET' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
		throw refusal('Settings are accepted as JSON only');
}

function isSameOrigin(headers: Request['headers']): boolean {
	const site = headers['sec-fetch-site'];
	// `Sec-Fetch-Site` is checked first, because a proxy may have rewritten the host.
	if (site !== undefined) return site === 'same-origin' || site === 'none';
	if (headers.origin === undefined) return true;
	const hosts = [headers.host, headers['x-forwarded-host']];
	return URL.canParse(headers.origin) && hosts.includes(new URL(headers.origin).host);
}

const refusal = (what: string): ExchangeError =>
	new ExchangeError('forbidden', { what, advice: 'Use the form of the account in the editor' });
