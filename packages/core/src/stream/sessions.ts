import type { Account } from '../account';
import { isPrivate, TOPICS_PER_CONNECTION_MAX, type ConnectionStatus } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { ExchangeError, isExchangeError } from '../errors';
import type { Clock, OpenSocket } from '../ports';
import type { Commands } from './connection/commands';
import { createSession, type Session } from './connection/session';
import type { SessionChannel } from './connection/session-channel';
import { statusOf, type ConnectionState } from './connection/state';
import type { StreamState } from './contract';
import type { Subscriber } from './subscriber';

/** The connections of an account: with the key for private topics, without the key for public ones. */
export interface Sessions {
	/** Carries a topic on a connection that has room, or on a new one. `isBook`: it begins with a snapshot. */
	attach(topic: string, isBook: boolean): void;
	/** Subscribes a topic again on its connection, from the oldest position of its subscribers. */
	subscribe(topic: string): void;
	detach(topic: string): void;
	/** The state of the connection that carries a topic. */
	stateOf(topic: string): StreamState;
	/** Whether a text was sent on the connection of a topic. */
	send(topic: string, text: string): boolean;
	status(): ConnectionStatus[];
	close(): void;
}

interface SessionsPorts {
	account: Account;
	client: Pick<UntypedClient, 'call'>;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	channel(topic: string): SessionChannel | undefined;
	subscribersOf(topics: Iterable<string>): Subscriber[];
	/** They are answered on the connection with the key, and end with an unknown outcome when it is lost. */
	commands: Pick<Commands, 'answered' | 'lost'>;
	/** A connection could not be opened yet, or its key was refused repeatedly. These are its topics. */
	failed(topics: readonly string[], error: ExchangeError): void;
}

export function createSessions(ports: SessionsPorts): Sessions {
	const { account, client, clock, random, openSocket, channel, commands } = ports;
	const sessions = new Set<Session>();

	function open(access: ConnectionState['access']): Session {
		let overRest: unknown;
		const failed = (error: ExchangeError): void => {
			ports.failed(topicsOf(session), error);
			// Whoever failed has left. The session is needed if others remain.
			if (session.state.topics.size === 0) dispose(session);
		};
		const session: Session = createSession({
			access,
			account,
			clock,
			random,
			openSocket,
			channel,
			isKeyRefused: async (signal) => isExchangeError((overRest = await refusalOf(client, signal)), 'unauthorized'),
			received: (frame) =>
				frame.type === 'ignored'
					? subscribersOf(session).forEach(({ seen }) => (seen.ignored += 1))
					: commands.answered(frame),
			lost: () => {
				if (access === 'private') commands.lost();
			},
			// Where REST does not answer either, it knows why: the reason of a socket is hidden.
			unreachable: (refusal) =>
				failed(refusal === undefined && isExchangeError(overRest, 'unreachable') ? overRest : unreachable(refusal)),
			refused: failed,
			idle: () => dispose(session),
			changed: (state) => subscribersOf(session).forEach((subscriber) => subscriber.changed(state)),
		});
		sessions.add(session);
		return session;
	}

	function dispose(session: Session): void {
		sessions.delete(session);
		session.close();
	}

	const subscribersOf = (session: Session): Subscriber[] => ports.subscribersOf(topicsOf(session));
	const find = (wanted: (session: Session) => boolean): Session | undefined => [...sessions].find(wanted);
	const sessionOf = (topic: string): Session | undefined => find(({ state }) => state.topics.has(topic));

	return {
		attach: (topic, isBook) => {
			const wanted = isPrivate(topic) ? 'private' : 'public';
			const roomy = find(({ state }) => state.access === wanted && state.topics.size < TOPICS_PER_CONNECTION_MAX);
			(roomy ?? open(wanted)).attach(topic, isBook);
		},
		subscribe: (topic) => sessionOf(topic)?.subscribe(topic),
		detach: (topic) => sessionOf(topic)?.detach(topic),
		stateOf: (topic) => sessionOf(topic)?.state.phase ?? 'closed',
		send: (topic, text) => sessionOf(topic)?.send(text) ?? false,
		status: () => [...sessions].map((session) => statusOf(session.state)),
		close: () => sessions.forEach(dispose),
	};
}

const topicsOf = ({ state }: Session): string[] => [...state.topics.keys()];

/**
 * Why REST does not answer, if it does not. Only an unknown key is refused: a valid one may lack the permission to read
 * the wallet. Asked once, to have the reason before the socket is tried again.
 */
const refusalOf = (client: Pick<UntypedClient, 'call'>, signal: AbortSignal): Promise<unknown> =>
	client.call('wallet.balances', {}, { signal, retries: 0 }).then(
		() => undefined,
		(error: unknown) => error,
	);

const unreachable = (refusal?: string): ExchangeError =>
	new ExchangeError('unreachable', {
		operation: 'Stream',
		field: 'wsUrl',
		what: refusal ?? 'The Stream Address does not answer',
		advice:
			refusal === undefined
				? 'Check the Stream Address and that the service is running'
				: 'Check the Stream Address, or ask whoever runs this installation to allow it',
	});
