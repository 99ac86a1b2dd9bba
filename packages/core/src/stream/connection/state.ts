import type { StreamState } from '../contract';
import type { Position } from '../position';
import { noKeyRefusals, type KeyRefusals } from './key-refusals';
import { newListeningTime, type Due, type ListeningTime } from './listening-time';
import { newReconnects, type Reconnects } from './reconnect';
import { noReplays, type Replays } from './resume-guard';

/** All that is known of one connection, apart from its socket: a plain value, which `step` alone changes. */
export interface ConnectionState {
	phase: StreamState;
	/** Since when it has this phase. */
	since: number;
	/** Sockets opened since one of them was open. */
	attempts: number;
	reconnects: Reconnects;
	keyRefusals: KeyRefusals;
	replays: Replays;
	listening: ListeningTime;
	/** When the latest message arrived, and when the silence since is looked at. */
	heardAt: number;
	looksAt?: Due;
	/** By when the socket has to be open, or when the next one is opened. */
	socketAt?: number;
	/** When it is given up, because it carries no topic. */
	idleAt?: number;
	topics: Map<string, TopicSubscription>;
	/** Whether this connection confirmed a topic, and how many in a row confirmed none. */
	hasConfirmed: boolean;
	inVain: number;
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
	/** It was resumed, and confirmed without being named: the service may still refuse it. */
	isDoubtful: boolean;
	/** Refusals in a row. */
	refusals: number;
}

export const newConnection = (now: number): ConnectionState => ({
	phase: 'connecting',
	since: now,
	attempts: 0,
	reconnects: newReconnects(),
	keyRefusals: noKeyRefusals(),
	replays: noReplays(),
	listening: newListeningTime(),
	heardAt: now,
	topics: new Map(),
	hasConfirmed: false,
	inVain: 0,
	skipsResume: false,
});

export const newSubscription = (isBook: boolean): TopicSubscription => ({
	is: 'unsubscribed',
	isBook,
	wasConfirmed: false,
	mayResume: true,
	isDoubtful: false,
	refusals: 0,
});

export const isOpen = ({ phase }: ConnectionState): boolean => phase === 'catching_up' || phase === 'live';
