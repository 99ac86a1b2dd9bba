import type { EventFilters, StreamEvent } from '../contract';
import { passes } from '../delivery/filter';
import { kindOfTopic, timeOf, type Happening } from '../topics/event';
import { pairOf } from './pair';
import { streamPolicy } from '../policy';
import { readBaseline, readPast, type Reader } from './history';

/**
 * The newest thing that really happened on some topics, read over REST: what an editor shows before a live one comes.
 * It moves no position and asks nothing of the stream.
 */
export async function latestEvent(
	reader: Reader,
	{ topics, filters = {} }: { topics: readonly string[]; filters?: EventFilters },
	signal: AbortSignal = new AbortController().signal,
): Promise<StreamEvent | undefined> {
	const latest: { topic: string; happening: Happening }[] = [];
	for (const topic of topics) {
		const isBook = kindOfTopic(topic) === 'book';
		const question = { topic, reader, pair: pairOf(topic, reader), signal };
		const { happenings } = await (isBook
			? readPast({ ...question, ledgers: [], turn: 0, policy: streamPolicy })
			: readBaseline(question));
		const happening = happenings.filter((each) => passes(filters, each)).at(-1);
		if (happening) latest.push({ topic, happening });
	}
	const [newest] = latest.sort((a, b) => createdAt(b.happening) - createdAt(a.happening));
	return newest && eventOf(newest.topic, newest.happening);
}

const createdAt = ({ item }: Happening): number => (item && timeOf(item)) ?? 0;

const eventOf = (topic: string, { data, key }: Happening): StreamEvent => ({
	topic,
	seq: null,
	epoch: null,
	ts: null,
	data,
	delivery: 'reconciled',
	eventKey: key,
});
