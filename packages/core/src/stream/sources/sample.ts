import type { topics as catalogue, TopicId } from '../../catalogue';
import { compareWhole } from '../../whole';
import type { Item } from '../../wire/payload';
import type { EventFilters, StreamEvent } from '../contract';
import { eventFilter } from '../filter';
import { pairKeyOf, topicOf } from '../topics';
import { type TopicEvent, timeOf } from '../topics/event';
import { bookEvent } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import { type History, type HistoryReader, createHistory } from './history';

/**
 * Reads an event of some topics over REST, the newest on the first pages of their lists, for an editor to show before a live
 * event arrives. It moves no checkpoint and does not use the stream.
 */
export async function sampleEvent(
	reader: HistoryReader,
	{ topics, filters = {} }: { topics: readonly string[]; filters?: EventFilters },
	signal: AbortSignal = new AbortController().signal,
): Promise<StreamEvent | undefined> {
	const history = createHistory(reader);
	const passes = eventFilter(filters);
	const latest: { topic: string; event: TopicEvent }[] = [];
	for (const name of topics) {
		const topic = topicOf(name);
		const events = topic ? await newestOf(name, topic, history, signal) : [];
		const event = events.filter((one) => passes(one, name)).at(-1);
		if (event) latest.push({ topic: name, event });
	}
	const [newest] = latest.sort((a, b) => createdAt(b.event) - createdAt(a.event));
	return newest && shown(newest.topic, newest.event.data, newest.event.key);
}

/** The events on the first page of one topic, newest last. */
async function newestOf(name: string, topic: Topic, history: History, signal: AbortSignal): Promise<TopicEvent[]> {
	const input = pairKeyOf(name) === undefined ? {} : { pair_id: await history.pairOf(name, signal) };
	if (topic.keeps === 'book') return [bookEvent(name, await history.read(topic.snapshot, input, signal), 'sample')];
	const events = (await history.page(topic.list, input, signal)).flatMap((row) => topic.identify(row) ?? []);
	const by = topic.keeps === 'sequence' ? 'sequence' : 'time';
	return events.sort((a, b) => compareWhole(a[by] ?? 0, b[by] ?? 0));
}

const createdAt = ({ item }: TopicEvent): number => (item && timeOf(item)) ?? 0;

const shown = (topic: string, data: unknown, eventKey: string): StreamEvent => ({
	topic,
	seq: null,
	epoch: null,
	ts: null,
	data,
	delivery: 'reconciled',
	eventKey,
});

/** Topics of an account may have no event yet. A topic without an example does not compile. */
type AccountTopicId = {
	[Id in TopicId]: (typeof catalogue)[Id]['access'] extends 'public' ? never : Id;
}[TopicId];

/** An order and its fill as they look on exchanges, so that a workflow can be built before anything was traded. */
const common = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00', price: '1500.00', business_key: 'example' };
const created_at = '2026-01-31T14:32:00Z';
const examples: Readonly<Record<AccountTopicId, Item>> = {
	'user.fills': { id: 'example-fill', order_id: 'example-order', ...common, fee: '0.00', created_at },
	'user.orders': {
		id: 'example-order',
		client_order_id: 'example',
		order_type: 'limit',
		...common,
		filled_quantity: '0.00',
		remaining_quantity: '10',
		avg_fill_price: null,
		status: 'accepted',
		time_in_force: 'GTC',
		created_at,
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
	const topic = topics.find((name): name is AccountTopicId => Object.hasOwn(examples, name));
	if (topic === undefined) return undefined;
	const fitting: Item = {
		...(sides?.[0] ? { side: sides[0] } : {}),
		...(pairs?.[0] ? { pair_id: pairs[0] } : {}),
		...(minQuantity ? { quantity: minQuantity } : {}),
		...(topic === 'user.orders' && statuses?.[0] ? { status: statuses[0] } : {}),
	};
	return shown(topic, { example: true, ...examples[topic], ...fitting }, `example:${topic}`);
}
