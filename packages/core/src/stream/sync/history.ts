import type { Client } from '../../client/client';
import { orderIn, textOf, type Item } from '../../wire/payload';
import { bookEvent, topicEventOf, kindOfTopic, type TopicEvent, type TopicKind } from '../topics/event';
import type { Cursor } from '../delivery/cursor';
import type { StreamPolicy } from '../policy';
import { BASELINE_ITEMS_MAX, KNOWN_IN_A_ROW, READ_ITEMS_MAX, SINGLE_READS_MAX, TRADES_CAUGHT_UP_MAX } from '../limits';

export type HistoryReader = Pick<Client, 'items' | 'call'>;

/** What REST tells of a topic. (Interface, part 6: REST supplies the durable baseline.) */
export interface History {
	/** Oldest first. */
	events: TopicEvent[];
	/** The newest of it, where its items tell. */
	watermark?: number;
	/** Older than this is all that the list had and nobody looked at, where it was not read to its end. */
	begins?: number;
	/** What lies beyond the stated bound, which is not read. */
	gap?: Gap;
}

/** Between which sequences of public trades, or which times of creation, something may be missing. */
export type Gap =
	{ after_sequence: number; before_sequence: number | null } | { after_created_at: string; before_created_at: string };

export interface HistoryQuery {
	topic: string;
	reader: HistoryReader;
	/** Those to whom the answer matters; it goes back as far as the one who knows least. */
	cursors: readonly Cursor[];
	/** The pair the topic is about, as REST names it. */
	pair: (signal: AbortSignal) => Promise<string>;
	/** Counts up, so that single reads take turns. */
	turn: number;
	policy: Pick<StreamPolicy, 'knownInARow'>;
	signal: AbortSignal;
}

/** Everything since the cursors' watermarks. */
export async function readHistory(query: HistoryQuery): Promise<History> {
	switch (kindOfTopic(query.topic)) {
		case 'orders':
			return readOrders(query);
		case 'fills':
			return readList(query, 'fill.list');
		case 'trades':
			return readTrades(query);
		case 'book':
			return readBook(query);
		default:
			return { events: [] };
	}
}

/** What had happened before a consumer started for the first time, as far as it is needed to tell old from new. */
export async function readBaseline({
	topic,
	reader,
	pair,
	signal,
}: Pick<HistoryQuery, 'topic' | 'reader' | 'pair' | 'signal'>): Promise<History> {
	const kind = kindOfTopic(topic);
	const collect = async (id: 'order.list' | 'fill.list' | 'market.trades', input: Item) => {
		const found: TopicEvent[] = [];
		for await (const item of reader.items(id, input, { limit: BASELINE_ITEMS_MAX, signal })) {
			const event = topicEventOf(kind, item);
			if (event) found.push(event);
			if (kind === 'trades' && found.length >= KNOWN_IN_A_ROW) break;
		}
		return found;
	};
	if (kind === 'trades') return tradeHistory(await collect('market.trades', { pair_id: await pair(signal) }));
	if (kind !== 'fills' && kind !== 'orders') return { events: [] };
	const latest = await collect(kind === 'fills' ? 'fill.list' : 'order.list', {});
	if (latest.length < BASELINE_ITEMS_MAX) return history(latest);
	const begins = timesOf(latest).sort((a, b) => a - b)[0];
	// Open orders may be older than the latest ones. The filter's name is assumed, so a refusal of it is no failure.
	for (const status of kind === 'fills' ? [] : ['pending', 'accepted', 'partially_filled']) {
		latest.push(...(await collect('order.list', { status }).catch(() => [])));
	}
	return { ...history(latest), begins };
}

