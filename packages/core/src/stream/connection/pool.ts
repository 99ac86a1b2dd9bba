import type { Account } from '../../account';
import { isPrivate, TOPICS_PER_CONNECTION_MAX, type ConnectionStatus } from '../../catalogue';
import type { Client } from '../../client/contract';
import { ExchangeError, isExchangeError } from '../../errors';
import type { StreamState } from '../contract';
import { PAUSE_MS_MAX, SHARED_PAUSE_MS_MAX } from '../limits';
import type { Frame } from './frames';
import { createSession, type Session, type SessionPorts } from './session';
import type { SessionChannel } from './session-channel';

/** The connections of an account: with the key for private topics, without the key for public ones. */
export interface SessionPool {
	/** The connection that carries a topic. */
	sessionOf(topic: string): Session | undefined;
	/** Whether a text was sent on the connection of a topic. */
	send(topic: string, text: string): boolean;
	/** Pauses reading on the connections of some topics. */
	pause(topics: readonly string[]): void;
	/** Resumes reading, except on connections where the queue of another subscriber is still full. */
	resume(topics: readonly string[]): void;
	attach(channel: SessionChannel): void;
	detach(channel: SessionChannel): void;
	/** The state of each connection. */
	status(): ConnectionStatus[];
	close(): void;
}

export interface SessionPoolPorts extends Pick<SessionPorts, 'openSocket' | 'clock' | 'random'> {
	account: Account;
	client: Pick<Client, 'call'>;
	received(frame: Frame): void;
	/** Whether a connection serves more than one subscriber. */
	isShared(session: Session): boolean;
	/** A message that could not be understood. */
	ignored(session: Session): void;
	/** The connection with the key was lost; its pending commands end with an unknown outcome. */
	lost(): void;
	/** A connection failed or its key was refused; returns whether it is still needed. */
	failed(session: Session, error: ExchangeError): boolean;
	changed(session: Session, state: StreamState): void;
}

export function createSessionPool(ports: SessionPoolPorts): SessionPool {
	const { account, client, clock, random, openSocket } = ports;
	const sessions: { session: Session; keyed: boolean; asking: AbortController }[] = [];

	const paused = new Set<Session>();

	function open(keyed: boolean): Session {
		const asking = new AbortController();
		const failed = (error: ExchangeError): void => {
			if (!ports.failed(session, error)) dispose(session);
		};
		const session: Session = createSession({
			account,
			clock,
			random,
			openSocket,
			url: streamUrl(account, keyed),
			diagnose: (status) => diagnose(keyed, status, asking.signal),
			received: (frame) => (frame.type === 'ignored' ? ports.ignored(session) : ports.received(frame)),
			lost: () => {
				if (keyed) ports.lost();
			},
			unreachable: (refusal) => failed(unreachable(refusal)),
			refused: failed,
			idle: () => dispose(session),
			changed: (state) => ports.changed(session, state),
		});
		sessions.push({ session, keyed, asking });
		return session;
	}

	/** Tells a refused key from a dead network. Where the host hides the HTTP status, one REST read decides. */
	async function diagnose(
		keyed: boolean,
		status: number | undefined,
		signal: AbortSignal,
	): Promise<ExchangeError | undefined> {
		if (!keyed) return undefined;
		if (status === 401 || status === 403) return refusedKey(status);
		if (status !== undefined) return undefined;
		try {
			await client.call('wallet.balances', {}, { signal });
		} catch (error) {
			// Other errors prove nothing about the key: a valid key may lack the permission to read the wallet.
			if (isExchangeError(error, 'unauthorized')) return refusedKey(401);
		}
		return undefined;
	}

	function dispose(session: Session): void {
		const index = sessions.findIndex((entry) => entry.session === session);
		sessions[index]?.asking.abort();
		if (index >= 0) sessions.splice(index, 1);
		paused.delete(session);
		session.close();
	}

	const sessionOf = (topic: string): Session | undefined =>
		sessions.find(({ session }) => session.channels.has(topic))?.session;

	const all = (topics: readonly string[]): Session[] => [...new Set(topics.flatMap((topic) => sessionOf(topic) ?? []))];

	return {
		sessionOf,
		send: (topic, text) => sessionOf(topic)?.send(text) ?? false,
		pause: (topics) => {
			for (const session of all(topics)) {
				paused.add(session);
				session.pause(() => (ports.isShared(session) ? SHARED_PAUSE_MS_MAX : PAUSE_MS_MAX));
			}
		},
		resume: (topics) => {
			// This runs after every batch, when a session is almost never paused.
			for (const session of paused.size > 0 ? all(topics) : []) {
				if (![...session.channels.values()].every((channel) => channel.hasRoom())) continue;
				paused.delete(session);
				session.resume();
			}
		},
		attach: (channel) => {
			const keyed = isPrivate(channel.topic);
			const roomy = sessions.find(
				(entry) => entry.keyed === keyed && entry.session.channels.size < TOPICS_PER_CONNECTION_MAX,
			);
			(roomy?.session ?? open(keyed)).attach(channel);
		},
		detach: (channel) => sessionOf(channel.topic)?.detach(channel),
		status: () =>
			sessions.map(({ session, keyed }) => ({
				access: keyed ? 'private' : 'public',
				...session.status(),
			})),
		close: () => {
			for (const { session } of [...sessions]) dispose(session);
		},
	};
}

/** The address of the stream. Public topics are read without the key. (Interface, part 5.) */
function streamUrl(account: Account, keyed: boolean): string {
	const url = new URL(account.wsUrl);
	if (keyed) url.searchParams.set('token', account.apiKey);
	return url.href;
}

const refusedKey = (status: number): ExchangeError =>
	new ExchangeError(status === 403 ? 'forbidden' : 'unauthorized', {
		operation: 'Stream',
		status,
		what: status === 403 ? 'The key may not open the stream' : 'The service does not know this key',
	});

const unreachable = (refusal?: string): ExchangeError =>
	new ExchangeError('unreachable', {
		operation: 'Stream',
		what: refusal ?? 'The Stream Address does not answer',
		advice:
			refusal === undefined
				? 'Check the Stream Address and that the service is running'
				: 'Check the Stream Address, or ask whoever runs this installation to allow it',
	});
