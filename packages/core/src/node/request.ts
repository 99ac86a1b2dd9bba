import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { ANSWER_BYTES_MAX, TransportError, type HttpRequest, type HttpResponse } from '../ports';
import { transportErrorOf } from '../wire/transport-errors';

export interface Connections {
	httpAgent: http.Agent;
	httpsAgent: https.Agent;
}

/**
 * One request over node:http, and its whole answer as text. Rejects with a TransportError only: other errors hold the
 * headers, and the key with them.
 */
export async function sendRequest(request: HttpRequest, connections: Connections): Promise<HttpResponse> {
	let sent: ClientRequest;
	try {
		sent = begin(request, connections);
	} catch (error) {
		throw transportErrorOf(error);
	}
	return answerTo(sent, request);
}

function answerTo(sent: ClientRequest, request: HttpRequest): Promise<HttpResponse> {
	return new Promise((resolve, reject) => {
		const { timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal } = request;
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
					resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), body });
				},
				tooLarge: () => stop('too_large'),
				failed: fail,
			});
		});
		sent.end(request.body);
	});
}

function begin({ method, url, headers, body }: HttpRequest, { httpAgent, httpsAgent }: Connections): ClientRequest {
	const { protocol, hostname, port, pathname, search } = new URL(url);
	const isSecure = protocol === 'https:';
	return (isSecure ? https : http).request({
		// The brackets of an IPv6 address are URL syntax and no part of the host name.
		...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname + search, method },
		agent: isSecure ? httpsAgent : httpAgent,
		headers: {
			...headers,
			'accept-encoding': 'gzip, br',
			...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
		},
	});
}

interface Ends {
	done(text: string): void;
	tooLarge(): void;
	failed(error: unknown): void;
}

/** Counts decompressed bytes, so that a small answer cannot expand without limit. */
function readText(answer: IncomingMessage, bytesMax: number, { done, tooLarge, failed }: Ends): void {
	const source = unpacked(answer);
	const parts: Buffer[] = [];
	let length = 0;
	source.on('data', (part: Buffer) => {
		length += part.length;
		if (length <= bytesMax) return void parts.push(part);
		source.destroy();
		tooLarge();
	});
	source.on('error', failed);
	source.on('end', () => done((parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString()));
}

const unpackers: Readonly<Record<string, typeof createGunzip | typeof createBrotliDecompress>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	br: createBrotliDecompress,
};

function unpacked(answer: IncomingMessage): Readable {
	const unpack = unpackers[answer.headers['content-encoding']?.toLowerCase() ?? ''];
	// An error of either stream destroys the other one, whose error handler reports it.
	return unpack ? pipeline(answer, unpack(), () => undefined) : answer;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
	const named: Record<string, string> = {};
	for (const name of Object.keys(headers)) named[name] = String(headers[name]);
	return named;
}
