import { operationOf } from '../../catalogue';
import type { Clock } from '../../ports';
import { createListWalk, unknownShape, type ListShape, type ListWalk } from '../../wire/list-walk';
import { identityOf, type Item } from '../../wire/payload';
import type { StreamPolicy } from '../policy';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import type { BackfillSource, Topic } from '../topics/topic';
import type { Reading } from './backfill';
import type { History } from './history';

export type ListSource = Extract<BackfillSource, { from: 'list' }>;

export interface ListReaderPorts {
	source: ListSource;
	identify: Topic['identify'];
	history: History;
	clock: Clock;
	policy: StreamPolicy;
}

/** The list of one topic as its events. */
export interface ListReader {
	/** What is known of its order from one walk to the next. */
	shape: ListShape;
	/** A stretch before the newest that is always read again. */
	overlapMs: number;
	eventsOf(rows: readonly Item[]): TopicEvent[];
	page(query: { offset: number } | { status: string }, reading: Reading): Promise<Item[]>;
	walk(isSettled: (event: TopicEvent) => boolean, reading: () => Reading): ListWalk;
	/** Up to where a reading settled the history, by the newest it found and how long it lasted. */
	settledBefore(newest: number, lastedMs: number): number;
}

export function createListReader({ source, identify, history, clock, policy }: ListReaderPorts): ListReader {
	const operation = operationOf(source.list);
	const shape = unknownShape();
	const overlapMs = policy.readOverlapMs;
	return {
		shape,
		overlapMs,
		eventsOf: (rows) => numberCopies(rows.flatMap((row) => identify(row) ?? [])),
		page: (query, reading) => history.page(source.list, query, reading),
		walk: (isSettled, reading) =>
			createListWalk({
				shape,
				read: (offset) => history.page(source.list, { offset }, reading()),
				identityOf: (row) => identify(row)?.key ?? identityOf(row, operation),
				timeOf: (row) => identify(row)?.time,
				isSettled: (row) => {
					const event = identify(row);
					return event === undefined || isSettled(event);
				},
				settledInARow: policy.knownInARow,
			}),
		// Lists lag and rows overtake each other, so a stretch before the newest is always read again.
		settledBefore: (newest, lastedMs) => Math.min(newest - lastedMs, clock.now()) - overlapMs,
	};
}

export const timesOf = (found: readonly TopicEvent[]): number[] =>
	found.flatMap(({ time }) => (time === undefined ? [] : [time]));
