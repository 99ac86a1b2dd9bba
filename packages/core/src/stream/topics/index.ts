import { isWildcard, topics as catalogue, type TopicId } from '../../catalogue';
import { respell } from '../../wire/spelling';
import { digest, type TopicMessage, type TopicEvent } from './event';
import { fills } from './fills';
import { bookEvent, bookMark, orderBook } from './order-book';
import { orders } from './orders';
import type { Topic } from './topic';
import { trades } from './trades';

/** Every topic of the catalogue. A missing topic does not compile. */
const topics: Record<TopicId, Topic> = {
	'user.orders': orders,
	'user.fills': fills,
	trades,
	orderbook: orderBook,
};

/** The definition of an exact topic such as `trades.USD_NGN`; undefined if the service has no such topic. */
export function topicOf(exact: string): Topic | undefined {
	const id = (Object.keys(catalogue) as TopicId[]).find((name) =>
		catalogue[name].perPair ? exact.startsWith(`${name}.`) && isPairKey(exact.slice(name.length + 1)) : exact === name,
	);
	return id && topics[id];
}

/** Whether a text is one pair key. */
const isPairKey = (text: string): boolean => /^[A-Za-z0-9][\w .:-]{0,63}$/.test(text);

/** The pair key an exact topic ends in, if it is about one pair. */
export const pairKeyOf = (exact: string): string | undefined => {
	if (isWildcard(exact)) return undefined;
	const id = (Object.keys(catalogue) as TopicId[]).find((name) => exact.startsWith(`${name}.`));
	return id && catalogue[id].perPair ? exact.slice(id.length + 1) : undefined;
};

/** The events of one message. A payload of unknown shape is one event, identified by its content. */
export function eventsOf(topic: Topic, message: TopicMessage): TopicEvent[] {
	const { data } = message;
	if (data === null || (Array.isArray(data) && data.length === 0)) return [];
	if (topic.keeps === 'book') return [bookEvent(message.topic, data, bookMark(message))];
	const records = topic.records(respell(data));
	// Nearly all messages carry one record.
	if (records.length < 2) return [(records[0] && topic.identify(records[0])) ?? unknown(message, data)];
	return records.map((record) => topic.identify(record) ?? unknown(message, record));
}

const unknown = ({ topic, ts }: TopicMessage, data: unknown): TopicEvent => ({
	key: `${topic}:${digest([ts, data])}`,
	data,
});
