import type { StreamEvent } from '../contract';

/** Counts of the events of one topic for one subscriber, since it began. Stream Status shows them. */
export interface Tally {
	delivered: Record<StreamEvent['delivery'], number>;
	filtered: number;
	duplicates: number;
	gaps: number;
}

export const noTally = (): Tally => ({
	delivered: { live: 0, replayed: 0, reconciled: 0 },
	filtered: 0,
	duplicates: 0,
	gaps: 0,
});

/** The counters of several subscribers of one topic, added up. */
export function summed(tallies: readonly Tally[]): Tally {
	const sum = (count: (tally: Tally) => number): number => tallies.reduce((all, tally) => all + count(tally), 0);
	return {
		delivered: {
			live: sum(({ delivered }) => delivered.live),
			replayed: sum(({ delivered }) => delivered.replayed),
			reconciled: sum(({ delivered }) => delivered.reconciled),
		},
		filtered: sum(({ filtered }) => filtered),
		duplicates: sum(({ duplicates }) => duplicates),
		gaps: sum(({ gaps }) => gaps),
	};
}
