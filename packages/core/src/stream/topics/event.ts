import { hash } from 'node:crypto';
import { isDecimal, withoutZeros } from '../../decimal';
import { firstOf, isItem, orderIdOf, textOf, type Item } from '../../wire/payload';
import { finality, operationOf } from '../../catalogue';

/** One business event, from the stream or from a list, with what is needed to recognise and to filter it. */
export interface TopicEvent {
	/** The same for the same event, by whatever way it comes. */
	key: string;
	data: unknown;
	/** Set for updates of orders that can be followed. */
	order?: OrderFacts;
	/** Set for fills that name their order. */
	fill?: { orderId: string; quantity: string };
	/** The number a public trade carries, which is not the number of the message. */
	sequence?: number;
	/** When it was created, in milliseconds, where it says so and is not placed by a sequence. */
	time?: number;
	/** The data, where its shape is known. */
	item?: Item;
}

/** Where it stands in its list: the sequence of a public trade, or the milliseconds of its creation. */
export const placeOf = ({ sequence, time }: Pick<TopicEvent, 'sequence' | 'time'>): number | undefined =>
	sequence ?? time;

export interface OrderFacts {
	id: string;
	status: string;
	/** Normalised; undefined where the update does not say. */
	filled?: string;
	replacedBy?: string;
}

export type TopicKind = 'orders' | 'fills' | 'trades' | 'book' | 'other';

/** A wildcard is of no kind itself; what comes for it names its exact topic. */
export function kindOfTopic(topic: string): TopicKind {
	if (topic.endsWith('*')) return 'other';
	if (topic === 'user.orders') return 'orders';
	if (topic === 'user.fills') return 'fills';
	if (topic.startsWith('trades.')) return 'trades';
	return topic.startsWith('orderbook.') ? 'book' : 'other';
}

/** Levels of lists and wrappings a payload is looked through for what it is about. */
const PAYLOAD_DEPTH_MAX = 4;

/** What one message of a topic reports. A payload of unknown shape is one event known by its content. */
export function eventsIn(topic: string, data: unknown, ts: string | null, mark: string): TopicEvent[] {
	const kind = kindOfTopic(topic);
	if (kind === 'book') return [bookEvent(topic, data, mark)];
	const known: TopicEvent[] = [];
	const items = itemsOf(data, kind);
	for (const item of items) {
		const event = topicEventOf(kind, item);
		if (event) known.push(event);
	}
	return known.length > 0 && known.length === items.length ? known : [{ key: `${topic}:${digest([ts, data])}`, data }];
}

/** One item of a list or a payload; nothing if it has no identity. */
export function topicEventOf(kind: TopicKind, item: Item): TopicEvent | undefined {
	if (kind === 'orders') return orderEvent(item);
	if (kind === 'fills') return fillEvent(item);
	return kind === 'trades' ? tradeEvent(item) : undefined;
}

/** The payload shapes are not shown: bare, under the name of the thing, or a list of either. (Interface, part 6.) */
function itemsOf(data: unknown, kind: TopicKind, depth = PAYLOAD_DEPTH_MAX): Item[] {
	if (depth === 0) return [];
	if (Array.isArray(data)) return data.flatMap((entry) => itemsOf(entry, kind, depth - 1));
	if (!isItem(data)) return [];
	const name = innerNames[kind].find((candidate) => typeof data[candidate] === 'object' && data[candidate] !== null);
	return name === undefined ? [data] : itemsOf(data[name], kind, depth - 1);
}

const innerNames: Record<TopicKind, readonly string[]> = {
	orders: ['order', 'orders'],
	fills: ['fill', 'fills'],
	trades: ['trade', 'trades'],
	book: [],
	other: [],
};

function orderEvent(item: Item): TopicEvent | undefined {
	const id = orderIdOf(item);
	const status = textOf(item, 'status');
	if (id === undefined || status === undefined) return undefined;
	const filled = plainDecimal(textOf(item, 'filled_quantity'));
	const replaced = isItem(item.replace) ? textOf(item.replace, 'replaced_by_order_id') : undefined;
	const order = { id, status, filled, replacedBy: replaced };
	const key = `order:${id}:${status}:${filled ?? '-'}${replaced ? `:${replaced}` : ''}`;
	return { key, data: item, item, order, time: timeOf(item) };
}

function fillEvent(item: Item): TopicEvent | undefined {
	const identity = identityIn(item, 'fill.list');
	const orderId = firstOf(item, ['order_id', 'orderId']);
	const quantity = plainDecimal(firstOf(item, ['quantity', 'filled_quantity', 'amount', 'size']));
	// Without an identity the whole content stands for it, and a second fill of equal content cannot be told apart.
	const key = identity ?? digest(item);
	const fill = orderId && quantity ? { orderId, quantity } : undefined;
	return { key: `fill:${key}`, data: item, item, fill, time: timeOf(item) };
}

function tradeEvent(item: Item): TopicEvent | undefined {
	const identity = identityIn(item, 'market.trades');
	if (identity === undefined) return undefined;
	const sequence = sequenceOf(item);
	return {
		key: `trade:${identity}`,
		data: item,
		item,
		sequence,
		time: sequence === undefined ? timeOf(item) : undefined,
	};
}

/** A book is known by where it stood on the stream, or by the reading that brought it. */
export function bookEvent(topic: string, data: unknown, mark: string): TopicEvent {
	const item = isItem(data) ? data : undefined;
	return { key: `${topic}:${mark}`, data, item, sequence: sequenceOf(item) };
}

/** In milliseconds since 1970. */
export function timeOf(item: Item): number | undefined {
	const time = Date.parse(firstOf(item, ['created_at', 'executed_at', 'filled_at', 'timestamp', 'time', 'ts']) ?? '');
	return Number.isNaN(time) ? undefined : time;
}

/** The number a payload carries, which is not the number of the message. */
export function sequenceOf(data: unknown): number | undefined {
	const sequence = isItem(data) ? data.sequence : undefined;
	const number = typeof sequence === 'string' && sequence !== '' ? Number(sequence) : sequence;
	return Number.isSafeInteger(number) ? (number as number) : undefined;
}

const identityIn = (item: Item, list: 'fill.list' | 'market.trades'): string | undefined =>
	firstOf(item, operationOf(list).list!.identity);

const plainDecimal = (text: string | undefined): string | undefined =>
	isDecimal(text) ? withoutZeros(text) : undefined;

export const isFinal = (status: string): boolean => finality(status) === 'final';

/** A short name for content, the same whatever the order of its fields. */
export function digest(value: unknown): string {
	const text = typeof value === 'string' ? value : canonical(value);
	return hash('sha256', text, 'base64url').slice(0, 16);
}

function canonical(value: unknown): string {
	const sorted = (_: string, inner: unknown): unknown =>
		isItem(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
	try {
		return JSON.stringify(value, sorted) ?? 'undefined';
	} catch {
		// Nested more deeply than can be walked.
		return 'too deep';
	}
}
