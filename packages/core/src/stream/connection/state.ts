import type { ConnectionStatus } from '../../catalogue';
import type { StreamState } from '../contract';
import { instant, lastError, type LastFailure } from '../failure';
import type { Position } from '../position';
import { newListeningTime, type Due, type ListeningTime } from './listening-time';
import { newReconnects, type Reconnects } from './reconnect';

/** All that is known of one connection, apart from its socket: a plain value, which `step` alone changes. */
export interface ConnectionState {
	/** Whether it is opened with the key. (Interface, part 5.) */
	access: 'private' | 'public';
	phase: StreamState;
	/** Since when it has this phase. */
	since: number;
	/** The number of its socket. One with another number tells nothing more. */
	socket: number;
	/** Sockets opened since one of them was open. */
	attempts: number;
	hasEverOpened: boolean;
	/** Refusals of the key in a row. `REFUSALS_CONFIRM` of them count. */
	keyRefusals: number;
	reconnects: Reconnects;
	/** Why the latest socket ended. Stream Status shows it. */
	failure?: LastFailure;
	listening: ListeningTime;
	/** When the latest message arrived, and when the silence since is looked at. */
	heardAt: number;
	looksAt?: Due;
	/** By when the socket has to be open, or when the next one is opened. */
	socketAt?: number;
	/** When it is given up, because it carries no topic. */
	idleAt?: number;
	topics: Map<string, TopicSubscription>;
	/** Those of its topics whose messages carry other topics than theirs. */
	wildcards: readonly string[];
	/** Whether this connection confirmed a topic, and how many in a row confirmed none. */
	hasConfirmed: boolean;
	inVain: number;
	/** Open connections in a row that ended before they confirmed a topic. */
	unconfirmed: number;
	/** The next connection resumes nothing, because a replay would bring back the message that ended this one. */
	skipsResume: boolean;
}

/** One topic of a connection. */
export interface TopicSubscription {
	/** `queued`: subscribed once no other request is open. `retrying`: queued later, unless it is confirmed late. */
	is: 'unsubscribed' | 'requested' | 'retrying' | 'queued' | 'confirmed';
	/** Whether the subscription asks for a snapshot. (Interface, part 6.) */
	isBook: boolean;
	wasConfirmed: boolean;
	/** By when the request has to be confirmed, or when the topic is queued. */
	due?: Due;
	/** Whether the next request may resume, because a position may be the reason of a refusal. */
	mayResume: boolean;
	resumedFrom?: Position;
	/** Since when its replay is awaited. */
	replaySince?: number;
	/** Connections in a row that ended before its replay began. */
	lostReplays: number;
	/** It was resumed, and confirmed without being named: the service may still refuse it. */
	isDoubtful: boolean;
	/** Refusals of this topic in a row. `TOPIC_REFUSALS_CONFIRM` of them count. */
	refusals: number;
}

export const newConnection = (access: ConnectionState['access'], now: number): ConnectionState => ({
	access,
	phase: 'connecting',
	since: now,
	socket: 0,
	attempts: 0,
	hasEverOpened: false,
	keyRefusals: 0,
	reconnects: newReconnects(),
	listening: newListeningTime(),
	heardAt: now,
	topics: new Map(),
	wildcards: [],
	hasConfirmed: false,
	inVain: 0,
	unconfirmed: 0,
	skipsResume: false,
});

export const newSubscription = (isBook: boolean): TopicSubscription => ({
	is: 'unsubscribed',
	isBook,
	wasConfirmed: false,
	mayResume: true,
	lostReplays: 0,
	isDoubtful: false,
	refusals: 0,
});

export const isOpen = ({ phase }: ConnectionState): boolean => phase === 'catching_up' || phase === 'live';

/** The connection as Stream Status shows it. */
export const statusOf = ({ access, phase, since, attempts, topics, failure }: ConnectionState): ConnectionStatus => ({
	access,
	topics: topics.size,
	state: phase,
	since: instant(since),
	attempts,
	...lastError(failure),
});
