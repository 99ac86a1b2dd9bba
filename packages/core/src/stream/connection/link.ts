import type { Account } from '../../account';
import type { ConnectionStatus } from '../../catalogue';
import type { UntypedClient } from '../../client/contract';
import type { ExchangeError } from '../../errors';
import type { Clock, OpenSocket, Socket } from '../../ports';
import { instant } from '../../wire/payload';
import type { StreamState } from '../contract';
import { type LastFailure, lastError } from '../failure';
import type { Position } from '../position';
import type { Subscriber } from '../subscriber';
import type { Commands } from './commands';
import type { DataMessage } from './messages';

/** All that is known of one connection, apart from its socket: a plain value. */
export interface ConnectionState {
	/** Whether it is opened with the key. (Interface, part 5.) */
	readonly access: 'private' | 'public';
	phase: StreamState;
	/** Since when it has this phase. */
	since: number;
	/** The number of its socket. What a socket with another number reports is ignored. */
	socketNumber: number;
	/** Sockets opened since a connection last held for `STABLE_AFTER_MS`, including that one. */
	attempts: number;
	/** How often the service answered `rate_limited` since then. */
	limited: number;
	/** Refusals of the key in a row. `REFUSALS_CONFIRM` of them count. */
	keyRefusals: number;
	hasEverOpened: boolean;
	/** Since when the present socket is open. */
	openedAt?: number;
	/** Whether it confirmed a topic, said something after that, and was asked for what was missed or for a snapshot. */
	hasConfirmed: boolean;
	hasServed: boolean;
	hasAsked: boolean;
	/** The next socket asks for neither, because the one before said nothing when it was asked. */
	asksNothing: boolean;
	/** Why the latest socket ended. Stream Status shows it. */
	failure?: LastFailure;
	/** When the latest message arrived, and when the silence since is looked at. */
	heardAt: number;
	looksAt?: number;
	/** By when the socket has to be open, or when the next one is opened. */
	socketAt?: number;
	/** When it is given up, because it carries no topic. */
	idleAt?: number;
	topics: Map<string, TopicSubscription>;
	/** Its wildcards, whose messages carry the names of exact topics. */
	wildcards: readonly string[];
}

/** One topic of a connection. */
export interface TopicSubscription {
	/** `queued`: requested once it is due and no other request is open, unless it is confirmed late. */
	is: 'unsubscribed' | 'requested' | 'queued' | 'confirmed';
	wasConfirmed: boolean;
	/** By when the request has to be confirmed, or from when on a queued topic is requested. */
	due?: number;
	/** Its latest request asked for a replay or a snapshot, which may be what is refused. */
	asksMore?: boolean;
	/** Refusals of this topic in a row. `TOPIC_REFUSALS_CONFIRM` of them count. */
	refusals: number;
}

export const newConnection = (access: ConnectionState['access'], now: number): ConnectionState => ({
	access,
	phase: 'connecting',
	since: now,
	socketNumber: 0,
	attempts: 0,
	limited: 0,
	keyRefusals: 0,
	hasEverOpened: false,
	hasConfirmed: false,
	hasServed: false,
	hasAsked: false,
	asksNothing: false,
	heardAt: now,
	topics: new Map(),
	wildcards: [],
});

export const isOpen = ({ phase }: Pick<ConnectionState, 'phase'>): boolean =>
	phase === 'catching_up' || phase === 'live';

export const topicsThat = ({ topics }: Pick<ConnectionState, 'topics'>, is: TopicSubscription['is']): string[] =>
	[...topics].flatMap(([topic, subscription]) => (subscription.is === is ? [topic] : []));

/** When something is due next: of the topics that wait, once no request is open. */
export function dueAt(state: ConnectionState): number {
	const { socketAt = Infinity, idleAt = Infinity, looksAt = Infinity } = state;
	const all = [...state.topics.values()];
	const requested = all.filter(({ is }) => is === 'requested');
	const dues = (requested.length > 0 ? requested : all).map(({ due = Infinity }) => due);
	return Math.min(socketAt, idleAt, looksAt, ...dues);
}

/** The connection as Stream Status shows it. */
export const connectionStatus = (state: ConnectionState): ConnectionStatus => ({
	access: state.access,
	topics: state.topics.size,
	state: state.phase,
	since: instant(state.since),
	attempts: isOpen(state) ? 0 : state.attempts,
	...lastError(state.failure),
});

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
	setAlarm(at: number): void;
	/** The topic, or undefined once the connection no longer carries it. */
	feed(topic: string): CarriedTopic | undefined;
	send(text: string): void;
	/** It has carried no topic for some time. */
	unused(): void;
}

/** What all connections of a stream are given. */
export interface ConnectionPorts {
	account: Account;
	client: Pick<UntypedClient, 'call'>;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	/** Undefined once nobody needs the topic. */
	feed(topic: string): CarriedTopic | undefined;
	subscribersOf(topics: Iterable<string>): Subscriber[];
	/** The commands, which are answered on the connection with the key, and end with an unknown outcome when it is lost. */
	commands: Pick<Commands, 'answered' | 'lost'>;
	/** No socket has opened yet, or the key was refused repeatedly. Further ones are tried as long as a topic is left. */
	failed(topics: readonly string[], error: ExchangeError): void;
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
	| DataMessage
	/** A subscription was sent, perhaps with a position to resume from. */
	| { type: 'requested'; resumeFrom?: Position }
	| { type: 'confirmed'; head?: Position; snapshot?: unknown }
	/** `heardAt`: when the last thing was heard on the connection. */
	| { type: 'lost'; heardAt: number }
	/** The service refused the topic, by a message or by its silence. */
	| { type: 'refused'; error: ExchangeError }
	/** The service refuses a topic that was subscribed before. It is asked for again after `againMs`. */
	| { type: 'unavailable'; error: ExchangeError; againMs: number };