async function readOrders(query: HistoryQuery): Promise<History> {
	const { reader, cursors, signal, turn } = query;
	const listed = await readList(query, 'order.list');
	const seen = new Set(listed.events.map(({ order }) => order?.id));
	const missing = [...new Set(cursors.flatMap((cursor) => cursor.openOrders()))].filter((id) => !seen.has(id));
	const first = missing.length > SINGLE_READS_MAX ? (turn * SINGLE_READS_MAX) % missing.length : 0;
	for (const id of [...missing.slice(first), ...missing.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		// An order that is not found stays open: it may need a moment to appear.
		const read = await reader.call('order.get', { order_id: id }, { signal }).catch(() => undefined);
		const order = orderIn(read);
		const event = order && topicEventOf('orders', { id, ...order });
		if (event) listed.events.push(event);
	}
	return listed;
}

/** A list from its newest item back to what everybody knows. A list in another order is read to its end. */
async function readList(
	{ topic, reader, cursors, policy, signal }: HistoryQuery,
	id: 'order.list' | 'fill.list',
): Promise<History> {
	const kind: TopicKind = kindOfTopic(topic);
	const found: TopicEvent[] = [];
	const toTheEnd = cursors.some((cursor) => cursor.isDeep());
	let knownInARow = 0;
	let count = 0;
	for await (const item of reader.items(id, {}, { limit: READ_ITEMS_MAX, signal })) {
		const event = topicEventOf(kind, item) ?? { key: '', data: item };
		if (event.key !== '') found.push(event);
		count += 1;
		knownInARow = cursors.every((cursor) => isOld(event, cursor)) ? knownInARow + 1 : 0;
		if (knownInARow >= policy.knownInARow && isNewestFirst(found) && !toTheEnd) break;
	}
	const [newest, oldest] = [found[0]?.time, found.at(-1)?.time];
	const known = Math.min(...cursors.map((cursor) => cursor.watermark() ?? 0));
	const isCut = count >= READ_ITEMS_MAX && newest !== undefined && oldest !== undefined && newest >= oldest;
	if (!isCut || oldest <= known) return history(found);
	return { ...history(found), gap: { after_created_at: isoOf(known), before_created_at: isoOf(oldest) } };
}

const isoOf = (time: number): string => new Date(time).toISOString();

/** What has no time is old once an earlier reading had it. That the stream brought it says nothing about what lies before. */
const isOld = ({ key, time }: TopicEvent, cursor: Cursor): boolean =>
	time === undefined ? cursor.wasRead(key) : time <= (cursor.watermark() ?? 0);

function isNewestFirst(found: readonly TopicEvent[]): boolean {
	const [first, last] = [found[0]?.time, found.at(-1)?.time];
	return first === undefined || last === undefined || first >= last;
}

function history(newestFirst: TopicEvent[]): History {
	const events = newestFirst.reverse().sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
	return { events, watermark: timesOf(events).at(-1) };
}

const timesOf = (found: readonly TopicEvent[]): number[] =>
	found.flatMap(({ time }) => (time === undefined ? [] : [time]));

async function readTrades({ reader, cursors, pair, signal }: HistoryQuery): Promise<History> {
	const after = Math.min(...cursors.map((cursor) => cursor.watermark() ?? 0));
	const found: TopicEvent[] = [];
	for await (const item of reader.items(
		'market.trades',
		{ pair_id: await pair(signal), after_sequence: after },
		{ limit: TRADES_CAUGHT_UP_MAX, signal },
	)) {
		const event = topicEventOf('trades', item);
		if (event) found.push(event);
	}
	const read = tradeHistory(found);
	if (found.length >= TRADES_CAUGHT_UP_MAX)
		return { ...read, gap: { after_sequence: read.watermark ?? after, before_sequence: null } };
	// A full page that starts further on and runs backwards is the newest one: what lies before it is out of reach.
	const isBackwards = found.length > 1 && (found[0]!.sequence ?? 0) > (found.at(-1)!.sequence ?? 0);
	const oldest = read.events[0]?.sequence;
	if (!isBackwards || oldest === undefined || oldest <= after + 1 || found.length < KNOWN_IN_A_ROW) return read;
	return { ...read, gap: { after_sequence: after, before_sequence: oldest } };
}

function tradeHistory(found: readonly TopicEvent[]): History {
	const sequences = found.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence]));
	const events = [...found].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
	return { events, watermark: sequences.length > 0 ? Math.max(...sequences) : 0 };
}

async function readBook({ topic, reader, pair, turn, signal }: HistoryQuery): Promise<History> {
	const book = (await reader.call('market.orderBook', { pair_id: await pair(signal) }, { signal })) as Item;
	// Sequences may begin anew, so the time of the snapshot makes it itself.
	return {
		events: [bookEvent(topic, book, `snapshot:${textOf(book, 'sequence') ?? ''}:${textOf(book, 'timestamp') ?? turn}`)],
	};
}
