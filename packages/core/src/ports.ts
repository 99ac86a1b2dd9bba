import { causedBy } from './errors';
import { assertKind, someText, having } from './given';

/** The network, clock and randomness that the core is given. {@link nodePorts} has them for plain Node. */
export interface Ports {
	/** Sends one HTTP request. */
	send: SendHttp;
	/** Time, and the only way to wait. */
	clock: Clock;
	/** A number from 0 up to 1, for jitter. */
	random: () => number;
	/** A fresh UUID. */
	newId: () => string;
}

/** The ports of a client and a stream: the network, clock and randomness, and how a stream is opened. */
export interface StreamingPorts extends Ports {
	/** Opens a connection of the stream. */
	openSocket: OpenSocket;
}

/**
 * Holds ports to what they must have, and takes that of them: without a clock, for one, a call would fail far from whoever
 * left it out. They may be of a class, whose functions work on it alone.
 */
export function acceptPorts<Name extends Exclude<keyof StreamingPorts, 'clock'>>(
	ports: Pick<StreamingPorts, Name | 'newId' | 'clock'>,
	...functions: Name[]
): Pick<StreamingPorts, Name | 'newId' | 'clock'> {
	const advice = 'Take nodePorts() of @partner-exchange/core/node, and replace what you bring yourself';
	assertKind(ports, having(...functions), { of: 'The ports', field: 'ports', advice });
	assertKind(ports.clock, having('now', 'elapsed', 'after'), { of: 'The clock of the ports', field: 'clock', advice });
	const bound = Object.fromEntries(functions.map((name) => [name, ports[name].bind(ports)]));
	return { ...bound, clock: ports.clock, newId: () => freshId(ports) } as Pick<
		StreamingPorts,
		Name | 'newId' | 'clock'
	>;
}

/** An empty id would make two orders one. */
function freshId(ports: Pick<Ports, 'newId'>): string {
	let id: string;
	try {
		id = ports.newId();
	} catch (cause) {
		const what = 'The port newId failed by itself';
		throw causedBy(cause, 'invalid_input', { field: 'newId', what, advice: 'Correct it; nothing was sent' });
	}
	assertKind(id, someText, { of: 'What the port newId answers', field: 'newId' });
	return id;
}

/** One HTTP request, complete: nothing is added on its way. */
export interface HttpRequest {
	/** Upper case: `GET`, `POST`, `PATCH`, `DELETE`. */
	method: string;
	/** Complete address, with its query. */
	url: string;
	/** Every header to send, the key included where the route carries one. */
	headers: Readonly<Record<string, string>>;
	/** JSON text; without it no body is sent. */
	body?: string;
	/** Milliseconds for the whole call, to the last byte of its answer. */
	timeoutMs: number;
	/** The longest answer in bytes, after decompression. Default 5 MiB. */
	bytesMax?: number;
	/** Ends the call. What was sent is not undone. */
	signal?: AbortSignal;
	/** Asked after a wait for the account's pace, before the request is sent. Rejects when it must not be sent any more. */
	assertWanted?: () => Promise<void>;
}

/** The longest answer that is read: a small compressed one could expand without limit. */
export const ANSWER_BYTES_MAX = 5 * 1024 * 1024;
/**
 * The longest answer to a list that is read: a service may show all of the list on one page, which has room for some
 * 150,000 rows.
 */
export const LIST_BYTES_MAX = 32 * 1024 * 1024;

/** An answer of any HTTP status. */
export interface HttpResponse {
	/** HTTP status. */
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The body as text, after decompression. */
	body: string;
	/** Nothing was sent: the account's own pace held the request back, as if the service had answered 429 again. */
	isHeldBack?: true;
}

/**
 * Sends one request. Resolves with any HTTP status; redirects are never followed.
 *
 * @throws A {@link TransportError} when no answer came, and nothing else.
 */
export type SendHttp = (request: HttpRequest) => Promise<HttpResponse>;

const brand = Symbol.for('@partner-exchange/core: transport error');

