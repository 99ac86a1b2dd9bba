import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket } from '../../ports';
import type { StreamState } from '../contract';
import { pingFrame } from './frames';
import { HANDSHAKE_MS_MAX } from '../limits';
import { createReconnectBackoff } from './reconnect';
import { createHeartbeat } from './heartbeat';

/** One socket that comes back: opened, watched, ended and opened again until it is closed for good. */
export interface ReconnectingSocket {
	state(): StreamState;
	isOpen(): boolean;
	/** Whether the text was handed to an open socket. */
	send(text: string): boolean;
	/** Everything asked for is confirmed. */
	settled(): void;
	/** Ends this socket and opens another after a while. */
	drop(): void;
	/** The service asked for patience, so the next socket waits longer. */
	limited(): void;
	/** Stops reading for a while, where the host can. */
	pause(): void;
	resume(): void;
	close(): void;
}

export interface ReconnectingSocketPorts {
	url: string;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	/** What is wrong with a socket that would not open, when more is known than that: undefined means try again. */
	diagnose(status: number | undefined): Promise<ExchangeError | undefined>;
	opened(): void;
	received(text: string): void;
	/** A socket ended, whether or not it was ever open. */
	lost(facts: { code?: number }): void;
	/** A first socket would not open, for no reason that is known; further ones are tried. */
	unreachable(): void;
	/** A reason only a person can remove. Nothing more is tried. */
	failed(error: ExchangeError): void;
	changed(state: StreamState): void;
}

/** A refused key and a dead network look alike where the host hides the status, so every so many tries REST is asked. */
const DIAGNOSE_EVERY = 5;

export function createReconnectingSocket(ports: ReconnectingSocketPorts): ReconnectingSocket {
	const { clock, random } = ports;
	const reconnect = createReconnectBackoff(random);
	const heartbeat = createHeartbeat(clock, { ping: () => socket?.send(pingFrame()), silent: () => end({}) });
	let socket: Socket | undefined;
	let state: StreamState = 'connecting';
	let everOpened = false;
	let unopened = 0;
	/** Timers of the present socket, or of the wait for the next. */
	let timers: (() => void)[] = [];

	function connect(): void {
		clear();
		enter('connecting');
		reconnect.opening(clock.now());
		let current = true;
		const mine =
			<A extends unknown[]>(action: (...args: A) => void) =>
			(...args: A) =>
				current ? action(...args) : undefined;
		const opened = ports.openSocket(ports.url, {
			opened: mine(onOpened),
			message: mine(guarded(heartbeat.heard, ports.received, () => end({}))),
			closed: mine((facts: { code?: number; status?: number }) => onClosed(facts)),
		});
		socket = { ...opened, terminate: () => ((current = false), opened.terminate()) };
		timers.push(clock.after(HANDSHAKE_MS_MAX, () => state === 'connecting' && end({})));
	}

	function onOpened(): void {
		clear();
		everOpened = true;
		unopened = 0;
		reconnect.opened(clock.now());
		enter('catching_up');
		heartbeat.begin();
		ports.opened();
	}

	function end(facts: { code?: number; status?: number }): void {
		socket?.terminate();
		onClosed(facts);
	}

	function onClosed({ code, status }: { code?: number; status?: number }): void {
		if (state === 'closed' || state === 'failed') return;
		const wasOpen = state === 'catching_up' || state === 'live';
		clear();
		socket = undefined;
		unopened += wasOpen ? 0 : 1;
		const delayMs = reconnect.delayMs(clock.now());
		enter('waiting');
		timers = [clock.after(delayMs, connect)];
		ports.lost({ code });
		if (!wasOpen) void examine(status);
	}

	/** Time passes while REST is asked, and another socket may have opened meanwhile. */
	async function examine(status: number | undefined): Promise<void> {
		const isRefused = status === 401 || status === 403;
		const error = isRefused || unopened % DIAGNOSE_EVERY === 1 ? await ports.diagnose(status) : undefined;
		if (state === 'closed' || state === 'failed') return;
		if (!error) return everOpened ? undefined : ports.unreachable();
		clear();
		socket?.terminate();
		enter('failed');
		ports.failed(error);
	}

	function enter(next: StreamState): void {
		if (state === next) return;
		state = next;
		ports.changed(next);
	}

	function clear(): void {
		timers.forEach((cancel) => cancel());
		timers = [];
		heartbeat.end();
	}

	connect();
	return {
		state: () => state,
		isOpen: () => state === 'catching_up' || state === 'live',
		send: (text) => {
			if (!socket || (state !== 'catching_up' && state !== 'live')) return false;
			socket.send(text);
			return true;
		},
		settled: () => {
			if (state === 'catching_up') enter('live');
		},
		drop: () => end({}),
		limited: () => reconnect.limited(),
		pause: () => {
			if (socket?.pause && heartbeat.pause(() => socket?.resume?.())) socket.pause();
		},
		resume: () => {
			heartbeat.resume();
			socket?.resume?.();
		},
		close: () => {
			clear();
			socket?.terminate();
			enter('closed');
		},
	};
}

/** What comes from outside must not throw through the callback of a socket, which would end the process. */
function guarded(heard: () => void, received: (text: string) => void, failed: () => void): (text: string) => void {
	return (text) => {
		try {
			heard();
			received(text);
		} catch {
			failed();
		}
	};
}
