import http from 'node:http';
import https from 'node:https';
import type { AxiosError } from 'axios';
import { isLoopback } from '../host';
import { deadline, TransportError, type SendHttp } from '../ports';
import { transportErrorOf } from '../wire/transport-errors';
import { systemClock } from './clock';
import { guardedLookup, type Lookup } from './lookup';
import { sendRequest, type Connections } from './request';

const BODY_BYTES_MAX = 5 * 1024 * 1024;
const SOCKETS_MAX = 64;

/** HTTP for plain Node: kept connections, no redirects, every status an answer, the body as text. */
export function nodeHttp(lookup?: Lookup): SendHttp {
	const agents = { keepAlive: true, maxSockets: SOCKETS_MAX, lookup: guardedLookup(lookup) };
	const connections: Connections = {
		httpAgent: new http.Agent(agents),
		// Said outright, because a variable of the environment could switch it off.
		httpsAgent: new https.Agent({ ...agents, rejectUnauthorized: true }),
		bytesMax: BODY_BYTES_MAX,
	};
	let proxied: Promise<SendHttp> | undefined;
	return async (request) => {
		if (request.signal?.aborted) throw new TransportError('aborted', 'never');
		if (!mayPassProxy(request.url)) return sendRequest(request, connections);
		proxied ??= axiosHttp(connections);
		return (await proxied)(request);
	};
}

/** What is plain stays in its network, and a proxy would read the key. Through TLS it sees a tunnel and no more. */
const mayPassProxy = (url: string): boolean =>
	url.startsWith('https:') &&
	['https_proxy', 'all_proxy'].some((name) => process.env[name] || process.env[name.toUpperCase()]) &&
	!isLoopback(new URL(url).hostname);

/**
 * The same over axios, which knows proxies and for whom they are not, at three times the processor time. It is loaded where
 * the environment names one.
 */
async function axiosHttp({ httpAgent, httpsAgent, bytesMax }: Connections): Promise<SendHttp> {
	const { default: axios } = await import('axios');
	const connection = axios.create({
		...{ httpAgent, httpsAgent, maxRedirects: 0, maxContentLength: bytesMax, responseType: 'text' },
		transformResponse: (body: string) => body,
		transformRequest: (body: string) => body,
		validateStatus: () => true,
	});
	return async ({ method, url, headers, body, timeoutMs, signal }) => {
		// The timeout of the connection begins again with every byte, so the whole call has one of its own.
		const limit = deadline(systemClock, timeoutMs, signal);
		try {
			const response = await connection.request<string>({ method, url, headers, data: body, signal: limit.signal });
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

/** Only codes leave an axios error: the rest of it holds the headers, and with them the key. */
function faultOf(error: AxiosError, isLate: boolean): TransportError {
	if (/maxContentLength/.test(error.message)) return new TransportError('too_large', 'perhaps');
	const fault = transportErrorOf(error);
	return isLate ? new TransportError('timeout', fault.sent) : fault;
}
