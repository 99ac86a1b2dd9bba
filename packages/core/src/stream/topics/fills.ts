import { withBusinessKey } from '../../wire/intent-key';
import { filledText, type Item } from '../../wire/payload';
import { digest, plainDecimal, recordsIn, timeOf, type TopicEvent } from './event';
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
	const facts = { data, item, fill, time, shape };
	if (keys.length === 0) return { key: contentOf(item, time), isAnonymous: true, ...facts };
	const aliases = keys.length > 1 ? keys.slice(1) : undefined;
	return { key: keys[0]!, aliases, ...facts, contentOf: () => contentOf(item, time) };
}

/** The most specific first: `id` may be that of a row or of a message. */
const identifiers = ['fill_id', 'execution_id', 'id', 'trade_id'] as const;

/** The keys of a fill. Each includes the order, because one trade may fill two orders of an account. */
function identifiersOf(item: Item, orderId: string | undefined) {
	const keys: string[] = [];
	let shape = '';
	for (const name of identifiers) {
		const identifier = filledText(item[name]);
		if (identifier === undefined) continue;
		const key = orderId === undefined ? `fill:${identifier}` : `fill:${identifier}:${orderId}`;
		if (!keys.includes(key)) keys.push(key);
		shape += name[0]!;
	}
	return { keys, shape };
}

const priceOf = ({ price, fill_price, execution_price }: Item): string | undefined =>
	plainDecimal(filledText(price) ?? filledText(fill_price) ?? filledText(execution_price));

/** Without an identifier the business fields identify a fill; its other fields may differ between stream and REST. */
function contentOf(item: Item, time: number | undefined): string {
	const content = [orderOf(item), filledText(item.side), priceOf(item), quantityOf(item), time];
	return `fill:${digest(content.filter((value) => value !== undefined).length > 1 ? content : item)}`;
}
