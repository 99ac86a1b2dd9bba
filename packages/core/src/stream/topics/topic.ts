import type { ListId, OperationId } from '../../catalogue';
import type { Item } from '../../wire/payload';
import type { TopicEvent } from './event';

/** The definition of a topic: how to read its messages, what identifies its events, and where missed ones are read. */
export type Topic = EventsTopic | SequenceTopic | BookTopic;

interface Messages {
	/** The records of a payload, each of which `identify` reads. */
	records(payload: unknown): Item[];
	/** The event a record reports, with a key that all its copies share; undefined if the record has no identifier. */
	identify(record: Item): TopicEvent | undefined;
}

/** Independent events, in a list whose sort order the interface does not show. */
export interface EventsTopic extends Messages {
	keeps: 'events';
	list: ListId;
	/** Its records, which are orders, change after they were created, and may be older than every row that a walk reads. */
	isFollowed: boolean;
}

/** Events of one sequence, in a list that can be read from a number on. */
export interface SequenceTopic extends Messages {
	keeps: 'sequence';
	list: ListId;
}

/** Changes of a book. The present one, read over REST, replaces all changes before it. */
export interface BookTopic {
	keeps: 'book';
	snapshot: OperationId;
}
