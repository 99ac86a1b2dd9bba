import type { Client } from '../../client/client';
import { orderIn, textOf, type Item } from '../../wire/payload';
import { bookHappening, happeningOf, kindOfTopic, type Happening, type TopicKind } from '../topics/event';
import type { Ledger } from '../delivery/cursor';
import type { StreamPolicy } from '../policy';
import { BASELINE_ITEMS_MAX, KNOWN_IN_A_ROW, READ_ITEMS_MAX, SINGLE_READS_MAX, TRADES_CAUGHT_UP_MAX } from '../limits';

export type Reader = Pick<Client, 'items' | 'call'>;

/** What REST tells of a topic. (Interface, part 6: REST supplies the durable baseline.) */
export interface Past {
	/** Oldest first. */
	happenings: Happening[];
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

export interface Question {
	topic: string;
	reader: Reader;
	/** Those to whom the answer matters; it goes back as far as the one who knows least. */
	ledgers: readonly Ledger[];
	/** The pair the topic is about, as REST names it. */
	pair: (signal: AbortSignal) => Promise<string>;
	/** Counts up, so that single reads take turns. */
	turn: number;
	policy: Pick<StreamPolicy, 'knownInARow'>;
	signal: AbortSignal;
}

/** Everything since the ledgers' watermarks. */
export async function readPast(question: Question): Promise<Past> {
	switch (kindOfTopic(question.topic)) {
		case 'orders':
			return readOrders(question);
		case 'fills':
			return readList(question, 'fill.list');
		case 'trades':
			return readTrades(question);
		case 'book':
			return readBook(question);
		default:
			return { happenings: [] };
	}
}

/** What had happened before a consumer started for the first time, as far as it is needed to tell old from new. */
export async function readBaseline({
	topic,
	reader,
	pair,
	signal,
}: Pick<Question, 'topic' | 'reader' | 'pair' | 'signal'>): Promise<Past> {
	const kind = kindOfTopic(topic);
	const collect = async (id: 'order.list' | 'fill.list' | 'market.trades', input: Item) => {
		const found: Happening[] = [];
		for await (const item of reader.items(id, input, { limit: BASELINE_ITEMS_MAX, signal })) {
			const happening = happeningOf(kind, item);
			if (happening) found.push(happening);
			if (kind === 'trades' && found.length >= KNOWN_IN_A_ROW) break;
		}
		return found;
	};
	if (kind === 'trades') return pastTrades(await collect('market.trades', { pair_id: await pair(signal) }));
	if (kind !== 'fills' && kind !== 'orders') return { happenings: [] };
	const latest = await collect(kind === 'fills' ? 'fill.list' : 'order.list', {});
	if (latest.length < BASELINE_ITEMS_MAX) return past(latest);
	const begins = timesOf(latest).sort((a, b) => a - b)[0];
	// Open orders may be older than the latest ones. The filter's name is assumed, so a refusal of it is no failure.
	for (const status of kind === 'fills' ? [] : ['pending', 'accepted', 'partially_filled']) {
		latest.push(...(await collect('order.list', { status }).catch(() => [])));
	}
	return { ...past(latest), begins };
}

async function readOrders(question: Question): Promise<Past> {
	const { reader, ledgers, signal, turn } = question;
	const listed = await readList(question, 'order.list');
	const seen = new Set(listed.happenings.map(({ order }) => order?.id));
	const missing = [...new Set(ledgers.flatMap((ledger) => ledger.openOrders()))].filter((id) => !seen.has(id));
	const first = missing.length > SINGLE_READS_MAX ? (turn * SINGLE_READS_MAX) % missing.length : 0;
	for (const id of [...missing.slice(first), ...missing.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		// An order that is not found stays open: it may need a moment to appear.
		const read = await reader.call('order.get', { order_id: id }, { signal }).catch(() => undefined);
		const order = orderIn(read);
		const happening = order && happeningOf('orders', { id, ...order });
		if (happening) listed.happenings.push(happening);
	}
	return listed;
}

/** A list from its newest item back to what everybody knows. A list in another order is read to its end. */
async function readList(
	{ topic, reader, ledgers, policy, signal }: Question,
	id: 'order.list' | 'fill.list',
): Promise<Past> {
	const kind: TopicKind = kindOfTopic(topic);
	const found: Happening[] = [];
	const toTheEnd = ledgers.some((ledger) => ledger.isDeep());
	let knownInARow = 0;
	let count = 0;
	for await (const item of reader.items(id, {}, { limit: READ_ITEMS_MAX, signal })) {
		const happening = happeningOf(kind, item) ?? { key: '', data: item };
		if (happening.key !== '') found.push(happening);
		count += 1;
		knownInARow = ledgers.every((ledger) => isOld(happening, ledger)) ? knownInARow + 1 : 0;
		if (knownInARow >= policy.knownInARow && isNewestFirst(found) && !toTheEnd) break;
	}
	const [newest, oldest] = [found[0]?.time, found.at(-1)?.time];
	const known = Math.min(...ledgers.map((ledger) => ledger.watermark() ?? 0));
	const isCut = count >= READ_ITEMS_MAX && newest !== undefined && oldest !== undefined && newest >= oldest;
	if (!isCut || oldest <= known) return past(found);
	return { ...past(found), gap: { after_created_at: isoOf(known), before_created_at: isoOf(oldest) } };
}

const isoOf = (time: number): string => new Date(time).toISOString();

/** What has no time is old once an earlier reading had it. That the stream brought it says nothing about what lies before. */
const isOld = ({ key, time }: Happening, ledger: Ledger): boolean =>
	time === undefined ? ledger.wasRead(key) : time <= (ledger.watermark() ?? 0);

function isNewestFirst(found: readonly Happening[]): boolean {
	const [first, last] = [found[0]?.time, found.at(-1)?.time];
	return first === undefined || last === undefined || first >= last;
}

function past(newestFirst: Happening[]): Past {
	const happenings = newestFirst.reverse().sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
	return { happenings, watermark: timesOf(happenings).at(-1) };
}

const timesOf = (found: readonly Happening[]): number[] =>
	found.flatMap(({ time }) => (time === undefined ? [] : [time]));

async function readTrades({ reader, ledgers, pair, signal }: Question): Promise<Past> {
	const after = Math.min(...ledgers.map((ledger) => ledger.watermark() ?? 0));
	const found: Happening[] = [];
	for await (const item of reader.items(
		'market.trades',
		{ pair_id: await pair(signal), after_sequence: after },
		{ limit: TRADES_CAUGHT_UP_MAX, signal },
	)) {
		const happening = happeningOf('trades', item);
		if (happening) found.push(happening);
	}
	const read = pastTrades(found);
	if (found.length >= TRADES_CAUGHT_UP_MAX)
		return { ...read, gap: { after_sequence: read.watermark ?? after, before_sequence: null } };
	// A full page that starts further on and runs backwards is the newest one: what lies before it is out of reach.
	const isBackwards = found.length > 1 && (found[0]!.sequence ?? 0) > (found.at(-1)!.sequence ?? 0);
	const oldest = read.happenings[0]?.sequence;
	if (!isBackwards || oldest === undefined || oldest <= after + 1 || found.length < KNOWN_IN_A_ROW) return read;
	return { ...read, gap: { after_sequence: after, before_sequence: oldest } };
}

function pastTrades(found: readonly Happening[]): Past {
	const sequences = found.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence]));
	const happenings = [...found].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
	return { happenings, watermark: sequences.length > 0 ? Math.max(...sequences) : 0 };
}

async function readBook({ topic, reader, pair, turn, signal }: Question): Promise<Past> {
	const book = (await reader.call('market.orderBook', { pair_id: await pair(signal) }, { signal })) as Item;
	// Sequences may begin anew, so the time of the snapshot makes it itself.
	return {
		happenings: [
			bookHappening(topic, book, `snapshot:${textOf(book, 'sequence') ?? ''}:${textOf(book, 'timestamp') ?? turn}`),
		],
	};
}
