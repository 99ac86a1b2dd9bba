import { isPrivate, TOPICS_PER_CONNECTION_MAX, type ConnectionStatus } from '../../catalogue';
import type { StreamState } from '../contract';
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

export function createConnections(ports: ConnectionPorts): StreamConnections {
	const connections = new Set<StreamConnection>();

	function open(access: ConnectionState['access']): StreamConnection {
		const connection = createConnection(access, ports, () => dispose(connection));
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
