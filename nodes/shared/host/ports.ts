import type { Ports } from '@partner-exchange/core';
import { randomInt, randomUUID } from 'crypto';
import { hostClock } from './clock';
import type { HttpHost } from './egress';
import { hostHttp } from './http';

const RANDOM_STEPS = 2 ** 40;

/** The ports of the core, made from what n8n provides. */
export const hostPorts = (host: HttpHost): Ports => ({
	send: hostHttp(host),
	clock: hostClock,
	random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
	newId: () => randomUUID(),
});
