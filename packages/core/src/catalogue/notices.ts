import type { Output, Shape } from './shape';

/**
 * Items that a trigger or events node emits besides the events of the service, so that a flow can branch on them. Their
 * payload has these fields.
 */
export const notices = {
	gap: {
		label: 'Gap',
		help: 'Events may be missing that could not be read back',
		shape: {
			/** A range of sequence numbers or of creation times; its end is missing while the gap may still be open. */
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

/** The kind of a notice, as in `StreamEvent.kind`. */
export type NoticeId = keyof typeof notices;

/** What the client did about the missing events, by the values of `done`. */
export const remedies = {
	checkpoint_lost: 'The stored checkpoint is of another version or damaged, and is not read; delivery began from now',
	out_of_reach: 'The REST list no longer goes back this far; events before and after the gap were delivered',
	open_end: 'The backfill ended at its limit; later events are delivered again from now on',
	not_readable: 'Nothing was backfilled, because that needs the API key',
	read: "The order's fills were read again and are still incomplete",
	reading_failed: "The order's fills could not be read",
} as const;

type Notice<Id extends NoticeId> = Output<(typeof notices)[Id]['shape']> & { done: keyof typeof remedies };
/** The payload of a gap: which range, which pair, what may be missing, and what the client did about it. */
export type GapNotice = Notice<'gap'>;
/**
 * The payload of incomplete fills: the order, what it says was filled, what its fills add up to, and the difference.
 */
export type IncompleteFillsNotice = Notice<'incomplete_fills'>;
