import type { EventFilters, StreamEvent } from '../contract';
import { passes } from '../delivery/filter';
import { kindOfTopic, timeOf, type TopicEvent } from '../topics/event';
import { pairOf } from './pair';
import { streamPolicy } from '../policy';
import { readBaseline, readHistory, type HistoryReader } from './history';

/**
 * The newest thing that really happened on some topics, read over REST: what an editor shows before a live one comes.
 * It moves no position and asks nothing of the stream.
 */
export async function sampleEvent(
	reader: HistoryReader,
	{ topics, filters = {} }: { topics: readonly string[]; filters?: EventFilters },
	signal: AbortSignal = new AbortController().signal,
): Promise<StreamEvent | undefined> {
	const latest: { topic: string; event: TopicEvent }[] = [];
	for (const topic of topics) {
		const isBook = kindOfTopic(topic) === 'book';
		const query = { topic, reader, pair: pairOf(topic, reader), signal };
		const { events } = await (isBook
			? readHistory({ ...query, cursors: [], turn: 0, policy: streamPolicy })
			: readBaseline(query));
		const event = events.filter((each) => passes(filters, each)).at(-1);
		if (event) latest.push({ topic, event });
	}
	const [newest] = latest.sort((a, b) => createdAt(b.event) - createdAt(a.event));
	return newest && eventOf(newest.topic, newest.event);
}

const createdAt = ({ item }: TopicEvent): number => (item && timeOf(item)) ?? 0;

const eventOf = (topic: string, { data, key }: TopicEvent): StreamEvent => ({
	topic,
	seq: null,
	epoch: null,
	ts: null,
	data,
	delivery: 'reconciled',
	eventKey: key,
});
