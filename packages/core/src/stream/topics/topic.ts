import type { ListId, OperationId } from '../../catalogue';
import type { Item } from '../../wire/payload';
import type { TopicEvent } from './event';

/** The definition of a topic: how to read its messages, what identifies its events, and where missed ones are read. */
export interface Topic {
	/** The records of a payload, each of which `identify` reads. */
	records(payload: unknown): Item[];
	/** The event a record reports, with a key that all its copies share; undefined if the record has no identifier. */
	identify(record: Item): TopicEvent | undefined;
	/**
	 * What its messages are: independent events, events of one sequence, or changes of a book that begins with a snapshot.
	 */
	keeps: 'events' | 'sequence' | 'book';
	/** How missed events are read over REST. */
	backfill: BackfillSource;
}

export type BackfillSource =
	/**
	 * A list whose sort order the interface does not show. `isFollowed`: its records, which are orders, change after they were
	 * created, and may be older than every row a backfill reads.
	 */
	| { from: 'list'; list: ListId; isFollowed: boolean }
	/** A list that can be read from a sequence number on. */
	| { from: 'sequence'; list: ListId }
	/** The present book, which replaces all changes before it. */
	| { from: 'snapshot'; read: OperationId };
