import type { OperationId } from '@partner-exchange/core/catalogue';
import type { Call, Claim } from './record';

/** What an error claims that is no refusal. */
export const claims: Readonly<{ [code: string]: Claim['is'] }> = {
	outcome_unknown: 'unknown',
	aborted: 'stopped',
	time_limit: 'ended',
	unfilled: 'ended',
	rejected: 'ended',
};

export type Said = Omit<Claim, 'at' | 'order'>;

export const ids: Readonly<{ [kind in Call['kind']]: OperationId }> = {
	create: 'order.create',
	cancel: 'order.cancel',
	replace: 'order.replace',
};

export const kindOf = (operation: OperationId): Call['kind'] =>
	(Object.keys(ids) as Call['kind'][]).find((entry) => ids[entry] === operation)!;

export const jumped = (jumps: readonly { at: number; byMs: number }[], now: number): number =>
	jumps.filter(({ at }) => at <= now).reduce((sum, { byMs }) => sum + byMs, 0);

/** Every payload of a simulation has its own quantity; a cancel has none. */
export const subjectOf = ({ quantity, price, order_id }: Readonly<{ [name: string]: unknown }>): string =>
	quantity === undefined ? String(order_id) : `${String(quantity)}@${String(price ?? 'market')}`;
