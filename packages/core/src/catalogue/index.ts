import type { Operation } from './operation';
import { markets } from './markets';
import { orders } from './orders';
import { recipients } from './recipients';
import { simulation } from './simulation';
import { wallets } from './wallets';

/** Everything the service offers, by operation id. */
export const operations = { ...orders, ...markets, ...wallets, ...recipients, ...simulation };

export type Operations = typeof operations;
export type OperationId = keyof Operations;

export const operationIds = Object.keys(operations) as OperationId[];

/** The entry of an id, with the optional parts visible. */
export const operationOf = (id: OperationId): Operation => operations[id];

/** `order.create` as the resource and the verb it is made of. */
export function nameParts(id: OperationId): { resource: string; verb: string } {
	const [resource, verb] = id.split('.') as [string, string];
	return { resource, verb };
}

export * from './field';
export * from './shape';
export * from './additions';
export * from './operation';
export * from './statuses';
export * from './environments';
export * from './limits';
export * from './topics';
export * from './commands';
export * from './options';
export * from './pickers';
export * from './usual';
