import type { ExchangeError } from '../../errors';
import type { StreamState } from '../contract';
import type { Position } from '../position';
import type { Frame } from './frames';
import type { Refusal } from './refusal';
import type { TopicNews } from './session-channel';

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
	| { type: 'paused'; limitMs: number }
	| { type: 'continued' }
	/** The timer rang at the moment that `wakesAt` gave. */
	| { type: 'woken'; chance: number }
	| { type: 'given_up' };

/** What the session has to do, in this order. */
export type ConnectionEffect =
	/** Open a socket with this number. */
	| { do: 'open'; socket: number }
	| { do: 'terminate' }
	| { do: 'send'; text: string }
	/** Stop and resume reading, where the host can. */
	| { do: 'pause' }
	| { do: 'resume' }
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
	/** Subscribe topics in one message, some of them from the position of their subscribers. */
	| { do: 'subscribe'; topics: readonly string[]; resumes: readonly string[]; snapshot: boolean }
	/** Tell a topic what became of it. */
	| { do: 'tell'; topic: string; news: TopicNews }
	/** Nobody has needed the connection for some time. */
	| { do: 'tell_idle' };