/** Why no answer came. `sent` says whether the service may have acted: only `never` proves that it did not. */
export class TransportError extends Error {
	/** As for {@link ExchangeError}, both forms of the core in one process know the errors of the other. */
	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && brand in value;
	}
	/** Tells these errors from all others, whichever copy of the package made them. */
	get [brand](): true {
		return true;
	}

	constructor(
		/** What went wrong below HTTP. */
		readonly reason:
			| 'refused'
			| 'name'
			| 'forbidden'
			| 'protected'
			| 'certificate'
			| 'handshake'
			| 'proxy'
			| 'timeout'
			| 'reset'
			| 'aborted'
			| 'too_large',
		/** Whether the service may have acted. */
		readonly sent: 'never' | 'perhaps',
	) {
		super(`no answer: ${reason}`);
		this.name = 'TransportError';
	}
}

/** Time, as the core sees it. Tests pass one of their own. */
export interface Clock {
	/** Milliseconds since 1970, UTC. */
	now(): number;
	/** Milliseconds of a monotonic clock, which never goes back or jumps. Every duration is measured on it. */
	elapsed(): number;
	/**
	 * Runs `action` once after `delayMs`; the returned function cancels it. A process waits for it before it ends, unless
	 * `isAwaited` is false.
	 */
	after(delayMs: number, action: () => void, isAwaited?: boolean): () => void;
	/** Keeps a process from ending by itself, until the returned function is called. Without it `after` always does. */
	hold?(): () => void;
}

/** One WebSocket. Handlers are called in order and never after `terminate`. */
export interface Socket {
	/** Queues one text message. Without effect on a closed socket. */
	send(text: string): void;
	/** Closes at once, without a closing handshake: the connection is closed when this returns. */
	terminate(): void;
}

/** What a {@link Socket} calls: once `opened`, then `messages`, and `closed` at the end. */
export interface SocketHandlers {
	/** The connection is open. */
	opened(): void;
	/** Messages that arrived together, in order. */
	messages(texts: readonly string[]): void;
	/**
	 * `status` is the HTTP status of a refused upgrade, when the host provides it, and `retryAfterMs` how long it asks to
	 * wait; `refusal` says in one clause why the host itself does not connect.
	 */
	closed(facts: { code?: number; status?: number; retryAfterMs?: number; refusal?: string }): void;
}

/** Opens a WebSocket and returns at once. Never throws: an unusable address is reported through `closed`. */
export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket;

/** The end of one call: its signal aborts or its total timeout passes, whichever comes first. */
export interface Deadline {
	signal: AbortSignal;
	/** Whether the timeout passed, rather than the signal being aborted. */
	isOver(): boolean;
	/** Rejects when the deadline is reached. */
	reached: Promise<never>;
	/** Releases the timer and the listener on the caller's signal. */
	clear(): void;
}

/**
 * A time limit of `delayMs` milliseconds on the clock, which also ends where the caller's signal aborts. Rejects with a
 * `TransportError`: `timeout` or `aborted`. Call `clear` once it is no longer needed.
 */
export function deadline(clock: Clock, delayMs: number, signal?: AbortSignal): Deadline {
	const end = new AbortController();
	let isOver = false;
	let fail: () => void;
	const reached = new Promise<never>((_, reject) => {
		fail = () => reject(new TransportError(isOver ? 'timeout' : 'aborted', 'perhaps'));
	});
	// Prevents an unhandled rejection when nobody awaits the promise.
	reached.catch(() => undefined);
	const stop = () => {
		fail();
		end.abort();
	};
	const cancel = clock.after(delayMs, () => {
		isOver = true;
		stop();
	});
	if (signal?.aborted) stop();
	signal?.addEventListener('abort', stop, { once: true });
	const clear = () => {
		cancel();
		signal?.removeEventListener('abort', stop);
	};
	return { signal: end.signal, isOver: () => isOver, reached, clear };
}

/** Waits until the delay has passed or the signal aborts. Resolves in both cases, so the caller checks the signal. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal?.aborted) return resolve();
		const cancel = clock.after(delayMs, finish);
		signal?.addEventListener('abort', finish, { once: true });
		function finish() {
			cancel();
			signal?.removeEventListener('abort', finish);
			resolve();
		}
	});
}

/** Work that goes on for others, until one caller stops waiting for it. */
export function unlessStopped<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	otherwise: () => T | Promise<never>,
): Promise<T> {
	if (!signal) return work;
	return new Promise((resolve, reject) => {
		const leave = (): void => resolve(otherwise());
		if (signal.aborted) leave();
		signal.addEventListener('abort', leave);
		work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
	});
}
