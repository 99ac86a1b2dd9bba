import { firstOf, textOf, type Item } from '../../wire/payload';
import { digest, plainField, recordsIn, timeOf, type TopicEvent } from './event';
import type { Topic } from './topic';

export const fills: Topic = {
	records: (payload) => recordsIn(payload, ['fill', 'fills', 'execution', 'executions', 'trade', 'trades'], isFill),
	identify,
	order: 'none',
	backfill: { from: 'list', list: 'fill.list' },
};

/** Names of a fill's identifier, the most telling first: `id` may be that of a row or of a message, and a trade has two fills. */
const identifiers = ['fill_id', 'execution_id', 'id', 'trade_id'];
const orderNames = ['order_id', 'orderId'];
const quantityNames = ['quantity', 'filled_quantity', 'fill_quantity', 'amount', 'size', 'qty'];

const isFill = (item: Item): boolean =>
	firstOf(item, ['fill_id', 'execution_id', 'trade_id']) !== undefined || plainField(item, quantityNames) !== undefined;

function identify(item: Item): TopicEvent {
	const orderId = firstOf(item, orderNames);
	const quantity = plainField(item, quantityNames);
	const time = timeOf(item);
	const [key, ...aliases] = identifiers.flatMap((name) => keyOf(name, item, orderId) ?? []);
	const fill = orderId && quantity ? { orderId, quantity } : undefined;
	const facts = { data: item, item, fill, time };
	if (key !== undefined) return { key, aliases, ...facts };
	return { key: `fill:${contentOf(item, time)}`, isAnonymous: true, ...facts };
}

/** Both sides of a trade with oneself carry its identifier, so the order belongs to it. */
function keyOf(name: string, item: Item, orderId: string | undefined): string | undefined {
	const id = textOf(item, name);
	if (id === undefined || id === '') return undefined;
	return name === 'trade_id' && orderId !== undefined ? `fill:${id}:${orderId}` : `fill:${id}`;
}

/** Without an identifier the business content stands for it; what else a copy carries may differ by the way it came. */
function contentOf(item: Item, time: number | undefined): string {
	const content = [
		firstOf(item, orderNames),
		firstOf(item, ['side']),
		plainField(item, ['price', 'fill_price', 'execution_price']),
		plainField(item, quantityNames),
		time,
	];
	return digest(content.filter((value) => value !== undefined).length > 1 ? content : item);
}
