import { randomUUID } from 'node:crypto';
import { assertKind, oneOf } from '../given';
import { HANDSHAKE_MS_MAX } from '../stream/limits';
import type { StreamingPorts } from '../ports';
import { systemClock } from './clock';
import { nodeHttp } from './http';
import { socketWithin } from './socket';
import type { Sender } from './user-agent';

/**
 * The core's ports for plain Node: HTTP, WebSocket, the system's clock, randomness.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a sender that there is not.
 *
 * @example
 * const client = createClient(account, nodePorts());
 */
export function nodePorts(sender: Sender = 'script'): StreamingPorts {
	assertKind(sender, oneOf('script', 'node-red'), { of: 'The sender', field: 'sender' });
	return {
		send: nodeHttp(undefined, sender),
		openSocket: socketWithin(HANDSHAKE_MS_MAX, undefined, sender),
		clock: systemClock,
		random: Math.random,
		newId: randomUUID,
	};
}
