import type { StreamEvent } from '../engine/events';
import type { SessionPort } from './session';

/** Events sent before the reader has to have taken them. */
const REPLAY_PART = 100;
/** Events that may wait behind a replay; a reader that cannot keep up with the present is let go. */
const WAITING_MAX = 50_000;

/** Lets the events of a session out: a long replay at the reader's pace, and what happens meanwhile after it. */
export function createOutlet(port: SessionPort, textOf: (event: StreamEvent) => string) {
	let waiting: StreamEvent[] | undefined;
	let sent = 0;

	function event(one: StreamEvent): void {
		if (!waiting) return port.send(textOf(one), one);
		waiting.push(one);
		if (waiting.length - sent > WAITING_MAX) port.letGo?.();
	}
	function replay(events: StreamEvent[]): void {
		if (waiting) return void waiting.push(...events);
		[waiting, sent] = [events, 0];
		next();
	}
	function next(): void {
		const end = port.flushed ? sent + REPLAY_PART : Infinity;
		for (; waiting && sent < waiting.length && sent < end; sent++) {
			const one = waiting[sent] as StreamEvent;
			port.send(textOf(one), one);
		}
		if (waiting && sent < waiting.length) return port.flushed?.(next);
		waiting = undefined;
	}
	return { event, replay };
}
