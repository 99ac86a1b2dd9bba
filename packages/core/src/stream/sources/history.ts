import { operationOf, pairKey, type OperationId } from '../../catalogue';
import type { UntypedClient } from '../../client/contract';
import { createListWalk, type ListWalk, type ListWalkOptions } from '../../wire/list-walk';
import { withPageLength } from '../../wire/page-length';
import { identityOf, type Item } from '../../wire/payload';
import { pairKeyOf } from '../topics';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import type { EventsTopic } from '../topics/topic';

export type HistoryReader = Pick<UntypedClient, 'call' | 'page'>;

/** Reads the history of topics over REST, which supplies the durable baseline. (Interface, part 6.) */
export interface History {
	/** One page of a list, as long as the service allows. */
	page(list: OperationId, input: Item, signal: AbortSignal): Promise<Item[]>;
	read(id: OperationId, input: Item, signal: AbortSignal): Promise<unknown>;
	/** The pair of a topic, as REST names it. */
	pairOf(topic: string, signal: AbortSignal): Promise<string>;
}

export function createHistory(reader: HistoryReader): History {
	const pairs = new Map<string, string>();
	const pageOf = withPageLength(reader.page);

	/**
	 * Topic names write every slash of a pair as an underscore. Pairs may contain further underscores: then the list of
	 * markets decides and is read once. If that read fails, every underscore is taken for a slash.
	 */
	async function pairOf(topic: string, signal: AbortSignal): Promise<string> {
		const key = pairKeyOf(topic) ?? '';
		const guess = key.replaceAll('_', '/');
		if (guess.split('/').length <= 2 || pairs.has(key)) return pairs.get(key) ?? guess;
		const markets = await reader.page('market.list', {}, { signal }).catch(() => undefined);
		const names = markets?.map((market) => identityOf(market, operationOf('market.list')));
		if (names) pairs.set(key, names.find((name) => pairKey(name) === key) ?? guess);
		return pairs.get(key) ?? guess;
	}

	return {
		page: (list, input, signal) => pageOf(list, input, { signal }),
		pairOf,
		read: (id, input, signal) => reader.call(id, input, { signal, retries: 0 }),
	};
}

/** A list of the service, how its rows become events, and what reads its pages. */
export interface ListPorts {
	list: OperationId;
	identify: EventsTopic['identify'];
	history: History;
	signal: AbortSignal;
}

/** A walk over a list whose pages are read as events. */
export type EventWalk = ListWalk<TopicEvent>;

/** A row of a list, and the event it reports, if it has an identifier. */
interface ListRow {
	row: Item;
	event: TopicEvent | undefined;
}

interface Route extends Pick<ListWalkOptions, 'shape' | 'settledInARow' | 'isToTheEnd'> {
	/** Which rows the list is to show; a service may ignore it. */
	query?: Item;
	isSettled(event: TopicEvent): boolean;
}

export function walkList(ports: ListPorts, { query, shape, settledInARow, isToTheEnd, ...is }: Route): EventWalk {
	const operation = operationOf(ports.list);
	const walk = createListWalk<ListRow>({
		shape,
		settledInARow,
		isToTheEnd,
		read: (offset) => readRows(ports, { ...query, offset }),
		// The key of an order names its state, which may change between two pages.
		identityOf: ({ row, event }) => event?.order?.id ?? event?.key ?? identityOf(row, operation),
		timeOf: ({ event }) => event?.time,
		isSettled: ({ event }) => event === undefined || is.isSettled(event),
	});
	return { ...walk, next: () => walk.next().then((rows) => rows && eventsIn(rows)) };
}

async function readRows({ list, identify, history, signal }: ListPorts, query: Item): Promise<ListRow[]> {
	return (await history.page(list, query, signal)).map((row) => ({ row, event: identify(row) }));
}

/** Pages may overlap, so copies are numbered for each page. */
const eventsIn = (rows: readonly ListRow[]): TopicEvent[] => numberCopies(rows.flatMap(({ event }) => event ?? []));
