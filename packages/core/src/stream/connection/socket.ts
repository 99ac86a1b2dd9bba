import { inBackground } from '../../background';
import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket } from '../../ports';
import type { StreamState } from '../contract';
import { pingFrame } from './frames';
import { HANDSHAKE_MS_MAX } from '../limits';
import { createReconnectBackoff } from './reconnect';
import { createRefusals, isRefusal } from './refusals';
import { createHeartbeat } from './heartbeat';
import { createListeningTime, type ListeningTime } from './listening-time';
import { createConnectionLog, type ConnectionLog } from './connection-log';

/** A reconnecting socket: opened, monitored, closed and opened again until `close`. */
export interface ReconnectingSocket {
	state(): StreamState;
	isOpen(): boolean;
	status: ConnectionLog['status'];
	/** Whether the text was sent. */
	send(text: string): boolean;
	/** All subscriptions are confirmed. */
	settled(): void;
	/** Closes this socket and reconnects with backoff. */
	drop(): void;
	/** The service sent `rate_limited`: the next backoff is longer. (Interface, part 8.) */
	limited(): void;
	/** Pauses reading (backpressure), where the host can. */
	pause(limitMs: number): void;
	resume(): void;
	/** Runs `action` once the socket was read for so long. */
	afterListening: ListeningTime['after'];
	close(): void;
}

export interface ReconnectingSocketPorts {
	url: string;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	/** Finds out why a socket did not open. Undefined means that the cause is unknown and the socket is tried again. */
	diagnose(status: number | undefined): Promise<ExchangeError | undefined>;
	opened(): void;
	/** Messages that arrived together at a time. `isCurrent`: whether the connection that brought them still counts. */
	received(texts: readonly string[], at: number, isCurrent: () => boolean): void;
	/** A socket closed, whether or not it was ever open. */
	lost(facts: { code?: number }): void;
	/** No socket has opened yet and the latest one failed for an unknown reason; further ones are tried. */
	unreachable(refusal?: string): void;
	/** The key was refused repeatedly. The socket goes on trying at growing pauses. */
	refused(error: ExchangeError): void;
	changed(state: StreamState): void;
}

/** Why a socket closed. */
interface Ending {
	code?: number;
	status?: number;
	refusal?: string;
}

export function createReconnectingSocket(ports: ReconnectingSocketPorts): ReconnectingSocket {
	const { clock, random } = ports;
	const reconnect = createReconnectBackoff(random);
	const [refusals, timers, listening] = [createRefusals(), createTimers(clock), createListeningTime(clock)];
	const heartbeat = createHeartbeat(clock, listening, {
		ping: () => socket?.send(pingFrame()),
		silent: () => end('It said nothing any more'),
	});
	const log = createConnectionLog(clock);
	const onMessages = guarded(clock, heartbeat.heard, ports.received, () => end('A message ended it'));
	let socket: Socket | undefined;

	const isOpen = (): boolean => log.state() === 'catching_up' || log.state() === 'live';

	function connect(): void {
		clear();
		enter('connecting');
		reconnect.opening(clock.now());
		log.opening();
		let current = true;
		const isCurrent = (): boolean => current;
		const mine =
			<A extends unknown[]>(action: (...args: A) => void) =>
			(...args: A) =>
				current ? action(...args) : undefined;
		const opened = ports.openSocket(ports.url, {
			opened: mine(onOpened),
			messages: (texts) => current && onMessages(texts, isCurrent),
			closed: mine((facts: Ending) => (log.closed(isOpen(), facts), onClosed(facts))),
		});
		socket = { ...opened, terminate: () => ((current = false), opened.terminate()) };
		timers.add(HANDSHAKE_MS_MAX, () => log.state() === 'connecting' && end('It did not open in time'));
	}

	function onOpened(): void {
		clear();
		refusals.opened();
		log.opened();
		reconnect.opened(clock.now());
		enter('catching_up');
		heartbeat.begin();
		ports.opened();
	}

	function end(why: string): void {
		socket?.terminate();
		log.failed(why);
		onClosed({});
	}

	function onClosed({ code, status, refusal }: Ending): void {
		if (log.state() === 'closed') return;
		const wasOpen = isOpen();
		clear();
		socket = undefined;
		if (!wasOpen) refusals.unopened();
		const isRefused = !wasOpen && isRefusal(status);
		const delayMs = reconnect.delayMs(clock.now());
		enter(refusals.isConfirmed() ? 'refused' : 'waiting');
		timers.only(isRefused ? refusals.delayMs(1) : Math.max(delayMs, refusals.delayMs()), connect);
		ports.lost({ code });
		if (!wasOpen) inBackground(examine(status, refusal));
	}

	/** Asks REST why a socket did not open. Another socket may have opened by the time the answer is there. */
	async function examine(status?: number, refusal?: string): Promise<void> {
		if (refusal !== undefined) log.failed(refusal);
		if (refusal !== undefined) return refusals.everOpened() ? undefined : ports.unreachable(refusal);
		const error = refusals.isDiagnosisDue(status) ? await ports.diagnose(status) : undefined;
		if (log.state() === 'closed' || isOpen()) return;
		refusals.diagnosed(error !== undefined);
		if (error) log.failed(error);
		if (!error) return refusals.everOpened() ? undefined : ports.unreachable();
		if (log.state() === 'connecting') return;
		timers.only(refusals.delayMs(), connect);
		if (!refusals.isConfirmed()) return;
		enter('refused');
		if (refusals.isJustConfirmed()) ports.refused(error);
	}

	function enter(next: StreamState): void {
		if (log.state() === next) return;
		log.entered(next);
		ports.changed(next);
	}

	function clear(): void {
		timers.clear();
		heartbeat.end();
		listening.reset();
	}

	connect();
	return {
		...{ state: log.state, isOpen, status: log.status, limited: reconnect.limited, afterListening: listening.after },
		send: (text) => {
			if (!socket || !isOpen()) return false;
			socket.send(text);
			return true;
		},
		settled: () => {
			if (log.state() === 'catching_up') enter('live');
		},
		drop: () => end('It began again: a topic was not confirmed, or the service asked for patience'),
		pause: (limitMs) => {
			if (socket?.pause && listening.pause(limitMs, () => socket?.resume?.())) socket.pause();
		},
		resume: () => {
			listening.resume();
			socket?.resume?.();
		},
		close: () => {
			clear();
			socket?.terminate();
			enter('closed');
		},
	};
}

/** The timers of the open socket, or of the backoff before the next one. */
function createTimers(clock: Clock) {
	let cancels: (() => void)[] = [];
	const clear = (): void => {
		cancels.forEach((cancel) => cancel());
		cancels = [];
	};
	return {
		clear,
		add: (delayMs: number, action: () => void) => void cancels.push(clock.after(delayMs, action)),
		/** Sets this timer and cancels the earlier ones. */
		only: (delayMs: number, action: () => void) => {
			clear();
			cancels.push(clock.after(delayMs, action));
		},
	};
}

type Heard = (at: number) => void;
type Received = ReconnectingSocketPorts['received'];

/** An exception while handling a message would leave through the socket's callback and end the process. */
function guarded(clock: Clock, heard: Heard, received: Received, failed: () => void) {
	return (texts: readonly string[], isCurrent: () => boolean): void => {
		try {
			const at = clock.now();
			heard(at);
			received(texts, at, isCurrent);
		} catch {
			failed();
		}
	};
}
