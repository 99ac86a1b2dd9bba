import type { IncomingMessage } from 'node:http';

/** What arrived, for tests and for the console. No key is kept: only whether one was there. */
export interface ReceivedRequest {
	method: string;
	path: string;
	headers: Record<string, string>;
	body: string;
}

const REQUESTS_KEPT_MAX = 10_000;
const PRESENT = '<present>';

export function recordRequest(
	requests: ReceivedRequest[],
	{ method, url, headers }: IncomingMessage,
	body: string,
): void {
	const shown: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) shown[name] = name === 'x-api-key' ? PRESENT : String(value);
	requests.push({ method: method ?? '', path: withoutToken(url ?? ''), headers: shown, body });
	if (requests.length > REQUESTS_KEPT_MAX) requests.shift();
}

/** The stream's address carries the key. (Interface, part 5: full addresses are not logged.) */
export const withoutToken = (url: string): string => url.replace(/([?&]token=)[^&]*/gi, `$1${PRESENT}`);
