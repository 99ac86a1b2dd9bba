import { randomUUID } from 'node:crypto';
import { HANDSHAKE_MS_MAX } from '../stream/limits';
import type { StreamingPorts } from '../ports';
import { systemClock } from './clock';
import { nodeHttp } from './http';
import { socketWithin } from './socket';
import type { Sender } from './user-agent';

/**
 * The core's ports for plain Node: HTTP, WebSocket, the system's clock, randomness. Never throws.
 *
 * @example
 * const client = createClient(account, nodePorts());
 */
export const nodePorts = (sender: Sender = 'script'): StreamingPorts => ({
	send: nodeHttp(undefined, sender),
	openSocket: socketWithin(HANDSHAKE_MS_MAX, undefined, sender),
	clock: systemClock,
	random: Math.random,
	newId: randomUUID,
});
