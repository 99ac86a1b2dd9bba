import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AxiosError } from 'axios';
import { assertKind, callback } from '../given';
import {
	ANSWER_BYTES_MAX,
	deadline,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type SendHttp,
} from '../ports';
import { decoderOf } from '../wire/bytes';
import { transportErrorOf } from '../wire/transport-errors';
import { systemClock } from './clock';
import { guardedLookup, type Lookup } from './lookup';
import { proxyAgentFor } from './proxy';
import { userAgentOf, type Sender } from './user-agent';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

/** A script may ask for everything at once. Requests beyond this number of connections wait, to spare the service. */
const SOCKETS_MAX = 64;

/**
 * HTTP for plain Node: kept connections, at most 64 at once, no redirects, an answer for every status, the body as text.
 * Certificates are checked whatever the environment says. A proxy named by the environment is used for `https`. A
 * request rejects with a {@link TransportError}.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a lookup that is no function.
 *
 * @example
 * const ports = { ...nodePorts(), send: nodeHttp() };
 */
export function nodeHttp(lookup?: Lookup, sender: Sender = 'script'): SendHttp {
	if (lookup !== undefined) assertKind(lookup, callback, { of: 'The lookup of names', field: 'lookup' });
	const agents = { keepAlive: true, maxSockets: SOCKETS_MAX, lookup: guardedLookup(lookup) };
	const connections: Connections = {
		httpAgent: new http.Agent(agents),
		// Set explicitly, because an environment variable could switch it off.
		httpsAgent: new https.Agent({ ...agents, rejectUnauthorized: true }),
		userAgent: userAgentOf(sender),
	};
	return (request) => sendRequest(request, connections);
}

/** Sends through a proxy, by axios, which needs three times the CPU time. Loaded only when the environment names a proxy. */
async function sendThrough(proxy: https.Agent, request: HttpRequest, userAgent: string): Promise<HttpResponse> {
	const { method, url, headers, body, timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal } = request;
	const { default: axios } = await import('axios');
	// The socket timeout restarts with every byte, so the whole call has a deadline of its own.
	const limit = deadline(systemClock, timeoutMs, signal);
	try {
		const response = await axios.request<Buffer>({
			method,
			url,
			data: body,
			maxContentLength: bytesMax,
			signal: limit.signal,
			headers: { ...headers, 'user-agent': userAgent },
			// The agent is the way through the proxy.
			httpsAgent: proxy,
			proxy: false,
			maxRedirects: 0,
			responseType: 'arraybuffer',
			transformRequest: (text: string) => text,
			validateStatus: () => true,
		});
		const named = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
		const answered = Object.fromEntries(named);
		return {
			status: response.status,
			headers: answered,
			body: decoderOf(answered['content-type']).decode(response.data),
		};
	} catch (error) {
		throw faultOf(error as AxiosError, limit.isOver());
	} finally {
		limit.clear();
	}
}

/** Takes only the code of an axios error: the rest holds the headers, and the key with them. */
function faultOf(error: AxiosError, isLate: boolean): TransportError {
	if (/maxContentLength/.test(error.message)) return new TransportError('too_large', 'perhaps');
	const fault = transportErrorOf(error);
	return isLate ? new TransportError('timeout', fault.sent) : fault;
}

interface Connections {
	httpAgent: http.Agent;
	httpsAgent: https.Agent;
	userAgent: string;
}

/**
 * One request over node:http, and its whole answer as text. Rejects with a TransportError only: other errors hold the
 * headers, and the key with them.
 */
