import { unknownShape } from '../../wire/list-shape';
import { createListWalk } from '../../wire/list-walk';
import { ORDER_FILLS_PAGES_MAX } from '../limits';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { fills } from '../topics/fills';
import type { History, ReadOptions } from '../backfill/history';

const LIST = 'fill.list';

/** Reads every fill of one order. The name of the filter is assumed, so fills of other orders are removed here too. */
export async function readOrderFills(orderId: string, history: History, options: ReadOptions): Promise<TopicEvent[]> {
	const walk = createListWalk({
		shape: unknownShape(),
		read: (offset) => history.page(LIST, { order_id: orderId, offset }, options),
		identityOf: (row) => fills.identify(row).key,
		// The list is read to its end, so its order does not matter.
		timeOf: () => undefined,
		isSettled: () => false,
		settledInARow: Number.POSITIVE_INFINITY,
	});
	const all: TopicEvent[] = [];
	while (walk.pages() < ORDER_FILLS_PAGES_MAX) {
		const rows = await walk.next();
		if (!rows) break;
		// Pages may overlap, so copies are numbered per page, as in the backfills of this list.
		const events = numberCopies(rows.map(fills.identify));
		all.push(...events.filter(({ fill }) => fill?.orderId === orderId));
	}
	return all;
}
