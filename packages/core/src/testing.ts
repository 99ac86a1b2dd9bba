/** Internals for tests, simulations and benchmarks. They may change with every release. */
export { acceptAccount } from './account';
export { createPaces } from './wire/pace';
export { createRegistry } from './stream/registry';
export { itemsIn, orderIdOf, orderIn } from './wire/payload';
export { levelsOf, recordNames, type RecordKind } from './wire/records';
export { orderMachine, type Machine } from './orders/machine/machine';
export { orderPolicy, type Policy } from './orders/machine/policy';
export { streamPolicy, type StreamPolicy } from './stream/policy';