function sendRequest(request: HttpRequest, connections: Connections): Promise<HttpResponse> {
	return new Promise((resolve, reject) => {
		if (request.signal?.aborted) throw new TransportError('aborted', 'never');
		const url = new URL(request.url);
		const proxy = proxyAgentFor(url);
		if (proxy) return resolve(sendThrough(proxy, request, connections.userAgent));
		const { timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal } = request;
		let sent: ClientRequest;
		try {
			sent = begin(request, url, connections);
		} catch (error) {
			return reject(transportErrorOf(error));
		}
		const stop = (reason: TransportError['reason']) => fail(undefined, reason);
		const aborted = () => stop('aborted');
		// The socket timeout restarts with every byte, so the whole call has a deadline of its own.
		const timer = setTimeout(stop, timeoutMs, 'timeout');
		signal?.addEventListener('abort', aborted, { once: true });

		function clear(): void {
			clearTimeout(timer);
			signal?.removeEventListener('abort', aborted);
		}

		/** Only the first failure counts: aborting a request causes further errors of its connection. */
		function fail(cause: unknown, reason?: TransportError['reason']): void {
			clear();
			const fault = transportErrorOf({ cause, request: sent });
			reject(reason ? new TransportError(reason, fault.sent) : fault);
			sent.destroy();
		}

		sent.on('error', fail);
		sent.on('response', (answer) => {
			readText(answer, bytesMax, {
				done: (body) => {
					clear();
					resolve({ status: answer.statusCode ?? 0, headers: answerHeaders(answer), body });
				},
				tooLarge: () => stop('too_large'),
				failed: fail,
			});
		});
		sent.end(request.body);
	});
}

function begin(
	{ method, headers, body }: HttpRequest,
	{ protocol, host, hostname, port, pathname, search }: URL,
	{ httpAgent, httpsAgent, userAgent }: Connections,
): ClientRequest {
	const isSecure = protocol === 'https:';
	// A flat list is written as it is. An object would be checked, copied and spelt again for each request.
	const list = ['host', host, 'user-agent', userAgent, 'accept-encoding', 'gzip, br'];
	for (const name of Object.keys(headers)) list.push(name, headers[name]!);
	if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)));
	return (isSecure ? https : http).request({
		// The brackets of an IPv6 address are URL syntax and no part of the host name.
		protocol,
		hostname: hostname.replace(/^\[|\]$/g, ''),
		port,
		path: pathname + search,
		method,
		agent: isSecure ? httpsAgent : httpAgent,
		headers: list,
	});
}

interface Ends {
	done(text: string): void;
	tooLarge(): void;
	failed(error: unknown): void;
}

/** Collects the body as it came, and unpacks it within the same limit, so that a small answer cannot expand without one. */
function readText(answer: IncomingMessage, bytesMax: number, { done, tooLarge, failed }: Ends): void {
	const parts: Buffer[] = [];
	let length = 0;
	answer.on('data', (part: Buffer) => {
		length += part.length;
		if (length <= bytesMax) return void parts.push(part);
		answer.destroy();
		tooLarge();
	});
	answer.on('error', failed);
	answer.on('end', () => {
		const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
		const { 'content-encoding': encoding, 'content-type': type } = answer.headers;
		if (encoding === undefined) return done(decoderOf(type).decode(body));
		unpacked(answer, body, bytesMax).then(
			(bytes) => done(decoderOf(type).decode(bytes)),
			(error: NodeJS.ErrnoException) => {
				if (error.code === 'ERR_BUFFER_TOO_LARGE') return tooLarge();
				// What the status says of a refusal needs no body; a success without its body is not known.
				if (answer.statusCode! >= 300) return done('');
				failed(error);
			},
		);
	});
}

const unpackers = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/** A body without bytes is empty, and one that is plain JSON is plain, whatever encoding a header claims. */
async function unpacked(answer: IncomingMessage, body: Buffer, maxOutputLength: number): Promise<Buffer> {
	const codings = answer.headers['content-encoding']?.toLowerCase().split(/[\s,]+/) ?? [];
	let bytes = body;
	for (const coding of codings.reverse()) {
		if (bytes.length === 0 || bytes[0] === BRACE || !Object.hasOwn(unpackers, coding)) continue;
		bytes = await unpackers[coding as keyof typeof unpackers](bytes, { maxOutputLength });
	}
	return bytes;
}

/** No packed stream of the three begins with it. */
const BRACE = 0x7b;

export function answerHeaders({ headers }: IncomingMessage): Record<string, string> {
	const named: Record<string, string> = {};
	for (const name of Object.keys(headers)) named[name] = String(headers[name]);
	return named;
}
