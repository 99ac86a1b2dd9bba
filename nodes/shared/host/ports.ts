import type { StreamingPorts } from '@partner-exchange/core/adapters';
import { randomInt, randomUUID } from 'crypto';
import { hostClock } from './clock';
import type { HttpHost } from './egress';
import { hostHttp } from './http';
import { hostSocket } from './socket';

const RANDOM_STEPS = 2 ** 40;

/** The ports of the core, made from what n8n provides. */
export const hostPorts = (host: HttpHost): StreamingPorts => ({
	send: hostHttp(host),
	openSocket: hostSocket(host),
	clock: hostClock,
	random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
	newId: () => randomUUID(),
});
