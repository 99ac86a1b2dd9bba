import type { Shape } from './shape';

/** How far a wait goes, and why it ends: `expired` does, because the interface does not say whether that status is final. */
const waits = {
	until: ['accepted', 'final', 'settled'],
	ended: ['reached', 'rejected', 'cancelled', 'failed', 'time_limit', 'stopped', 'expired', 'unreadable'],
} as const;
/** Why a wait ended, as the client says it. */
export type WaitEnd = (typeof waits.ended)[number];

/** How alike a confirmed name is to the expected one. */
const likenesses = ['exact', 'close', 'different'] as const;

/** A field the client adds. */
export interface Addition {
	/** The shape of the value. */
	shape: Shape;
	/** The text for people. */
	help: string;
	/** The only values of a text in the field, which are the client's own. */
	values?: Readonly<Record<string, readonly string[]>>;
	/** The parts of the value that are not always there. */
	optional?: readonly string[];
}

/** The fields the client adds to answers, with their texts. Operations name the ones that apply. */
export const additions = {
	client_order_id: { shape: 'text', help: 'The client order ID that was sent, yours or the derived one' },
	idempotency_key: { shape: 'text', help: 'The idempotency key that was sent, yours or the derived one' },
	business_key: {
		shape: 'text',
		help: 'The business key it was placed under, where its client order ID carries one',
	},
	repeated: {
		shape: 'boolean',
		help: 'True when this was done before under the same identity, so nothing new was sent',
	},
	original_created_at: {
		shape: 'timestamp',
		help: 'When an order that was repeated was placed, where the service shows it',
	},
	acknowledgement: {
		shape: 'text',
		help: 'The word with which the service answered, where it is not the status of an open order; `status` says what a read showed',
	},
	wait: {
		shape: {
			until: 'text',
			reached: 'boolean',
			ended: 'text',
			waited_seconds: 'number',
			stale_readings: 'integer',
			problem: 'text',
		},
		values: waits,
		optional: ['stale_readings', 'problem'],
		help: `With Wait Until or Wait Until Settled: how far, whether it came so far, and why the wait ended (${waits.ended.map((word) => `\`${word}\``).join(', ')})`,
	},
	replaced_by_order_id: {
		shape: 'text',
		help: 'Where somebody replaced the order: the order that stands for it now. Of an order that was awaited, the status and fills are those of this one',
	},
	replacement: {
		shape: 'unspecified',
		help: 'The order that stands for the one that was found, which somebody replaced',
	},
	remaining_quantity: {
		shape: 'decimal',
		help: 'What is not filled of the order, exact: still open, or never to be filled once the order is over',
	},
	rejection: { shape: 'text', help: 'Why the service rejected the order, where it did' },
	not_before: {
		shape: 'timestamp',
		help: 'With the outcome unknown: when to ask again with this value, because from then on no request can arrive',
	},
	advice: {
		shape: 'text',
		help: 'What to do next, where the outcome is unknown or a wait ended by its time limit',
	},
	duplicate_order_ids: {
		shape: ['text'],
		help: 'Further orders with the same client order ID, which should never be: look at them at once',
	},
	transaction: {
		shape: 'unspecified',
		help: 'With Include Transaction: the transaction, null if none appeared in time',
	},
	name_match: {
		shape: 'text',
		values: { name_match: likenesses },
		help: 'With Expected Name: how alike the confirmed name is, `exact`, `close` or `different`',
	},
	already_gone: { shape: 'boolean', help: 'True when there was nothing left to remove' },
} as const satisfies Record<string, Addition>;

/** The name of a field of {@link additions}. */
export type AdditionId = keyof typeof additions;
