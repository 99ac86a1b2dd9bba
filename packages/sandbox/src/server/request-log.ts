import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../api/exchange';
import type { StateView } from '../engine/state';
import { timestamp } from '../engine/world';
import type { SandboxClock } from './clock';
import type { Fault } from './faults';

/** One request as shown to tests and the console page. The key is not kept, only whether there was one. */
export interface ReceivedRequest {
	id: number;
	/** Milliseconds since 1970, by the sandbox clock. */
	at: number;
	method: string;
	path: string;
	headers: Record<string, string>;
	body: string;
	/** The status, `waiting` before the response, or `none` if the connection was dropped. */
	answer: number | 'waiting' | 'none';
	answerBody: string;
	/** The fault that was applied, as it was armed. */
	fault: Fault | null;
	/** The email of the account whose key the request carried. */
	email(): string | null;
}

/** The exchange at the time of the request, and that time. */
interface Where {
	exchange: Exchange;
	clock: SandboxClock;
}

export interface RequestLog {
	/** Oldest first. */
	entries: ReceivedRequest[];
	record(where: Where, incoming: IncomingMessage, sent: { body: string; key?: string }): ReceivedRequest;
	answered(entry: ReceivedRequest, body: string): void;
}

const ENTRIES_MAX = 10_000;
const BODY_CHARACTERS_MAX = 16_384;
/** Most characters of all bodies together; beyond it the oldest entries are dropped. */
const BODIES_CHARACTERS_MAX = 16_777_216;
const RECENT_MAX = 60;
const PRESENT = '<present>';

export function createRequestLog(): RequestLog {
	const entries: ReceivedRequest[] = [];
	let count = 0;
	let characters = 0;
	const grow = (by: number) => {
		characters += by;
		if (entries.length > ENTRIES_MAX || characters > BODIES_CHARACTERS_MAX) characters = trim(entries);
	};
	return {
		entries,
		record(where, { method = '', url = '', headers }, { body, key }) {
			const { exchange, clock } = where;
			const entry: ReceivedRequest = {
				id: ++count,
				at: clock.now(),
				method,
				path: withoutKeys(url, exchange.engine.state),
				headers: shownHeaders(headers, exchange.engine.state),
				body: excerptOf(body),
				answer: 'waiting',
				answerBody: '',
				fault: null,
				email: () => emailOf(where, key),
			};
			entries.push(entry);
			grow(sizeOf(entry));
			return entry;
		},
		answered(entry, body) {
			entry.answerBody = excerptOf(body);
			grow(entry.answerBody.length);
		},
	};
}

const excerptOf = (text: string): string =>
	text.length > BODY_CHARACTERS_MAX ? `${text.slice(0, BODY_CHARACTERS_MAX)}… (${text.length} characters)` : text;

const sizeOf = ({ body, answerBody }: ReceivedRequest): number => body.length + answerBody.length;

/** Drops the oldest entries until half of the limit is free. Returns the size of the rest. */
function trim(entries: ReceivedRequest[]): number {
	let total = 0;
	let first = entries.length;
	while (first > 0 && entries.length - first < ENTRIES_MAX && total < BODIES_CHARACTERS_MAX / 2)
		total += sizeOf(entries[--first] as ReceivedRequest);
	entries.splice(0, first);
	return total;
}

/** Headers whose values are shown. Any other may carry a key, whatever its name, so only its presence is shown. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
	...['accept', 'accept-encoding', 'accept-language', 'connection', 'content-length', 'content-type', 'date', 'host'],
	...['idempotency-key', 'origin', 'sec-websocket-version', 'transfer-encoding', 'upgrade', 'user-agent'],
]);

function shownHeaders(headers: IncomingMessage['headers'], state: StateView): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [
			name,
			SHOWN_HEADERS.has(name) ? withoutKnownKeys(String(value), state) : PRESENT,
		]),
	);
}

/**
 * Removes keys from a path. The stream's address carries the key (Interface, part 5: full addresses are not logged), in
 * any spelling of the parameter, and a client may have put a key elsewhere.
 */
function withoutKeys(url: string, state: StateView): string {
	const [path = '', search] = url.split(/\?(.*)/s);
	const query = search?.split('&').map((pair) => {
		const [name = ''] = pair.split('=', 1);
		return /token|key/i.test(decoded(name)) ? `${name}=${PRESENT}` : pair;
	});
	return printable(withoutKnownKeys(query === undefined ? path : `${path}?${query.join('&')}`, state));
}

/** Paths are printed at a terminal, which control characters would steer, so they are shown in percent signs. */
const printable = (path: string): string => path.replace(/[^\x20-\x7e]/gu, (sign) => encodeURIComponent(sign));

/** A text with a key in it is shown decoded, because the key may be written in percent signs. */
function withoutKnownKeys(text: string, { keys }: StateView): string {
	const plain = decoded(text);
	const leaks = [...keys.keys()].filter((key) => plain.includes(key)).sort((a, b) => b.length - a.length);
	return leaks.length === 0 ? text : leaks.reduce((rest, key) => rest.replaceAll(key, PRESENT), plain);
}

/** How often a text may have been encoded. */
const DECODINGS_MAX = 5;

/** Decodes percent signs as often as they were encoded. Broken ones stay, and the text around them is still decoded. */
function decoded(text: string): string {
	let plain = text;
	for (let time = 0; time < DECODINGS_MAX; time += 1) {
		const next = plain.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
		if (next === plain) break;
		plain = next;
	}
	return plain;
}

/** The latest requests, newest first, without bodies. */
export const recentRequests = ({ requests }: { requests: RequestLog }): object[] =>
	requests.entries.slice(-RECENT_MAX).reverse().map(summaryOf);

const summaryOf = ({ id, at, method, path, answer, fault, email }: ReceivedRequest): object => ({
	id,
	at: timestamp(at),
	method,
	path,
	answer,
	fault: fault?.kind ?? null,
	email: email(),
});

/** One whole entry, for `GET /_sandbox/requests?id=`. */
export const wholeRequest = ({ at, email, ...request }: ReceivedRequest): object => ({
	...request,
	at: timestamp(at),
	email: email(),
});

function emailOf({ exchange }: Where, key: string | undefined): string | null {
	try {
		return exchange.identify(key).account.email;
	} catch {
		return null;
	}
}
