import { createListWalk, unknownShape } from '../../wire/list-walk';
import { ORDER_FILLS_PAGES_MAX } from '../limits';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { fills } from '../topics/fills';
import type { Reading } from '../backfill/backfill';
import type { History } from '../backfill/history';

const LIST = 'fill.list';

/** Every fill of one order that REST shows. The filter's name is assumed, so those of other orders are left out here too. */
export async function readOrderFills(orderId: string, history: History, reading: Reading): Promise<TopicEvent[]> {
	const walk = createListWalk({
		shape: unknownShape(),
		read: (offset) => history.page(LIST, { order_id: orderId, offset }, reading),
		identityOf: (row) => fills.identify(row).key,
		// It is read whole, so nothing is gained by knowing how it is ordered.
		timeOf: () => undefined,
		isSettled: () => false,
		settledInARow: Number.POSITIVE_INFINITY,
	});
	const found: TopicEvent[] = [];
	while (walk.pages() < ORDER_FILLS_PAGES_MAX) {
		const rows = await walk.next();
		if (!rows) break;
		// Pages overlap, so copies are counted on each of them, as in every other reading of the list.
		const events = numberCopies(rows.map(fills.identify));
		found.push(...events.filter(({ fill }) => fill?.orderId === orderId));
	}
	return found;
}
