import { withBusinessKey } from '../../wire/intent-key';
import { filledText, firstOf, referenceIn, type Item } from '../../wire/payload';
import { recordNames } from '../../wire/records';
import { digest, idIn, plainDecimal, recordsIn, timeOf, type TopicEvent } from './event';
import type { EventsTopic } from './topic';

export const fills = {
	records: (payload) => recordsIn(payload, wrappers, isFill),
	identify,
	keeps: 'events',
	list: 'fill.list',
	isFollowed: false,
} satisfies EventsTopic;

const wrappers = ['fill', 'fills', 'execution', 'executions', 'trade', 'trades'];

/** The most specific identifiers come first: `id` may be that of a row or of a message. */
const identifiers = ['fill_id', 'execution_id', 'id', 'trade_id'] as const;
const specific = identifiers.filter((name) => name !== 'id');

/** A fact of a fill, under any of the names that a service may use for it. */
const factOf = (item: Item, fact: keyof typeof recordNames.fill): string | undefined =>
	firstOf(item, recordNames.fill[fact]);

const orderOf = (item: Item): string | undefined => factOf(item, 'order_id') ?? referenceIn(item, 'order_id');

const quantityOf = (item: Item): string | undefined => plainDecimal(factOf(item, 'quantity'));

const isFill = (item: Item): boolean => (firstOf(item, specific) ?? quantityOf(item)) !== undefined;

function identify(item: Item): TopicEvent {
	const orderId = orderOf(item);
	const quantity = quantityOf(item);
	const time = timeOf(item);
	const { keys, shape } = identifiersOf(item, orderId);
	const data = withBusinessKey(item);
	const fill = orderId && quantity ? { orderId: idIn(orderId), quantity } : undefined;
	if (keys.length === 0) return { key: contentOf({ item, time }), isAnonymous: true, data, item, fill, time, shape };
	const [key, ...others] = keys as [string, ...string[]];
	const aliases = others.length > 0 ? others : undefined;
	const orderless = orderId === undefined ? undefined : key.slice(0, key.lastIndexOf(':'));
	return { key, aliases, orderless, data, item, fill, time, shape, contentOf };
}

/** The keys of a fill. Each includes the order, because one trade may fill two orders of an account. */
function identifiersOf(item: Item, orderId: string | undefined) {
	const keys: string[] = [];
	let shape = orderId === undefined ? '' : 'o';
	for (const name of identifiers) {
		const identifier = filledText(item[name]);
		if (identifier === undefined) continue;
		const key = orderId === undefined ? `fill:${idIn(identifier)}` : `fill:${idIn(identifier)}:${idIn(orderId)}`;
		if (!keys.includes(key)) keys.push(key);
		shape += name[0]!;
	}
	return { keys, shape };
}

/** Without an identifier the business fields identify a fill; its other fields may differ between stream and REST. */
function contentOf({ item = {}, time }: Pick<TopicEvent, 'item' | 'time'>): string {
	const content = [
		orderOf(item),
		filledText(item.side)?.toLowerCase(),
		plainDecimal(factOf(item, 'price')),
		quantityOf(item),
		time,
	];
	return `fill:${digest(content.filter((value) => value !== undefined).length > 1 ? content : item)}`;
}
