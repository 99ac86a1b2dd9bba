import { randomUUID } from 'node:crypto';
import { systemClock } from './node/clock';
import { nodeHttp } from './node/http';
import type { Sender } from './node/user-agent';
import type { Ports } from './ports';

/**
 * The core's ports for plain Node: HTTP, the system's clock, randomness. Never throws.
 *
 * @example
 * const client = createClient(account, nodePorts());
 */
export const nodePorts = (sender: Sender = 'script'): Ports => ({
	send: nodeHttp(undefined, sender),
	clock: systemClock,
	random: Math.random,
	newId: randomUUID,
});

export { systemClock } from './node/clock';
export { nodeHttp } from './node/http';
export { openAccount } from './node/open';
export { socketOf, wsSocket } from './node/socket';
export { fileJournal } from './node/journal';
