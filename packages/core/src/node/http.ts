import http from 'node:http';
import https from 'node:https';
import axios, { type AxiosError } from 'axios';
import { isLoopback } from '../host';
import { deadline, TransportError, type SendHttp } from '../ports';
import { transportErrorOf } from '../wire/transport-errors';
import { systemClock } from './clock';
import { guardedLookup, type Lookup } from './lookup';

const BODY_BYTES_MAX = 5 * 1024 * 1024;
const SOCKETS_MAX = 64;

/**
 * HTTP for plain Node over axios: keep-alive connections, no redirects, every status is a response, the body is text.
 */
export function axiosHttp(lookup?: Lookup): SendHttp {
	const agents = { keepAlive: true, maxSockets: SOCKETS_MAX, lookup: guardedLookup(lookup) };
	const connection = axios.create({
		httpAgent: new http.Agent(agents),
		// Set explicitly, because an environment variable could switch it off.
		httpsAgent: new https.Agent({ ...agents, rejectUnauthorized: true }),
		maxRedirects: 0,
		maxContentLength: BODY_BYTES_MAX,
		responseType: 'text',
		transformResponse: (body: string) => body,
		transformRequest: (body: string) => body,
		validateStatus: () => true,
	});
	return async ({ method, url, headers, body, timeoutMs, signal }) => {
		if (signal?.aborted) throw new TransportError('aborted', 'never');
		// The timeout of the connection begins again with every byte, so the whole call has one of its own.
		const limit = deadline(systemClock, timeoutMs, signal);
		try {
			const response = await connection.request<string>({
				...{ method, url, headers, data: body, signal: limit.signal },
				...(mayPassProxy(url) ? {} : { proxy: false }),
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

/** Plain HTTP never goes through a proxy, which could read the key; over TLS a proxy only sees a tunnel. */
const mayPassProxy = (url: string): boolean => url.startsWith('https:') && !isLoopback(new URL(url).hostname);

/** Only codes leave an axios error: the rest of it holds the headers, and with them the key. */
function faultOf(error: AxiosError, isLate: boolean): TransportError {
	if (/maxContentLength/.test(error.message)) return new TransportError('too_large', 'perhaps');
	const fault = transportErrorOf(error);
	return isLate ? new TransportError('timeout', fault.sent) : fault;
}
