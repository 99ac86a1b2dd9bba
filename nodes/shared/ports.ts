import type { Ports } from '@partner-exchange/core';
import { randomInt, randomUUID } from 'crypto';
import { hostClock } from './clock';
import { hostHttp, type HttpHost } from './http';

const RANDOM_STEPS = 2 ** 40;

/** The core's ports inside n8n, made of the host's own facilities and nothing else. */
export const hostPorts = (host: HttpHost): Ports => ({
	send: hostHttp(host),
	clock: hostClock,
	random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
	newId: () => randomUUID(),
});
