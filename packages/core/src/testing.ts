/** Internals for tests, simulations and benchmarks. They may change with every release. */
import type { AccountInput } from './account';
import { createClient } from './client/client';
import type { Client, ClientHost } from './client/contract';
import type { Machine } from './orders/machine/machine';
import type { Ports } from './ports';
import type { Stream } from './stream/contract';
import { createStream, type SimulatedPorts } from './stream/stream';

/** A client whose intents run on another state machine. */
export const createClientOn: (account: AccountInput, ports: Ports, host: ClientHost & { machine: Machine }) => Client =
	createClient;

/** A stream with other intervals and limits. */
export const createStreamBy: (ports: SimulatedPorts) => Stream = createStream;

export { acceptAccount } from './account';
export { createRateLimiters } from './wire/rate-limiter';
export { createRegistry } from './stream/registry';
export { itemsIn, orderIdOf, orderIn } from './wire/payload';
export { levelsOf, recordNames, type RecordKind } from './wire/records';
export { orderMachine, type Machine } from './orders/machine/machine';
export { orderPolicy, type Policy } from './orders/machine/policy';
export { streamPolicy, type StreamPolicy } from './stream/policy';
