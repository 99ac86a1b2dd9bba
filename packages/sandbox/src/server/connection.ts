import type { WebSocket } from 'ws';
import type { Session } from '../api/session';
import type { Published } from '../engine/events';
import { kindsStriking } from './faults';
import type { Outbox } from './outbox';
import type { SandboxContext } from './context';

/** A socket with its session. Faults of events are applied when sending. */
export interface Connection {
	socket: WebSocket;
	session: Session;
	outbox: Outbox;
	apiKey: string | undefined;
	silent: boolean;
	/** The console page only observes, so faults do not apply to it. */
	isConsole: boolean;
	openedAt: number;
	/** An event that a fault delays until after its successor. */
	delayed?: { text: string; event: Published };
}

const EVENT_FAULTS = kindsStriking('event');

export function emit({ faults }: SandboxContext, connection: Connection, text: string, event?: Published): void {
	const { socket, session, outbox } = connection;
	if (connection.silent || socket.readyState !== socket.OPEN) return;
	if (!event) return outbox.write(text);
	session.sentSequences.set(event.topic, event.seq);
	if (faults.armed.length === 0 && !connection.delayed) return outbox.write(text, event);
	sendWithFaults(faults, connection, { text, event });
}

function sendWithFaults(
	faults: SandboxContext['faults'],
	connection: Connection,
	{ text, event }: { text: string; event: Published },
): void {
	const { isConsole, apiKey, outbox, delayed } = connection;
	const fault = isConsole ? undefined : faults.strike(EVENT_FAULTS, { apiKey, topic: event.topic });
	const kind = fault?.kind;
	switch (kind) {
		case 'skip-event':
			return;
		case 'reorder-events':
			return void (connection.delayed = { text, event });
		case 'duplicate-event':
			outbox.write(text, event);
			break;
		default:
			kind satisfies undefined;
	}
	outbox.write(text, event);
	if (delayed) outbox.write(delayed.text, delayed.event);
	delete connection.delayed;
}
