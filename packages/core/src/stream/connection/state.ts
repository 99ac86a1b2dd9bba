import type { ConnectionStatus } from '../../catalogue';
import { instant } from '../../wire/payload';
import type { StreamState } from '../contract';
import { type LastFailure, lastError } from '../failure';

/** All that is known of one connection, apart from its socket: a plain value. */
export interface ConnectionState {
	/** Whether it is opened with the key. (Interface, part 5.) */
	readonly access: 'private' | 'public';
	phase: StreamState;
	/** Since when it has this phase. */
	since: number;
	/** The number of its socket. What a socket with another number reports is ignored. */
	socket: number;
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
	socket: 0,
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
export function nextAt(state: ConnectionState): number | undefined {
	const { socketAt = Infinity, idleAt = Infinity, looksAt = Infinity } = state;
	const all = [...state.topics.values()];
	const requested = all.filter(({ is }) => is === 'requested');
	const dues = (requested.length > 0 ? requested : all).map(({ due = Infinity }) => due);
	const soonest = Math.min(socketAt, idleAt, looksAt, ...dues);
	return Number.isFinite(soonest) ? soonest : undefined;
}

/** The connection as Stream Status shows it. */
export const statusOf = (state: ConnectionState): ConnectionStatus => ({
	access: state.access,
	topics: state.topics.size,
	state: state.phase,
	since: instant(state.since),
	attempts: isOpen(state) ? 0 : state.attempts,
	...lastError(state.failure),
});
