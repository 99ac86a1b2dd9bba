import {
	type StreamingPorts,
	ANSWER_BYTES_MAX,
	deadline,
	decoderOf,
	transportErrorOf,
	type Deadline,
	HANDSHAKE_MS_MAX,
	MESSAGE_LENGTH_MAX,
	textOfBytes,
} from '@partner-exchange/core/adapters';
import { randomInt, randomUUID } from 'crypto';
import { hostClock } from './clock';
import { type HttpHost, isBlocked, leadsAstray, STRICT, refusalOfStream } from './egress';
import { TransportError, type HttpResponse, type SendHttp, type OpenSocket } from '@partner-exchange/core';
import type { IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

const RANDOM_STEPS = 2 ** 40;

/** The ports of the core, made from what n8n provides. */
export const hostPorts = (host: HttpHost): StreamingPorts => ({
	send: hostHttp(host),
	openSocket: hostSocket(host),
	clock: hostClock,
	random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
	newId: () => randomUUID(),
});

/**
 * The body is requested as a stream, because the helper itself has no size limit, and decoded as text, because parsing JSON
 * there would round amounts.
 */
export function hostHttp(host: HttpHost): SendHttp {
	return async ({ method, url, headers, body, timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal }) => {
		if (signal?.aborted) throw new TransportError('aborted', 'never');
		// The timeout of the helper restarts with every byte received, so this deadline bounds the whole call.
		const limit = deadline(hostClock, timeoutMs, signal);
		const options: IHttpRequestOptions = {
			method: method as IHttpRequestMethods,
			url,
			headers: { ...headers },
			...(body === undefined ? {} : { body }),
			abortSignal: limit.signal,
			timeout: timeoutMs,
			encoding: 'stream',
			json: false,
			...STRICT,
		};
		try {
			if (await leadsAstray(host, new URL(url))) throw new TransportError('forbidden', 'never');
			return await answerTo(host.helpers.httpRequest(options), limit, bytesMax);
		} catch (error) {
			throw faultOf(error, limit);
		} finally {
			limit.clear();
		}
	};
}

interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body?: unknown;
}

async function answerTo(request: Promise<unknown>, limit: Deadline, bytesMax: number): Promise<HttpResponse> {
	// A response that arrives after the deadline is destroyed, so that its socket does not stay open.
	request.then(
		(late) => limit.signal.aborted && close((late as Answer).body),
		() => undefined,
	);
	const { statusCode, headers, body } = (await Promise.race([request, limit.reached])) as Answer;
	const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
	const answered = Object.fromEntries(named);
	const decoder = decoderOf(answered['content-type']);
	return { status: statusCode, headers: answered, body: await bodyText(body, decoder, { limit, bytesMax }) };
}

type Chunks = AsyncIterable<Uint8Array | string> & { destroy?(): void };

/** Reads the body up to the size limit and the deadline of the call. */
async function bodyText(
	body: unknown,
	decoder: TextDecoder,
	{ limit, bytesMax }: { limit: Deadline; bytesMax: number },
): Promise<string> {
	if (typeof body === 'string') return ofAllowedSize(body, body.length, bytesMax);
	if (!isStream(body)) return '';
	limit.reached.catch(() => close(body));
	let text = '';
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
		// A throw inside the loop closes the stream and its connection.
		ofAllowedSize(text, size, bytesMax);
	}
	return text + decoder.decode();
}

function ofAllowedSize(text: string, size: number, bytesMax: number): string {
	if (size > bytesMax) throw new TransportError('too_large', 'perhaps');
	return text;
}

const isStream = (body: unknown): body is Chunks =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

const close = (body: unknown): void => (isStream(body) ? body.destroy?.() : undefined);

const STOPPED = new TransportError('protected', 'never');

/** Only codes are taken from the helper's error, because its other fields hold the request and its key. */
function faultOf(error: unknown, limit: Deadline): TransportError {
	const fault = error instanceof TransportError ? error : isBlocked(error) ? STOPPED : transportErrorOf(error);
	if (!limit.signal.aborted || fault.reason === 'too_large') return fault;
	return new TransportError(limit.isOver() ? 'timeout' : 'aborted', fault.sent);
}

/** WebSocket close code for a message above the size limit. */
const TOO_LARGE = 1009;

/**
 * Wraps the WebSocket built into Node. It hides why an upgrade was refused and cannot send ping frames, so the stream
 * detects a wrong key by a REST read, and a dead connection by application-level pings.
 */
export const hostSocket =
	(host: HttpHost): OpenSocket =>
	(url, handlers) => {
		let done = false;
		let socket: WebSocket | undefined;
		const closed = (facts: Parameters<typeof handlers.closed>[0] = {}) => {
			if (done) return;
			done = true;
			cancelHandshake();
			handlers.closed(facts);
		};
		const cancelHandshake = hostClock.after(HANDSHAKE_MS_MAX, () => {
			closed();
			socket?.close();
		});
		const open = (refusal: string | undefined): void => {
			if (done) return;
			if (refusal !== undefined) return closed({ refusal });
			socket = new WebSocket(url);
			socket.onopen = () => {
				cancelHandshake();
				if (!done) handlers.opened();
			};
			socket.binaryType = 'arraybuffer';
			socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
				if (done) return;
				if (lengthOf(data) > MESSAGE_LENGTH_MAX) {
					closed({ code: TOO_LARGE });
					return socket?.close();
				}
				const text = typeof data === 'string' ? data : textOfBytes(data);
				if (text !== undefined) handlers.messages([text]);
			};
			socket.onclose = ({ code }) => closed({ code });
		};
		refusalOfStream(host, url)
			.then(open)
			.catch(() => closed());
		const terminate = () => {
			done = true;
			cancelHandshake();
			socket?.close();
		};
		return { send: (text) => void (socket?.readyState === WebSocket.OPEN && socket.send(text)), terminate };
	};

const lengthOf = (data: string | ArrayBuffer): number => (typeof data === 'string' ? data.length : data.byteLength);
