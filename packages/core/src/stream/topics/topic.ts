import type { OperationId } from '../../catalogue';
import type { Item } from '../../wire/payload';
import type { TopicEvent } from './event';

/** What the stream needs to know of one topic, in one place. */
export interface Topic {
	/** The records of a payload, each of which `identify` reads. */
	records(payload: unknown): Item[];
	/** The event a record tells, by a key that every copy of it has; nothing if the record has no identity. */
	identify(record: Item): TopicEvent | undefined;
	/** Whether its events are independent, follow one sequence, or change a snapshot that a topic begins with. */
	order: 'none' | 'sequence' | 'snapshot';
	/** How REST tells what the stream did not bring. A `live-only` topic loses it, and its subscribers are told so. */
	backfill: BackfillSource | 'live-only';
}

export type BackfillSource =
	/** A list in an order that is not shown, of which the newest or the changed records are looked for. */
	| { from: 'list'; list: OperationId; follow?: FollowedRecords }
	/** A list that is read from a sequence on. */
	| { from: 'sequence'; list: OperationId }
	/** The present state, which replaces all changes before it. */
	| { from: 'snapshot'; read: OperationId };

/** Records that change after they were created, and may be older than everything a reading looks at. */
export interface FollowedRecords {
	read: OperationId;
	/** The input of `read` that names the record. */
	input: string;
	/** Values of the list's status filter for records that may still change, and for those that ended. */
	open: readonly string[];
	ended: readonly string[];
}
