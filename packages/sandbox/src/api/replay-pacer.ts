import type { StreamEvent } from '../engine/events';
import type { SessionPort } from './session-context';

/** Events sent before waiting for the socket to drain. */
const REPLAY_PART = 100;
/** Most live events buffered during a replay; a client that falls further behind is disconnected. */
const WAITING_MAX = 50_000;

/** Sends a long replay no faster than the client reads, and buffers live events until it is complete. */
export function createReplayPacer(port: SessionPort, textOf: (event: StreamEvent) => string) {
	let waiting: StreamEvent[] | undefined;
	let sent = 0;

	function event(message: StreamEvent): void {
		if (!waiting) return port.send(textOf(message), message);
		waiting.push(message);
		if (waiting.length - sent > WAITING_MAX) port.drop?.();
	}
	function replay(events: StreamEvent[]): void {
		if (waiting) return void waiting.push(...events);
		[waiting, sent] = [events, 0];
		next();
	}
	function next(): void {
		const end = port.flushed ? sent + REPLAY_PART : Infinity;
		for (; waiting && sent < waiting.length && sent < end; sent++) {
			const message = waiting[sent] as StreamEvent;
			port.send(textOf(message), message);
		}
		if (waiting && sent < waiting.length) return port.flushed?.(next);
		waiting = undefined;
	}
	return { event, replay };
}
