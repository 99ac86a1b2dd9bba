import { operationOf } from '../../catalogue';
import type { Clock } from '../../ports';
import { unknownShape, type ListShape } from '../../wire/list-shape';
import { createListWalk, type ListWalk, type ListWalkOptions } from '../../wire/list-walk';
import { identityOf, type Item } from '../../wire/payload';
import type { StreamPolicy } from '../policy';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import type { BackfillSource, Topic } from '../topics/topic';
import type { History, ReadOptions } from './history';
import { createRowClock, type RowClock } from './row-clock';

export type ListSource = Extract<BackfillSource, { from: 'list' }>;

export interface ListReaderPorts {
	source: ListSource;
	identify: Topic['identify'];
	history: History;
	clock: Clock;
	policy: StreamPolicy;
}

/** Consecutive rows that are not looked for, after which the walk of a list by status stops. */
const OTHERS_IN_A_ROW = 300;

type Judges = (event: TopicEvent) => boolean;

/** Reads the list of one topic as events. */
export interface ListReader {
	/** What the walks so far have shown about the list's sort order. */
	shape: ListShape;
	/** How far before the newest row every backfill reads again. */
	overlapMs: number;
	page(query: { offset: number }, options: ReadOptions): Promise<TopicEvent[]>;
	walk(isSettled: Judges, options: ReadOptions, isUnbroken?: Judges): EventWalk;
	/** Walks the records of one status. It stops after many other rows in a row: the service may ignore the filter. */
	walkStatus(status: string, isOther: Judges, options: ReadOptions): EventWalk;
	clock: Clock;
	settledBefore: RowClock['settledBefore'];
}

/** A walk over a list whose pages are read as events. */
export type EventWalk = ListWalk<TopicEvent>;

/** A row of a list, and the event it reports, if it has an identifier. */
interface ListRow {
	row: Item;
	event: TopicEvent | undefined;
}

export function createListReader({ source, identify, history, clock, policy }: ListReaderPorts): ListReader {
	const operation = operationOf(source.list);
	const shape = unknownShape();
	const overlapMs = policy.readOverlapMs;

	async function read(query: Item, options: ReadOptions): Promise<ListRow[]> {
		return (await history.page(source.list, query, options)).map((row) => ({ row, event: identify(row) }));
	}

	type Route = Pick<ListWalkOptions<ListRow>, 'shape' | 'settledInARow' | 'read'>;
	function walked(route: Route, isSettled: Judges, isUnbroken: Judges = () => false): EventWalk {
		const walk = createListWalk<ListRow>({
			...route,
			// The key of an order names its state, which may change between two pages.
			identityOf: ({ row, event }) => event?.order?.id ?? event?.key ?? identityOf(row, operation),
			timeOf: ({ event }) => event?.time,
			isSettled: ({ event }) => event === undefined || isSettled(event),
			isUnbroken: ({ event }) => event !== undefined && isUnbroken(event),
		});
		return { ...walk, next: () => walk.next().then((rows) => rows && eventsIn(rows)) };
	}

	return {
		shape,
		overlapMs,
		page: (query, options) => read(query, options).then(eventsIn),
		walk: (isSettled, options, isUnbroken) => {
			const route = { shape, settledInARow: policy.knownInARow, read: (offset: number) => read({ offset }, options) };
			return walked(route, isSettled, isUnbroken);
		},
		walkStatus: (status, isOther, options) => {
			const route = { shape: { ...shape, end: undefined }, settledInARow: OTHERS_IN_A_ROW };
			return walked({ ...route, read: (offset) => read({ status, offset }, options) }, isOther);
		},
		clock,
		settledBefore: createRowClock(clock, overlapMs).settledBefore,
	};
}

const eventsIn = (rows: readonly ListRow[]): TopicEvent[] => numberCopies(rows.flatMap(({ event }) => event ?? []));

export const timesOf = (page: readonly TopicEvent[]): number[] =>
	page.flatMap(({ time }) => (time === undefined ? [] : [time]));
