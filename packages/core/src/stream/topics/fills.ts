import { filledText, type Item } from '../../wire/payload';
import { digest, plainDecimal, recordsIn, timeOf, type TopicEvent } from './event';
import type { Topic } from './topic';

export const fills = {
	records: (payload) => recordsIn(payload, ['fill', 'fills', 'execution', 'executions', 'trade', 'trades'], isFill),
	identify,
	order: 'none',
	backfill: { from: 'list', list: 'fill.list' },
} satisfies Topic;

const orderOf = ({ order_id, orderId }: Item): string | undefined => filledText(order_id) ?? filledText(orderId);

const quantityOf = ({ quantity, filled_quantity, fill_quantity, amount, size, qty }: Item): string | undefined =>
	plainDecimal(
		filledText(quantity) ??
			filledText(filled_quantity) ??
			filledText(fill_quantity) ??
			filledText(amount) ??
			filledText(size) ??
			filledText(qty),
	);

const isFill = (item: Item): boolean =>
	(filledText(item.fill_id) ?? filledText(item.execution_id) ?? filledText(item.trade_id) ?? quantityOf(item)) !==
	undefined;

function identify(item: Item): TopicEvent {
	const orderId = orderOf(item);
	const quantity = quantityOf(item);
	const time = timeOf(item);
	const keys = keysOf(item, orderId);
	const fill = orderId && quantity ? { orderId, quantity } : undefined;
	const aliases = keys.length > 1 ? keys.slice(1) : undefined;
	if (keys.length > 0) return { key: keys[0]!, aliases, data: item, item, fill, time };
	return { key: `fill:${contentOf(item, time)}`, isAnonymous: true, data: item, item, fill, time };
}

/**
 * The keys of a fill, the most specific first: `id` may be that of a row or of a message, and a trade has two fills.
 * Both fills of a self-trade carry the same `trade_id`, so that key includes the order.
 */
function keysOf({ fill_id, execution_id, id, trade_id }: Item, orderId: string | undefined): string[] {
	const keys: string[] = [];
	addKey(keys, fill_id);
	addKey(keys, execution_id);
	addKey(keys, id);
	addKey(keys, trade_id, orderId === undefined ? '' : `:${orderId}`);
	return keys;
}

function addKey(keys: string[], given: unknown, of = ''): void {
	const identifier = filledText(given);
	if (identifier !== undefined) keys.push(`fill:${identifier}${of}`);
}

/** Without an identifier the business fields identify a fill; its other fields may differ between stream and REST. */
function contentOf(item: Item, time: number | undefined): string {
	const content = [
		orderOf(item),
		filledText(item.side),
		plainDecimal(filledText(item.price) ?? filledText(item.fill_price) ?? filledText(item.execution_price)),
		quantityOf(item),
		time,
	];
	return digest(content.filter((value) => value !== undefined).length > 1 ? content : item);
}
