import type { Account } from '../../account';
import { isPrivate, TOPICS_PER_CONNECTION_MAX, type ConnectionStatus } from '../../catalogue';
import type { StreamState } from '../contract';
import type { Subscriber } from '../subscriber';
import type { Commands } from './commands';
import { createConnection, type StreamConnection } from './connection';
import { type ConnectionPorts, type ConnectionState, connectionStatus } from './link';

/** The connections of an account: with the key for private topics, without the key for public ones. */
export interface StreamConnections {
	/** Carries a topic on a connection that has room, or on a new one. */
	attach(topic: string): void;
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

interface ConnectionsPorts extends Pick<
	ConnectionPorts,
	'client' | 'openSocket' | 'clock' | 'random' | 'feed' | 'failed'
> {
	account: Account;
	subscribersOf(topics: Iterable<string>): Subscriber[];
	/** The commands, which are answered on the connection with the key, and end with an unknown outcome when it is lost. */
	commands: Pick<Commands, 'answered' | 'lost'>;
}

export function createConnections(ports: ConnectionsPorts): StreamConnections {
	const { account, client, openSocket, clock, random, feed, subscribersOf, commands, failed } = ports;
	const connections = new Set<StreamConnection>();

	function open(access: ConnectionState['access']): StreamConnection {
		const connection: StreamConnection = createConnection({
			access,
			account,
			client,
			openSocket,
			clock,
			random,
			feed,
			failed,
			received: (message) => {
				if (message.type !== 'ignored') return commands.answered(message);
				for (const { seen } of subscribersOf(connection.state.topics.keys())) seen.ignored += 1;
			},
			lost: () => {
				if (access === 'private') commands.lost();
			},
			unused: () => dispose(connection),
			changed: (topics, state) => subscribersOf(topics).forEach((subscriber) => subscriber.changed(state)),
		});
		connections.add(connection);
		return connection;
	}

	function dispose(connection: StreamConnection): void {
		connections.delete(connection);
		connection.close();
	}

	const find = (wanted: (state: StreamConnection['state']) => boolean): StreamConnection | undefined =>
		[...connections].find(({ state }) => wanted(state));
	const connectionOf = (topic: string): StreamConnection | undefined => find(({ topics }) => topics.has(topic));

	return {
		attach: (topic) => {
			const wanted = isPrivate(topic) ? 'private' : 'public';
			const roomy = find(({ access, topics }) => access === wanted && topics.size < TOPICS_PER_CONNECTION_MAX);
			(roomy ?? open(wanted)).attach(topic);
		},
		subscribe: (topic) => connectionOf(topic)?.subscribe(topic),
		detach: (topic) => connectionOf(topic)?.detach(topic),
		stateOf: (topic) => connectionOf(topic)?.state.phase ?? 'closed',
		send: (topic, text) => connectionOf(topic)?.send(text) ?? false,
		status: () => [...connections].map(({ state }) => connectionStatus(state)),
		close: () => connections.forEach(dispose),
	};
}
