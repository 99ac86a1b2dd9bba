/** What a request of the editor must look like. Where no user is asked for, any web page could send one otherwise. */
import { ExchangeError } from '@partner-exchange/core';
import type { Request } from 'express';

/**
 * Refuses requests that another page made the browser send. Settings are accepted as JSON only: a form cannot send
 * that, and a script of another page has to ask first. Programs other than browsers send none of these headers.
 */
export function assertFromEditor({ method, headers }: Request): void {
	if (!isSameOrigin(headers)) throw refusal('The request comes from another page than the editor');
	if (method !== 'GET' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
		throw refusal('Settings are taken as JSON only');
}

function isSameOrigin(headers: Request['headers']): boolean {
	const site = headers['sec-fetch-site'];
	// The browser's own header comes first, because a proxy may have changed the host.
	if (site !== undefined) return site === 'same-origin' || site === 'none';
	if (headers.origin === undefined) return true;
	const hosts = [headers.host, headers['x-forwarded-host']];
	return URL.canParse(headers.origin) && hosts.includes(new URL(headers.origin).host);
}

const refusal = (what: string): ExchangeError =>
	new ExchangeError('forbidden', { what, advice: 'Use the form of the account in the editor' });
