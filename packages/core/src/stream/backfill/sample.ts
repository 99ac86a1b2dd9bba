import { unknownShape } from '../../wire/list-shape';
import { createListWalk } from '../../wire/list-walk';
import type { Item } from '../../wire/payload';
import type { EventFilters, StreamEvent } from '../contract';
import { eventFilter } from '../delivery/filter';
import { BASELINE_ITEMS_MAX, KNOWN_IN_A_ROW } from '../limits';
import { topicOf } from '../topics';
import { timeOf, type TopicEvent } from '../topics/event';
import { bookEvent } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import { createHistory, type History, type HistoryReader, type ReadOptions } from './history';

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
	const identified = (rows: readonly Item[]) => rows.flatMap((row) => identify(row) ?? []);
	if (backfill.from === 'list') {
		const events = identified(await newestRows((offset) => history.page(backfill.list, { offset }, options), identify));
		return events.sort((a, b) => createdAt(a) - createdAt(b));
	}
	if (backfill.from === 'state') return identified(records(await history.read(backfill.read, {}, options)));
	const pair_id = await history.pairOf(name, options);
	if (backfill.from === 'snapshot')
		return [bookEvent(name, await history.read(backfill.read, { pair_id }, options), 'sample')];
	return identified(await history.page(backfill.list, { pair_id }, options)).sort(
		(a, b) => (a.sequence ?? 0) - (b.sequence ?? 0),
	);
}

/** Rows from the newest end of a list, whichever end that is. */
async function newestRows(read: (offset: number) => Promise<Item[]>, identify: Topic['identify']): Promise<Item[]> {
	const shape = unknownShape();
	const all: Item[] = [];
	let newest = Number.NEGATIVE_INFINITY;
	const walk = createListWalk({
		shape,
		read,
		identityOf: (row) => identify(row)?.key ?? JSON.stringify(row),
		timeOf,
		isSettled: (row) => (timeOf(row) ?? newest) < newest,
		settledInARow: KNOWN_IN_A_ROW,
	});
	for (let rows = await walk.next(); rows; rows = await walk.next()) {
		all.push(...rows);
		newest = Math.max(newest, ...rows.map((row) => timeOf(row) ?? newest));
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
