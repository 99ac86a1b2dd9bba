import { operationOf } from '../../catalogue';
import type { Clock } from '../../ports';
import { unknownShape, type ListShape } from '../../wire/list-shape';
import { createListWalk, type ListWalk } from '../../wire/list-walk';
import { identityOf, type Item } from '../../wire/payload';
import type { StreamPolicy } from '../policy';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import type { BackfillSource, Topic } from '../topics/topic';
import type { Reading } from './backfill';
import type { History } from './history';
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
	eventsOf(rows: readonly Item[]): TopicEvent[];
	page(query: { offset: number }, reading: Reading): Promise<Item[]>;
	walk(isSettled: Judges, reading: Reading, isUnbroken?: Judges): ListWalk;
	/** Walks the records of one status. It stops after many other rows in a row: the service may ignore the filter. */
	walkStatus(status: string, isOther: Judges, reading: Reading): ListWalk;
	clock: Clock;
	settledBefore: RowClock['settledBefore'];
}

export function createListReader({ source, identify, history, clock, policy }: ListReaderPorts): ListReader {
	const operation = operationOf(source.list);
	const shape = unknownShape();
	const overlapMs = policy.readOverlapMs;
	const walked = (page: (offset: number) => Promise<Item[]>, isSettled: Judges) => ({
		read: page,
		// The key of an order names its state, which may change between two pages.
		identityOf: (row: Item) => {
			const event = identify(row);
			return event?.order?.id ?? event?.key ?? identityOf(row, operation);
		},
		timeOf: (row: Item) => identify(row)?.time,
		isSettled: (row: Item) => {
			const event = identify(row);
			return event === undefined || isSettled(event);
		},
	});
	return {
		shape,
		overlapMs,
		eventsOf: (rows) => numberCopies(rows.flatMap((row) => identify(row) ?? [])),
		page: (query, reading) => history.page(source.list, query, reading),
		walk: (isSettled, reading, isUnbroken = () => false) =>
			createListWalk({
				...walked((offset) => history.page(source.list, { offset }, reading), isSettled),
				isUnbroken: (row) => {
					const event = identify(row);
					return event !== undefined && isUnbroken(event);
				},
				shape,
				settledInARow: policy.knownInARow,
			}),
		walkStatus: (status, isOther, reading) =>
			createListWalk({
				...walked((offset) => history.page(source.list, { status, offset }, reading), isOther),
				shape: { ...shape, end: undefined },
				settledInARow: OTHERS_IN_A_ROW,
			}),
		clock,
		settledBefore: createRowClock(clock, overlapMs).settledBefore,
	};
}

export const timesOf = (found: readonly TopicEvent[]): number[] =>
	found.flatMap(({ time }) => (time === undefined ? [] : [time]));
