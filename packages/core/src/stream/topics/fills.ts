import { filledText, firstOf, type Item } from '../../wire/payload';
import { withBusinessKey } from '../../wire/intent-key';
import { digest, plainDecimal, recordsIn, timeOf, type Likeness, type TopicEvent } from './event';
import type { Topic } from './topic';

export const fills = {
	records: (payload) => recordsIn(payload, ['fill', 'fills', 'execution', 'executions', 'trade', 'trades'], isFill),
	identify,
	keeps: 'events',
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
	const { keys, shape } = identifiersOf(item, orderId);
	const data = withBusinessKey(item);
	const fill = orderId && quantity ? { orderId, quantity } : undefined;
	const aliases = keys.length > 1 ? keys.slice(1) : undefined;
	if (keys.length > 0) return { key: keys[0]!, aliases, data, item, fill, time, shape, alike: likenessOf };
	return { key: contentOf(item, time), isAnonymous: true, data, item, fill, time, shape, alike: likenessOf };
}

/**
 * The keys of a fill, the most specific first: `id` may be that of a row or of a message, and a trade has two fills.
 * Both fills of a self-trade carry the same `trade_id`, so that key includes the order.
 */
function identifiersOf({ fill_id, execution_id, id, trade_id }: Item, orderId: string | undefined) {
	const keys: string[] = [];
	let shape = '';
	if (addKey(keys, fill_id)) shape += 'f';
	if (addKey(keys, execution_id)) shape += 'e';
	if (addKey(keys, id)) shape += 'i';
	if (addKey(keys, trade_id, orderId === undefined ? '' : `:${orderId}`)) shape += 't';
	return { keys, shape };
}

function addKey(keys: string[], value: unknown, of = ''): boolean {
	const identifier = filledText(value);
	if (identifier !== undefined) keys.push(`fill:${identifier}${of}`);
	return identifier !== undefined;
}

/**
 * One identifier may have one name on the stream and another in the list. It says so only together with the order and
 * the amounts: the identifier of a row may be that of another trade.
 */
function likenessOf({ item = {}, time, aliases }: TopicEvent): Likeness {
	const identifier = aliases ? undefined : firstOf(item, ['fill_id', 'execution_id', 'id', 'trade_id']);
	const orderId = orderOf(item);
	const content = contentOf(item, time);
	if (identifier === undefined || orderId === undefined) return { content };
	return { link: ['fill', identifier, orderId, priceOf(item), quantityOf(item)].join('|'), content };
}

const priceOf = ({ price, fill_price, execution_price }: Item): string | undefined =>
	plainDecimal(filledText(price) ?? filledText(fill_price) ?? filledText(execution_price));

/** Without an identifier the business fields identify a fill; its other fields may differ between stream and REST. */
function contentOf(item: Item, time: number | undefined): string {
	const content = [orderOf(item), filledText(item.side), priceOf(item), quantityOf(item), time];
	return `fill:${digest(content.filter((value) => value !== undefined).length > 1 ? content : item)}`;
}
