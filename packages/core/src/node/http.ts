import http from 'node:http';
import https from 'node:https';
import axios, { type AxiosError } from 'axios';
import { transportFault } from '../wire/transport-errors';
import { TransportError, type SendHttp } from '../ports';

const BODY_BYTES_MAX = 5 * 1024 * 1024;
const SOCKETS_MAX = 64;

/** HTTP for plain Node over axios: kept connections, no redirects, every status an answer, the body as text. */
export function axiosHttp(): SendHttp {
	const agents = { keepAlive: true, maxSockets: SOCKETS_MAX };
	const connection = axios.create({
		httpAgent: new http.Agent(agents),
		httpsAgent: new https.Agent(agents),
		maxRedirects: 0,
		maxContentLength: BODY_BYTES_MAX,
		responseType: 'text',
		transformResponse: (body: string) => body,
		transformRequest: (body: string) => body,
		validateStatus: () => true,
	});
	return async ({ method, url, headers, body, timeoutMs, signal }) => {
		try {
			const response = await connection.request<string>({
				method,
				url,
				headers,
				data: body,
				timeout: timeoutMs,
				signal,
			});
			const named = Object.entries(response.headers).map(
				([name, value]) => [name.toLowerCase(), String(value)] as const,
			);
			return { status: response.status, headers: Object.fromEntries(named), body: response.data ?? '' };
		} catch (error) {
			throw faultOf(error as AxiosError);
		}
	};
}

/** Only the code leaves an axios error: the rest of it holds the headers, and with them the key. */
const faultOf = ({ code = '', message = '' }: AxiosError): TransportError =>
	/maxContentLength/.test(message) ? new TransportError('too_large', 'perhaps') : transportFault(code);
