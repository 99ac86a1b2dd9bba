import type { StreamStatus } from '../../catalogue';
import type { Item } from '../../wire/payload';
import { instant } from '../failure';
import { isShort, newFillSums, sumOf, type FillSums } from './fill-sums';

/** All that is known of the fills that orders lack: a plain value, which the functions of `check.ts` change in place. */
export interface FillsState {
	/** How long the fills of an order may be missing until they are read. */
	lateMs: number;
	sums: FillSums;
	/**
	 * Orders that said more was filled than their fills added up to, by id, the latest last. Where they add up since, they
	 * may be those of a later quantity, so until an open order was to be read it is not forgotten.
	 */
	short: Map<string, ShortOrder>;
	/** From when on the fills of a further order are read: `Infinity` while those of one are. */
	readsFrom: number;
}

export interface ShortOrder {
	id: string;
	/** It ended, so that its filled quantity grows no more. */
	isFinal: boolean;
	/** The fields filters look at, so that a notice about a pair that a subscriber filters out is filtered out too. */
	filterable: Item;
	/** The filled quantity that its fills have to reach. */
	expected: string;
	/** Since when its fills do not add up, and since when this quantity is expected, in milliseconds since 1970. */
	since: number;
	heardAt: number;
	/** When the newest fills are read, and when those of the order. Neither once the order was reported. */
	newestReadAt?: number;
	readAt?: number;
	/** How often its fills were read for this quantity. */
	reads: number;
}

export const newFillsState = (lateMs: number): FillsState => ({
	lateMs,
	sums: newFillSums(),
	short: new Map(),
	readsFrom: 0,
});

/** The orders whose fills do not add up, as Stream Status shows them. */
export const incompleteFills = ({ sums, short }: FillsState): StreamStatus['incomplete_fills'] =>
	[...short.values()]
		.filter(({ id, expected }) => isShort(sums, id, expected))
		.map(({ id, expected, since, readAt }) => ({
			...{ order_id: id, expected, counted: sumOf(sums, id).quantity },
			...{ since: instant(since), told: readAt === undefined },
		}));
