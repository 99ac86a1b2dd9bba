import type { CommandAction } from './operation';

/** The fields of each order command besides type, request_id and action. (Interface, part 6.) */
export const commands = {
	order_create: [
		'pair_id',
		'side',
		'order_type',
		'quantity',
		'price',
		'time_in_force',
		'client_order_id',
		'idempotency_key',
	],
	order_cancel: ['pair_id', 'order_id', 'idempotency_key'],
	order_replace: ['pair_id', 'order_id', 'quantity', 'price', 'client_order_id', 'idempotency_key'],
} as const satisfies Record<CommandAction, readonly string[]>;

/** The error codes of refused commands. (Interface, part 7.) */
export const commandErrorCodes = [
	'UNAUTHORIZED',
	'FORBIDDEN',
	'VALIDATION_FAILED',
	'CONFLICT',
	'RATE_LIMITED',
] as const;
/** A code of {@link commandErrorCodes}. */
export type CommandErrorCode = (typeof commandErrorCodes)[number];
