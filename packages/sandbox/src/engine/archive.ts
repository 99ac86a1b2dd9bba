import type { Fill, Order } from './order';
import type { IdempotencyRecord, State } from './state';

/**
 * Finished orders, fills and old idempotency keys that were moved from memory to disk. Readers see no difference, so a
 * replay of the journal gives the same result whatever had been archived before.
 */
export interface Archive {
	/** False if there is no archive: finished records then stay in memory, and the oldest are dropped. */
	keeps: boolean;
	order(id: string): Order | undefined;
	/** The numbers of an account's orders, newest first. */
	orderNumbers(accountId: string, wanted: WantedOrders, max: number): number[];
	orderAt(number: number): Order;
	countOrders(accountId: string, wanted: WantedOrders): number;
	/** An account's fills, newest first. */
	fills(accountId: string, wanted: WantedFills, part: { offset: number; max: number }): Fill[];
	countFills(accountId: string, wanted: WantedFills): number;
	key(accountId: string, key: string): IdempotencyRecord | undefined;
}

export interface WantedOrders {
	status?: string | undefined;
	pairId?: string | undefined;
	/** Only orders created by this time. */
	until?: number | undefined;
}

export interface WantedFills {
	pairId?: string | undefined;
	orderId?: string | undefined;
}

export const noArchive: Archive = {
	keeps: false,
	order: () => undefined,
	orderNumbers: () => [],
	orderAt(number) {
		throw new Error(`There is no order ${number} on the disk`);
	},
	countOrders: () => 0,
	fills: () => [],
	countFills: () => 0,
	key: () => undefined,
};

/** Records that move from memory to the archive, oldest first. */
export interface Retired {
	orders: Order[];
	fills: { accountId: string; fill: Fill }[];
	keys: { accountId: string; key: string; record: IdempotencyRecord }[];
	/** Idempotency keys used up to this time have expired. */
	keysExpiredAt: number;
}

/** How many finished orders stay in memory in total, and how many fills and idempotency keys per account. */
const FINISHED_KEPT_DEFAULT = 10_000;

/** Removes finished records above the limit from the state, and returns them. */
export function retire(state: State, keptMax = FINISHED_KEPT_DEFAULT): Retired {
	const keysExpiredAt = state.now - state.settings.keyRetentionMs;
	const retired: Retired = { orders: retireOrders(state, keptMax), fills: [], keys: [], keysExpiredAt };
	for (const { id: accountId, fills, idempotency } of state.accounts.values()) {
		for (const fill of fills.splice(0, Math.max(0, fills.length - keptMax))) retired.fills.push({ accountId, fill });
		let beyond = idempotency.size - keptMax;
		for (const [key, record] of idempotency) {
			if (beyond-- <= 0) break;
			idempotency.delete(key);
			if (record.at > keysExpiredAt) retired.keys.push({ accountId, key, record });
		}
	}
	return retired;
}

function retireOrders(state: State, keptMax: number): Order[] {
	const orders: Order[] = [];
	for (const id of state.closed) {
		if (state.closed.size <= keptMax) break;
		orders.push(state.orders.get(id) as Order);
		state.closed.delete(id);
		state.orders.delete(id);
	}
	const owners = new Set(orders.map(({ accountId }) => state.accounts.get(accountId)));
	for (const owner of owners) if (owner) owner.orders = owner.orders.filter((id) => state.orders.has(id));
	return orders;
}
