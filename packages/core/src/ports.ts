/** The ports of the core: network, clock and randomness are passed in. */
export interface Ports {
	send: SendHttp;
	clock: Clock;
	/** A number from 0 up to 1, for jitter. */
	random: () => number;
	/** A fresh UUID. */
	newId: () => string;
}

export interface HttpRequest {
	method: string;
	url: string;
	headers: Readonly<Record<string, string>>;
	body?: string;
	/** Timeout of the whole call, to the last byte of its answer. */
	timeoutMs: number;
	/** The longest answer in bytes, after decompression; ANSWER_BYTES_MAX without it. */
	bytesMax?: number;
	signal?: AbortSignal;
	/** Asked after every wait before the first byte, such as for the account's pace. Rejects when it must not be sent. */
	assertWanted?: () => Promise<void>;
}

/** The longest answer that is read: a small compressed one could expand without limit. */
export const ANSWER_BYTES_MAX = 5 * 1024 * 1024;
/** The same for a list, because a service may show all of it on one page: room for some 150,000 rows. */
export const LIST_BYTES_MAX = 32 * 1024 * 1024;

export interface HttpResponse {
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	body: string;
}

/** Resolves with any HTTP status, redirects included and never followed; rejects only with a TransportError. */
export type SendHttp = (request: HttpRequest) => Promise<HttpResponse>;

/** Why no answer came. `sent` says whether the service may have acted: only 'never' proves that it did not. */
export class TransportError extends Error {
	constructor(
		readonly reason:
			| 'refused'
			| 'name'
			| 'forbidden'
			| 'protected'
			| 'certificate'
			| 'handshake'
			| 'timeout'
			| 'reset'
			| 'aborted'
			| 'too_large',
		readonly sent: 'never' | 'perhaps',
	) {
		super(`no answer: ${reason}`);
		this.name = 'TransportError';
	}
}

export interface Clock {
	/** Milliseconds since 1970, UTC. */
	now(): number;
	/** Milliseconds of a monotonic clock, which never goes back or jumps. Every duration is measured on it. */
	elapsed(): number;
	/** Runs `action` once after `delayMs`; the returned function cancels it. */
	after(delayMs: number, action: () => void): () => void;
}

/** One WebSocket. Handlers are called in order and never after `terminate`. */
export interface Socket {
	send(text: string): void;
	/** Closes at once, without a closing handshake: the connection is closed when this returns. */
	terminate(): void;
	/** Stops and resumes reading, when the host supports it. */
	pause?(): void;
	resume?(): void;
}

export interface SocketHandlers {
	opened(): void;
	/** Messages that arrived together, in order. */
	messages(texts: readonly string[]): void;
	/**
	 * `status` is the HTTP status of a refused upgrade, when the host provides it; `refusal` says in one clause why the host
	 * itself does not connect.
	 */
	closed(facts: { code?: number; status?: number; refusal?: string }): void;
}

/** Never throws: an unusable address is reported through `closed`. */
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
