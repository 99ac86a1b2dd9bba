import { operationOf, type OperationId } from '../../catalogue';
import { createListWalk, type ListWalk, type ListWalkOptions } from '../../wire/list-walk';
import { identityOf, type Item } from '../../wire/payload';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import type { History, ReadOptions } from './history';

/** A list of the service, how its rows become events, and what reads its pages. */
export interface ListPorts extends ReadOptions {
	list: OperationId;
	identify: Topic['identify'];
	history: History;
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
	return (await history.page(list, query, { signal })).map((row) => ({ row, event: identify(row) }));
}

/** Pages may overlap, so copies are numbered for each page. */
const eventsIn = (rows: readonly ListRow[]): TopicEvent[] => numberCopies(rows.flatMap(({ event }) => event ?? []));
