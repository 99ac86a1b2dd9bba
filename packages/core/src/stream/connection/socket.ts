import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket } from '../../ports';
import type { StreamState } from '../contract';
import { pingFrame } from './frames';
import { HANDSHAKE_MS_MAX, REFUSAL_AGAIN_MS, REFUSALS_CONFIRM, REFUSED_CONNECT_MS } from '../limits';
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
	/** The key is refused, and was so each time it was asked again. It is tried further at growing pauses. */
	refused(error: ExchangeError): void;
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
	/** How often in a row the key was refused. */
	let refusals = 0;
	/** Timers of the present socket, or of the wait for the next. */
	let timers: (() => void)[] = [];

	const isOpen = (): boolean => state === 'catching_up' || state === 'live';

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
		unopened = refusals = 0;
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
		if (state === 'closed') return;
		const wasOpen = isOpen();
		clear();
		socket = undefined;
		unopened += wasOpen ? 0 : 1;
		const isRefused = !wasOpen && (status === 401 || status === 403);
		const delayMs = reconnect.delayMs(clock.now());
		enter(refusals >= REFUSALS_CONFIRM ? 'refused' : 'waiting');
		wait(isRefused ? refusedDelayMs(refusals + 1) : Math.max(delayMs, refusedDelayMs(refusals)));
		ports.lost({ code });
		if (!wasOpen) void examine(status);
	}

	function wait(delayMs: number): void {
		timers.forEach((cancel) => cancel());
		timers = [clock.after(delayMs, connect)];
	}

	/** Soon, to confirm the refusal, and then at growing pauses. */
	const refusedDelayMs = (count: number): number => {
		if (count < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * count;
		return Math.min(REFUSED_CONNECT_MS.cap, REFUSED_CONNECT_MS.base * 2 ** (count - REFUSALS_CONFIRM));
	};

	/** Time passes while REST is asked, and another socket may have opened meanwhile. */
	async function examine(status: number | undefined): Promise<void> {
		const isRefused = status === 401 || status === 403;
		const isAsked = isRefused || refusals > 0 || unopened % DIAGNOSE_EVERY === 1;
		const error = isAsked ? await ports.diagnose(status) : undefined;
		if (state === 'closed' || isOpen()) return;
		refusals = error ? refusals + 1 : 0;
		if (!error) return everOpened ? undefined : ports.unreachable();
		if (state === 'connecting') return;
		wait(refusedDelayMs(refusals));
		if (refusals < REFUSALS_CONFIRM) return;
		enter('refused');
		if (refusals === REFUSALS_CONFIRM) ports.refused(error);
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
		isOpen,
		send: (text) => {
			if (!socket || !isOpen()) return false;
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
