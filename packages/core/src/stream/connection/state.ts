import type { ConnectionStatus } from '../../catalogue';
import { ExchangeError } from '../../errors';
import { excerpt } from '../../redaction';
import type { StreamState } from '../contract';
import { type LastFailure, instant, lastError } from '../gaps';
import type { Position } from '../position';
import type { ErrorFrame, Frame } from './frames';
import { type Reconnects, newReconnects } from './reconnect';
import type { TopicNews } from './session-channel';

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
	/** When the latest message arrived, and when the silence since is looked at. */
	heardAt: number;
	looksAt?: number;
	/** By when the socket has to be open, or when the next one is opened. */
	socketAt?: number;
	/** When it is given up, because it carries no topic. */
	idleAt?: number;
	topics: Map<string, TopicSubscription>;
	/** Those of its topics whose messages carry other topics than theirs. */
	wildcards: readonly string[];
	/** Whether this connection confirmed a topic, and whether it was asked for what was missed or for a snapshot. */
	hasConfirmed: boolean;
	hasAsked: boolean;
	/** The next connection asks for neither: the one that did ended before it had held, perhaps by what it was sent. */
	asksNothing: boolean;
}

/** One topic of a connection. */
export interface TopicSubscription {
	/** `queued`: requested once it is due and no other request is open, unless it is confirmed late. */
	is: 'unsubscribed' | 'requested' | 'queued' | 'confirmed';
	/** Whether the subscription asks for a snapshot. (Interface, part 6.) */
	isBook: boolean;
	wasConfirmed: boolean;
	/** By when the request has to be confirmed, or from when on a queued topic is requested. */
	due?: number;
	/** The position with which it was requested. */
	resumedFrom?: Position;
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
	heardAt: now,
	topics: new Map(),
	wildcards: [],
	hasConfirmed: false,
	hasAsked: false,
	asksNothing: false,
});

export const newSubscription = (isBook: boolean): TopicSubscription => ({
	is: 'unsubscribed',
	isBook,
	wasConfirmed: false,
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

/** What happens to a connection: the input of `step`. */
export type ConnectionInput =
	| { type: 'begun' }
	| { type: 'opened' }
	/** The service closed the socket, or did not open it. `refusal`: why the host itself does not connect. */
	| { type: 'closed'; code?: number; status?: number; refusal?: string; chance: number }
	/** A message could not be handled, so the client ends the socket. */
	| { type: 'broken'; why: string; chance: number }
	/** Whether REST refuses the key, too, after a socket that did not open. */
	| { type: 'diagnosed'; isRefused: boolean }
	| { type: 'attached'; topic: string; isBook: boolean }
	/** A topic is to be subscribed again. */
	| { type: 'wanted'; topic: string }
	| { type: 'detached'; topic: string }
	/** The positions with which topics were subscribed. */
	| { type: 'resumed'; positions: ReadonlyMap<string, Position> }
	| Extract<Frame, { type: 'subscribed' | 'unsubscribed' }>
	| (Refusal & { type: 'error'; chance: number })
	/** The timer rang at the moment that `wakesAt` gave. */
	| { type: 'woken'; chance: number }
	| { type: 'given_up' };

/** What the session has to do, in this order. */
export type ConnectionEffect =
	/** Open a socket with this number. */
	| { do: 'open'; socket: number }
	| { do: 'terminate' }
	| { do: 'send'; text: string }
	/** Say that the connection has another state. */
	| { do: 'enter'; state: StreamState }
	/** Tell the topics that the connection is lost. */
	| { do: 'lose' }
	/** Ask REST whether the key is the reason why the socket did not open. */
	| { do: 'diagnose' }
	/** Say that no socket has opened yet, for an unknown reason or one of the host. Further ones are tried. */
	| { do: 'tell_unreachable'; refusal?: string }
	/** Say that the key was refused repeatedly. Further sockets are tried at growing pauses. */
	| { do: 'tell_refused'; error: ExchangeError }
	/** Subscribe topics in one message, perhaps from the positions of their subscribers. */
	| { do: 'subscribe'; topics: readonly string[]; resumes: boolean; snapshot: boolean }
	/** Tell a topic what became of it. */
	| { do: 'tell'; topic: string; news: TopicNews }
	/** Nobody has needed the connection for some time. */
	| { do: 'tell_idle' };

/** What an error message of the service means for the topics it is about. */
export interface Refusal extends Pick<ErrorFrame, 'kind' | 'topics'> {
	error: ExchangeError;
}

export function refusalOf({ kind, topics, text, code }: ErrorFrame, apiKey: string): Refusal {
	const error = new ExchangeError(kind === 'key' ? 'unauthorized' : kind === 'forbidden' ? 'forbidden' : 'refused', {
		operation: 'Stream',
		what: 'The service refused the subscription',
		serviceMessage: excerpt(text, apiKey) || undefined,
		serviceCode: excerpt(code, apiKey) || undefined,
	});
	return { kind, topics, error };
}
