import type { Action, Outcome } from '../engine/actions';
import type { Engine } from '../engine/engine';
import type { StreamEvent } from '../engine/events';
import type { AccountView } from '../engine/state';
import type { Dialect } from './dialect';
import type { Caller } from './keys';
import type { RateLimit } from './rate';

/** What a session needs from its exchange. */
export interface SessionExchange {
	engine: Engine;
	dialect: Dialect;
	messages: RateLimit;
	/** Open sessions, and the number opened so far. */
	sessions: Set<Session>;
	sessionCount: number;
	apply(action: Action): Outcome;
	identify(key: string | undefined): Caller;
	/** Runs scheduled steps that are due. */
	catchUp(): void;
	/** Idempotency keys of order writes delayed by a fault, as `account:key`. */
	inFlight: Set<string>;
	requireFree(account: AccountView, key: string): void;
}

/** The connection of a session. */
export interface SessionPort {
	/** `event` is given for event messages, so that subscribers can share the encoded frame. */
	send(text: string, event?: StreamEvent): void;
	/** Calls back once the socket has drained. Without this method, a replay is sent at once. */
	flushed?(then: () => void): void;
	/** Disconnects a client that reads too slowly. */
	drop?(): void;
}

/** One connection to the stream, independent of its socket. */
export interface Session {
	id: number;
	caller: Caller | undefined;
	/** Subscribed topics and wildcards, each with its unsubscribe function. */
	topics: Map<string, () => void>;
	/** The last sequence number sent, by exact topic. */
	sentSequences: Map<string, number>;
	receive(text: string): void;
	close(): void;
}

/** A session with the dependencies of its message handlers. */
export interface SessionContext {
	exchange: SessionExchange;
	session: Session;
	send(message: object): void;
	event(event: StreamEvent): void;
	/** Sends missed events before live ones. */
	replay(events: StreamEvent[]): void;
}
