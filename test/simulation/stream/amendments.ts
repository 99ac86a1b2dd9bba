import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { openQuantity } from '../../../packages/sandbox/src/engine/book';
import { publish } from '../../../packages/sandbox/src/engine/events';
import { bookRecord, orderRecord } from '../../../packages/sandbox/src/engine/records';
import type { Random } from '../support/random';
import { openOrders, OWN, PAIR } from './story';
import { BOOK } from './truth';

/** A service that reduces a resting order in place, under the same ID, which our sandbox never does. */
export function amendOne(exchange: Exchange, chance: Random, now: number): string | undefined {
	const { state, events } = exchange.engine;
	const market = state.markets.get(PAIR)!;
	const { book } = market;
	const resting = openOrders(exchange, OWN).filter(
		(order) => order.status !== 'pending' && order.price !== null && !order.closing && openQuantity(order) > 1n,
	);
	if (resting.length === 0) return undefined;
	const order = chance.pick(resting);
	const side = book[order.side];
	const level = side.levels.find(({ price }) => price === order.price);
	if (!level) return undefined;
	Object.assign(level, { quantity: level.quantity - 1n });
	Object.assign(order, { quantity: order.quantity - 1n, updatedAt: now });
	const ts = new Date(now).toISOString();
	const data = orderRecord(order, market.rules);
	Object.assign(book, { sequence: book.sequence + 1 });
	const { pair_id, sequence, timestamp, ...sides } = bookRecord(market, now, Number.MAX_SAFE_INTEGER);
	const changed = (name: keyof typeof sides) => sides[name].filter(({ price }) => price === data.price);
	const [bids, asks] = order.side === 'buy' ? [changed('bids'), []] : [[], changed('asks')];
	publish(events, { topic: BOOK, accountId: null, ts, data: { pair_id, bids, asks, sequence, timestamp } });
	publish(events, { topic: 'user.orders', accountId: OWN, ts, data });
	return order.id;
}
