import { randomUUID } from 'node:crypto';
import { axiosHttp } from './node/http';
import type { Clock, Ports } from './ports';

/** The outside of the core in plain Node: scripts, Node-RED, tests and the demo. */
export const nodePorts = (): Ports => ({
	send: axiosHttp(),
	clock: systemClock,
	random: Math.random,
	newId: randomUUID,
});

export const systemClock: Clock = {
	now: () => Date.now(),
	after: (delayMs, action) => {
		const timer = setTimeout(action, delayMs);
		return () => clearTimeout(timer);
	},
};

export { axiosHttp } from './node/http';
export { openAccount } from './node/open';
export { wsSocket } from './node/socket';
export { fileJournal } from './node/journal';
