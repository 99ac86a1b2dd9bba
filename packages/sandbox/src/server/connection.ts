import type { WebSocket } from 'ws';
import type { Session } from '../api/session';
import type { StreamEvent } from '../engine/events';
import type { FaultKind } from './faults';
import type { Outbox } from './outbox';
import type { Running } from './running';

/** A socket with its session, and what may happen to the events on their way out. */
export interface Connection {
	socket: WebSocket;
	session: Session;
	outbox: Outbox;
	apiKey: string | undefined;
	silent: boolean;
	/** A console page: it watches, and faults are not for it. */
	watcher: boolean;
	openedAt: number;
	/** An event held back to arrive after its successor. */
	held?: { text: string; event: StreamEvent };
}

const EVENT_FAULTS: readonly FaultKind[] = ['duplicate-event', 'reorder-events', 'skip-event'];

export interface Saying {
	text: string;
	event: StreamEvent | undefined;
	/** A reader further behind is let go. */
	backlogBytesMax: number;
}

export function emit({ faults }: Running, connection: Connection, { text, event, backlogBytesMax }: Saying): void {
	const { socket, session, outbox } = connection;
	if (connection.silent || socket.readyState !== socket.OPEN) return;
	if (outbox.bufferedBytes() > backlogBytesMax) return socket.terminate();
	if (!event) return outbox.write(text);
	session.told.set(event.topic, event.seq);
	if (faults.armed.length === 0 && !connection.held) return outbox.write(text, event);
	disturbed(faults, connection, { text, event });
}

function disturbed(
	faults: Running['faults'],
	connection: Connection,
	{ text, event }: { text: string; event: StreamEvent },
): void {
	const { watcher, apiKey, outbox, held } = connection;
	const fault = watcher ? undefined : faults.strike(EVENT_FAULTS, { apiKey, topic: event.topic });
	if (fault?.kind === 'skip-event') return;
	if (fault?.kind === 'reorder-events') return void (connection.held = { text, event });
	outbox.write(text, event);
	if (fault) outbox.write(text, event);
	if (held) outbox.write(held.text, held.event);
	delete connection.held;
}
