import type { Account } from '../../account';
import type { UntypedClient } from '../../client/contract';
import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket } from '../../ports';
import type { StreamState } from '../contract';
import type { Position } from '../position';
import type { DataFrame, Frame } from './frames';
import type { ConnectionState } from './state';

/** One connection with all that is needed to run it: what the functions of the connection work on. */
export interface SocketLink {
	readonly state: ConnectionState;
	readonly ports: ConnectionPorts;
	readonly clock: Clock;
	readonly account: Account;
	readonly closed: AbortController;
	socket?: Socket;
	withoutKey(texts: readonly string[]): readonly string[];
	/** Sets the timer to what is due next. */
	wake(at: number | undefined): void;
	/** The topic, or undefined once the connection no longer carries it. */
	feed(topic: string): CarriedTopic | undefined;
	send(text: string): void;
}

export interface ConnectionPorts {
	access: ConnectionState['access'];
	account: Account;
	client: Pick<UntypedClient, 'call'>;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	/** Undefined once nobody needs the topic. */
	feed(topic: string): CarriedTopic | undefined;
	/** Messages of no topic: answers to commands, and messages that could not be understood. */
	received(frame: Frame): void;
	/** A socket closed, whether or not it was ever open. */
	lost(): void;
	/** No socket has opened yet, or the key was refused repeatedly. Further ones are tried as long as a topic is left. */
	failed(topics: readonly string[], error: ExchangeError): void;
	changed(topics: readonly string[], state: StreamState): void;
	/** It has carried no topic for some time. */
	unused(): void;
}

/** A topic, as the connection that carries it sees it. */
export interface CarriedTopic {
	readonly isBook: boolean;
	/** The oldest position of its subscribers; undefined if there is nothing to resume. */
	resumeFrom(): Position | undefined;
	/** `at`: when a message arrived. */
	happened(news: TopicNews, at?: number): void;
}

/** What a connection tells a topic. */
export type TopicNews =
	| DataFrame
	/** A subscription was sent, perhaps with a position to resume from. */
	| { type: 'requested'; resumeFrom?: Position }
	| { type: 'confirmed'; head?: Position; snapshot?: unknown }
	/** `heardAt`: when the last thing was heard on the connection. */
	| { type: 'lost'; heardAt: number }
	/** The service refused the topic, by a message or by its silence. */
	| { type: 'refused'; error: ExchangeError }
	/** The service refuses a topic that was subscribed before. It is asked for again after `againMs`. */
	| { type: 'unavailable'; error: ExchangeError; againMs: number };
