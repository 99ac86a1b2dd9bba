import { TransportError, transportFault, type HttpResponse, type SendHttp } from '@partner-exchange/core';
import type { IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

/** The part of a host that sends HTTP: n8n's own helper, with its proxy and its rules on reachable addresses. */
export interface HttpHost {
	helpers: { httpRequest(options: IHttpRequestOptions): Promise<unknown> };
}

/** Longer answers are never expected; n8n's helper itself has no limit. */
const BODY_LENGTH_MAX = 5 * 1024 * 1024;

/**
 * Every status is an answer and no redirect is followed: on a redirect the helper would hand the key to the other host.
 * The body stays text, because parsing it here would round amounts.
 */
export function hostHttp(host: HttpHost): SendHttp {
	return async ({ method, url, headers, body, timeoutMs, signal }) => {
		const options: IHttpRequestOptions = {
			method: method as IHttpRequestMethods,
			url,
			headers: { ...headers },
			...(body === undefined ? {} : { body }),
			...(signal ? { abortSignal: signal } : {}),
			timeout: timeoutMs,
			encoding: 'text',
			json: false,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		};
		if (signal?.aborted) throw new TransportError('aborted', 'never');
		return answerOf(
			await host.helpers.httpRequest(options).catch((error: unknown) => Promise.reject(faultOf(error, signal))),
		);
	};
}

function answerOf(response: unknown): HttpResponse {
	const { statusCode, headers, body } = response as {
		statusCode: number;
		headers: Record<string, unknown>;
		body?: unknown;
	};
	const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
	const text = typeof body === 'string' ? body : '';
	if (text.length > BODY_LENGTH_MAX) throw new TransportError('too_large', 'perhaps');
	return { status: statusCode, headers: Object.fromEntries(named), body: text };
}

/** Only the code is taken from the helper's error: the rest of it holds the request, and with it the key. */
function faultOf(error: unknown, signal: AbortSignal | undefined): TransportError {
	const fault = transportFault(codeOf(error));
	return signal?.aborted && fault.sent === 'perhaps' ? new TransportError('aborted', 'perhaps') : fault;
}

/** n8n wraps transport errors, and keeps the code under one of these names. */
function codeOf(error: unknown): string {
	const { code, httpCode, cause } = (error ?? {}) as { code?: unknown; httpCode?: unknown; cause?: unknown };
	for (const candidate of [code, httpCode])
		if (typeof candidate === 'string' && /^[A-Z_]+$/.test(candidate)) return candidate;
	return cause ? codeOf(cause) : '';
}
