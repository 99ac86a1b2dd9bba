import type { OperationId } from '../../catalogue';
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
	/** How missed events are read over REST. A `live-only` topic loses them, and its subscribers get a notice of that. */
	backfill: BackfillSource | 'live-only';
}

export type BackfillSource =
	/** A list whose sort order the interface does not show, searched for new and changed records. */
	| { from: 'list'; list: OperationId; follow?: FollowedRecords }
	/** A list that can be read from a sequence number on. */
	| { from: 'sequence'; list: OperationId }
	/** The present book, which replaces all changes before it. */
	| { from: 'snapshot'; read: OperationId };

/** Records that change after they were created, and may be older than every row a backfill reads. */
export interface FollowedRecords {
	read: OperationId;
	/** The input of `read` that takes the identifier of the record, such as `order_id`. */
	input: string;
	/** Values of the list's status filter for records that may still change, and for those that ended. */
	open: readonly string[];
	ended: readonly string[];
}
