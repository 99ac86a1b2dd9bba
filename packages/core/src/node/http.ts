import http from 'node:http';
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
import { transportErrorOf } from '../wire/transport-errors';
import { systemClock } from './clock';
import { guardedLookup, type Lookup } from './lookup';
import { proxyAgentFor } from './proxy';
import { sendRequest, type Connections } from './request';
import { userAgentOf, type Sender } from './user-agent';

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
	return async (request) => {
		if (request.signal?.aborted) throw new TransportError('aborted', 'never');
		const url = new URL(request.url);
		const proxy = proxyAgentFor(url);
		return proxy ? sendThrough(proxy, request, connections.userAgent) : sendRequest(request, url, connections);
	};
}

/**
 * The same through a proxy, sent by axios, which needs three times the CPU time. Loaded only when the environment names a
 * proxy.
 */
async function sendThrough(proxy: https.Agent, request: HttpRequest, userAgent: string): Promise<HttpResponse> {
	const { method, url, headers, body, timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal } = request;
	const { default: axios } = await import('axios');
	// The socket timeout restarts with every byte, so the whole call has a deadline of its own.
	const limit = deadline(systemClock, timeoutMs, signal);
	try {
		const response = await axios.request<string>({
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
			responseType: 'text',
			transformResponse: (text: string) => text,
			transformRequest: (text: string) => text,
			validateStatus: () => true,
		});
		const named = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
		return { status: response.status, headers: Object.fromEntries(named), body: response.data ?? '' };
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
