import type { Ports } from '@partner-exchange/core';
import { randomInt, randomUUID } from 'crypto';
import { hostClock } from './clock';
import { hostHttp, type HttpHost } from './http';

const RANDOM_STEPS = 2 ** 40;

/** The outside of the core inside n8n: the host's own facilities and nothing else. */
export const hostPorts = (host: HttpHost): Ports => ({
	send: hostHttp(host),
	clock: hostClock,
	random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
	newId: () => randomUUID(),
});
