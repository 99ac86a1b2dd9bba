import { unknownShape, type ListShape } from '../../wire/list-shape';

/** What reading a list has shown of it, because the interface shows neither its order nor its length. */
export interface LearnedList {
	/** Its sort order, and its length. */
	shape: ListShape;
	/** Rows of the longest page of a list that is read by number. */
	pageLength: number;
	/** How far the clock of the service is ahead of ours, at least. */
	aheadMs: number;
	/** A list without a known order is costly to read whole, so until then only its beginning and its end are read. */
	restsUntil: number;
	/** Subscribers were told that its order is unknown, or that its rows have no numbers. */
	isReported: boolean;
	/** How often records were looked up that no page showed. */
	lookups: number;
}

export const nothingLearned = (): LearnedList => ({
	shape: unknownShape(),
	pageLength: 0,
	aheadMs: Number.NEGATIVE_INFINITY,
	restsUntil: 0,
	isReported: false,
	lookups: 0,
});
