import type { Output, Shape } from './shape';

/**
 * What a listening node tells beside the events of the service: items of a kind of their own, which a flow can branch on.
 * Their payload has these fields.
 */
export const notices = {
	gap: {
		label: 'Gap',
		help: 'Events may be missing that could not be read back',
		shape: {
			/** By sequence, or by time of creation; nothing at its end where it is not known to have ended. */
			gap: 'unspecified',
			pair: 'text?',
			may_be_missing: 'text',
			done: 'text',
		},
	},
	incomplete_fills: {
		label: 'Incomplete Fills',
		help: 'The fills that were found do not add up to what the order says was filled',
		shape: {
			order_id: 'text',
			pair_id: 'text?',
			expected: 'decimal',
			counted: 'decimal',
			missing: 'decimal',
			fills_known: 'integer',
			done: 'text',
		},
	},
} as const satisfies Record<string, { label: string; help: string; shape: Shape }>;

export type NoticeId = keyof typeof notices;

/** What was done about it, in the words of `done`. */
export const remedies = {
	out_of_reach: 'The REST list no longer goes back this far; events before and after the gap were delivered',
	open_end: 'The backfill ended at its limit; later events are delivered again from now on',
	not_readable: 'Nothing was backfilled, because that needs the API key',
	read: "The order's fills were read again and are still incomplete",
	reading_failed: "The order's fills could not be read",
} as const;

type Notice<Id extends NoticeId> = Output<(typeof notices)[Id]['shape']> & { done: keyof typeof remedies };
export type GapNotice = Notice<'gap'>;
export type IncompleteFillsNotice = Notice<'incomplete_fills'>;
