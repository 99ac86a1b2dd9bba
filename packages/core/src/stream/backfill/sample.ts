import { unknownShape } from '../../wire/list-shape';
import type { Item } from '../../wire/payload';
import type { EventFilters, StreamEvent } from '../contract';
import { eventFilter } from '../delivery/filter';
import { BASELINE_ITEMS_MAX, KNOWN_IN_A_ROW } from '../limits';
import { topicOf } from '../topics';
import { timeOf, type TopicEvent } from '../topics/event';
import { bookEvent } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import { createHistory, type History, type HistoryReader, type ReadOptions } from './history';
import { walkList, type ListPorts } from './list-walk';
import { inOrder } from './source';

/**
 * Reads the newest event of some topics over REST, for an editor to show before a live event arrives. It moves no
 * checkpoint and does not use the stream.
 */
export async function sampleEvent(
	reader: HistoryReader,
	{ topics, filters = {} }: { topics: readonly string[]; filters?: EventFilters },
	signal: AbortSignal = new AbortController().signal,
): Promise<StreamEvent | undefined> {
	const history = createHistory(reader);
	const latest: { topic: string; event: TopicEvent }[] = [];
	for (const name of topics) {
		const topic = topicOf(name);
		const events = topic ? await newestOf(name, topic, history, { signal }) : [];
		const event = events.filter(eventFilter(filters)).at(-1);
		if (event) latest.push({ topic: name, event });
	}
	const [newest] = latest.sort((a, b) => createdAt(b.event) - createdAt(a.event));
	return newest && streamEventOf(newest.topic, newest.event);
}

/** The latest events of one topic, newest last. */
async function newestOf(
	name: string,
	{ backfill, identify, records }: Topic,
	history: History,
	options: ReadOptions,
): Promise<TopicEvent[]> {
	if (backfill === 'live-only') return [];
	if (backfill.from === 'list') {
		const events = await newestRows({ ...backfill, identify, history, options });
		return events.sort((a, b) => createdAt(a) - createdAt(b));
	}
	const identified = (rows: readonly Item[]) => rows.flatMap((row) => identify(row) ?? []);
	if (backfill.from === 'state') return identified(records(await history.read(backfill.read, {}, options)));
	const pair_id = await history.pairOf(name, options);
	if (backfill.from === 'snapshot')
		return [bookEvent(name, await history.read(backfill.read, { pair_id }, options), 'sample')];
	return inOrder(identified(await history.page(backfill.list, { pair_id }, options)), 'sequence');
}

/** Rows from the newest end of a list, whichever end that is. */
async function newestRows(ports: ListPorts): Promise<TopicEvent[]> {
	const shape = unknownShape();
	const all: TopicEvent[] = [];
	let newest = Number.NEGATIVE_INFINITY;
	const isSettled = (event: TopicEvent) => createdAt(event) < newest;
	const walk = walkList(ports, { shape, settledInARow: KNOWN_IN_A_ROW, isSettled });
	for (let page = await walk.next(); page; page = await walk.next()) {
		all.push(...page);
		newest = Math.max(newest, ...page.map(createdAt));
		if (all.length >= BASELINE_ITEMS_MAX && shape.order !== 'oldest_first') break;
	}
	return all;
}

const createdAt = ({ item }: TopicEvent): number => (item && timeOf(item)) ?? 0;

const streamEventOf = (topic: string, { data, key }: TopicEvent): StreamEvent => ({
	topic,
	seq: null,
	epoch: null,
	ts: null,
	data,
	delivery: 'reconciled',
	eventKey: key,
});
