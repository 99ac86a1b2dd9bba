import WebSocket from 'ws';
import { TransportError, type OpenSocket, type Socket, type SocketHandlers } from '../ports';
import { MESSAGE_LENGTH_MAX } from '../stream/limits';
import { textOfBytes } from '../wire/bytes';
import { retryAfter } from '../wire/response';
import { transportErrorOf } from '../wire/transport-errors';
import { systemClock } from './clock';
import { answerHeaders } from './http';
import { guardedLookup, type Lookup } from './lookup';
import { proxyAgentFor } from './proxy';
import { createTextMessages } from './text-messages';
import { userAgentOf, type Sender } from './user-agent';

/**
 * A WebSocket for plain Node over ws, with a time for the handshake, messages up to 1 MiB. The errors of ws hold the
 * address with the token in it, so none is passed on. A proxy named by the environment is used for `wss`. Never throws.
 */
export function socketWithin(handshakeTimeoutMs: number, lookup?: Lookup, sender: Sender = 'script'): OpenSocket {
	const choices: Choices = { handshakeTimeoutMs, lookup: guardedLookup(lookup), userAgent: userAgentOf(sender) };
	return (url, handlers) => openSocket(url, handlers, choices);
}

interface Choices {
	handshakeTimeoutMs: number;
	lookup: Lookup;
	userAgent: string;
}

function openSocket(url: string, handlers: SocketHandlers, { handshakeTimeoutMs, lookup, userAgent }: Choices): Socket {
	let socket: WebSocket;
	let done = false;
	let cancelHandshake = (): void => undefined;
	const closed: SocketHandlers['closed'] = (facts) => {
		if (done) return;
		done = true;
		cancelHandshake();
		handlers.closed(facts);
	};
	const tell = (texts: readonly string[]): void => {
		if (!done) handlers.messages(texts);
	};
	try {
		const address = new URL(url);
		const isPlain = address.protocol === 'ws:';
		socket = new WebSocket(url, {
			...createTextMessages({ isPlain, bytesMax: MESSAGE_LENGTH_MAX, deliver: tell }),
			maxPayload: MESSAGE_LENGTH_MAX,
			perMessageDeflate: false,
			followRedirects: false,
			headers: { 'user-agent': userAgent },
			// Set explicitly, because an environment variable could switch it off.
			rejectUnauthorized: true,
			lookup,
			agent: proxyAgentFor(address),
		});
	} catch (error) {
		queueMicrotask(() => closed(isOfProxy(error) ? { refusal: PROXY_REFUSAL } : {}));
		return { send: () => undefined, terminate: () => void (done = true) };
	}
	// The timeout of the upgrade request restarts with every byte.
	cancelHandshake = systemClock.after(handshakeTimeoutMs, () => {
		closed({});
		socket.terminate();
	});
	// The connection itself does not keep the process alive. Its listeners do, as long as there are any.
	socket.on('upgrade', (response) => response.socket.unref());
	socket.on('open', () => {
		cancelHandshake();
		if (!done) handlers.opened();
	});
	socket.on('message', (data) => {
		const text = textOfBytes(data as Buffer);
		if (text !== undefined) tell([text]);
	});
	socket.on('unexpected-response', (request, response) => {
		request.destroy();
		closed({ status: response.statusCode, retryAfterMs: retryAfter({ headers: answerHeaders(response) }, Date.now()) });
	});
	socket.on('error', (error) => isOfProxy(error) && closed({ refusal: PROXY_REFUSAL }));
	socket.on('close', (code) => closed({ code }));
	return {
		send: (text) => {
			if (socket.readyState === WebSocket.OPEN) socket.send(text);
		},
		terminate: () => {
			done = true;
			cancelHandshake();
			socket.terminate();
		},
	};
}

/** Whether the proxy that the environment names opened no way, or is of a kind that cannot be used. */
const isOfProxy = (error: unknown): boolean =>
	(error instanceof TransportError ? error : transportErrorOf(error)).reason === 'proxy';

const PROXY_REFUSAL =
	'The proxy that the environment names (HTTPS_PROXY, with its name and password) opened no way to the Stream Address';
