import { randomUUID } from 'node:crypto';
import { HANDSHAKE_MS_MAX } from '../stream/limits';
import type { OpenSocket, Ports } from '../ports';
import { systemClock } from './clock';
import { nodeHttp } from './http';
import { socketWithin } from './socket';
import type { Sender } from './user-agent';

/** What the core is given in plain Node, its way to open a stream included. */
export type NodePorts = Ports & { openSocket: OpenSocket };

/**
 * The core's ports for plain Node: HTTP, WebSocket, the system's clock, randomness. Never throws.
 *
 * @example
 * const client = createClient(account, nodePorts());
 */
export const nodePorts = (sender: Sender = 'script'): NodePorts => ({
	send: nodeHttp(undefined, sender),
	openSocket: socketWithin(HANDSHAKE_MS_MAX, undefined, sender),
	clock: systemClock,
	random: Math.random,
	newId: randomUUID,
});
