import http from 'node:http';
import https from 'node:https';
import type { AxiosError } from 'axios';
import { isLoopback } from '../host';
import { ANSWER_BYTES_MAX, deadline, TransportError, type SendHttp } from '../ports';
import { transportErrorOf } from '../wire/transport-errors';
import { systemClock } from './clock';
import { guardedLookup, type Lookup } from './lookup';
import { sendRequest, type Connections } from './request';
import { userAgentOf, type Sender } from './user-agent';

const SOCKETS_MAX = 64;

/**
 * HTTP for plain Node: kept connections, at most 64 at once, no redirects, an answer for every status, the body as text.
 * Certificates are checked whatever the environment says. A proxy named by the environment is used for `https`. Never
 * throws; a request rejects with a {@link TransportError}.
 *
 * @example
 * const ports = { ...nodePorts(), send: nodeHttp() };
 */
export function nodeHttp(lookup?: Lookup, sender: Sender = 'script'): SendHttp {
	const agents = { keepAlive: true, maxSockets: SOCKETS_MAX, lookup: guardedLookup(lookup) };
	const connections: Connections = {
		httpAgent: new http.Agent(agents),
		// Set explicitly, because an environment variable could switch it off.
		httpsAgent: new https.Agent({ ...agents, rejectUnauthorized: true }),
		userAgent: userAgentOf(sender),
	};
	let proxied: Promise<SendHttp> | undefined;
	return async (request) => {
		if (request.signal?.aborted) throw new TransportError('aborted', 'never');
		if (!mayPassProxy(request.url)) return sendRequest(request, connections);
		proxied ??= axiosHttp(connections);
		return (await proxied)(request);
	};
}

/**
 * Whether a request may use a proxy: over TLS the proxy sees only a tunnel, but it could read the key in a plain
 * request.
 */
const mayPassProxy = (url: string): boolean =>
	url.startsWith('https:') &&
	['https_proxy', 'all_proxy'].some((name) => process.env[name] || process.env[name.toUpperCase()]) &&
	!isLoopback(new URL(url).hostname);

/**
 * The same through axios, which supports proxies and their exceptions but needs three times the CPU time. Loaded only
 * when the environment names a proxy.
 */
async function axiosHttp({ httpAgent, httpsAgent, userAgent }: Connections): Promise<SendHttp> {
	const { default: axios } = await import('axios');
	const connection = axios.create({
		...{ httpAgent, httpsAgent, maxRedirects: 0, responseType: 'text' },
		transformResponse: (body: string) => body,
		transformRequest: (body: string) => body,
		validateStatus: () => true,
	});
	return async ({ method, url, headers, body, timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal }) => {
		// The socket timeout restarts with every byte, so the whole call has a deadline of its own.
		const limit = deadline(systemClock, timeoutMs, signal);
		try {
			const response = await connection.request<string>({
				...{
					method,
					url,
					headers: { ...headers, 'user-agent': userAgent },
					data: body,
					maxContentLength: bytesMax,
					signal: limit.signal,
				},
			});
			const named = Object.entries(response.headers).map(
				([name, value]) => [name.toLowerCase(), String(value)] as const,
			);
			return { status: response.status, headers: Object.fromEntries(named), body: response.data ?? '' };
		} catch (error) {
			throw faultOf(error as AxiosError, limit.isOver());
		} finally {
			limit.clear();
		}
	};
}

/** Takes only the code of an axios error: the rest holds the headers, and the key with them. */
function faultOf(error: AxiosError, isLate: boolean): TransportError {
	if (/maxContentLength/.test(error.message)) return new TransportError('too_large', 'perhaps');
	const fault = transportErrorOf(error);
	return isLate ? new TransportError('timeout', fault.sent) : fault;
}
