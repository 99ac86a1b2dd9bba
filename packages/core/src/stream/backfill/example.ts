import type { Item } from '../../wire/payload';
import type { EventFilters, StreamEvent } from '../contract';

/** An order and its fill as they look on exchanges, so that a workflow can be built before anything was traded. */
const common = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00', price: '1500.00' };
const created_at = '2026-01-31T14:32:00Z';
const examples: Readonly<Record<string, Item>> = {
	'user.fills': { id: 'example-fill', order_id: 'example-order', ...common, fee: '0.00', created_at },
	'user.orders': {
		...{ id: 'example-order', client_order_id: 'example', order_type: 'limit', ...common },
		...{ filled_quantity: '0.00', remaining_quantity: '10', avg_fill_price: null, status: 'accepted' },
		...{ time_in_force: 'GTC', created_at },
	},
};

/** What a test of a form shows of a topic without events. The mark `example` and the key tell it from an event. */
export function exampleEvent({
	topics,
	filters: { sides, pairs, statuses, minQuantity } = {},
}: {
	topics: readonly string[];
	filters?: EventFilters;
}): StreamEvent | undefined {
	const topic = topics.find((name) => Object.hasOwn(examples, name));
	if (topic === undefined) return undefined;
	const fitting: Item = {
		...(sides?.[0] ? { side: sides[0] } : {}),
		...(pairs?.[0] ? { pair_id: pairs[0] } : {}),
		...(minQuantity ? { quantity: minQuantity } : {}),
		...(topic === 'user.orders' && statuses?.[0] ? { status: statuses[0] } : {}),
	};
	const data = { example: true, ...examples[topic], ...fitting };
	return { topic, seq: null, epoch: null, ts: null, data, delivery: 'reconciled', eventKey: `example:${topic}` };
}
