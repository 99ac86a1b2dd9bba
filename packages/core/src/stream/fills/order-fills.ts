import { unknownShape } from '../../wire/list-shape';
import type { History, ReadOptions } from '../backfill/history';
import { walkList } from '../backfill/list-walk';
import { ORDER_FILLS_PAGES_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import { fills } from '../topics/fills';

/** Reads every fill of one order. The name of the filter is assumed, so fills of other orders are removed here too. */
export async function readOrderFills(orderId: string, history: History, options: ReadOptions): Promise<TopicEvent[]> {
	const { identify, backfill } = fills;
	const toTheEnd = { shape: unknownShape(), settledInARow: Infinity, isToTheEnd: true, isSettled: () => false };
	const walk = walkList({ ...backfill, identify, history, options }, { query: { order_id: orderId }, ...toTheEnd });
	const all: TopicEvent[] = [];
	while (walk.pages() < ORDER_FILLS_PAGES_MAX) {
		const page = await walk.next();
		if (!page) break;
		all.push(...page.filter(({ fill }) => fill?.orderId === orderId));
	}
	return all;
}
