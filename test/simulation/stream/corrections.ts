import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { publish } from '../../../packages/sandbox/src/engine/events';
import { orderRecord } from '../../../packages/sandbox/src/engine/records';
import { isOpen } from '../../../packages/sandbox/src/engine/order-life';
import type { Random } from '../support/random';
import { OWN, PAIR } from './story';

/** A service that reduces the filled quantity it reported for an order, which our sandbox never does. */
export function correctOne({ engine: { state, events } }: Exchange, chance: Random, now: number): string | undefined {
	const ended = [...state.orders.values()].filter(
		(order) => order.accountId === OWN && order.pairId === PAIR && !isOpen(order) && order.filled > 1n,
	);
	if (ended.length === 0) return undefined;
	const order = chance.pick(ended);
	Object.assign(order, { filled: order.filled - 1n, updatedAt: now });
	const data = orderRecord(order, state.markets.get(PAIR)!.rules);
	publish(events, { topic: 'user.orders', accountId: OWN, ts: new Date(now).toISOString(), data });
	return order.id;
}
