import { printable } from './printable';

/**
 * Every reason for which a call can fail, with the advice for people and whether the same call may be sent again. The
 * list is closed: hosts and flows branch on these codes.
 */
export const errorCodes = {
	invalid_input: { advice: 'Correct the field and run it again; nothing was sent', retryable: false },
	invalid_account: { advice: 'Correct the account settings; nothing was sent', retryable: false },
	not_available: { advice: 'Use an account of an environment that offers it', retryable: false },
	unauthorized: { advice: 'Check that the key is complete, active and belongs to this environment', retryable: false },
	forbidden: {
		advice: 'Use a key that is allowed to do this, or ask the provider whether the account is ready',
		retryable: false,
	},
	not_found: { advice: 'Check the identifier; something just created may need a moment to appear', retryable: false },
	conflict: { advice: 'Read the existing record before sending anything new', retryable: false },
	rate_limited: { advice: 'Wait a minute before trying again', retryable: true },
	refused: { advice: 'Correct the request as the message says', retryable: false },
	unreachable: { advice: 'Check the address and that the service is running; nothing was sent', retryable: true },
	timeout: { advice: 'Try again; if it persists, check the network and the service', retryable: true },
	unavailable: { advice: 'The service has a problem of its own; try again later', retryable: true },
	malformed_response: {
		advice: 'Check that the address belongs to the exchange and not to a proxy or a web page',
		retryable: true,
	},
	outcome_unknown: {
		advice: 'Do not send it again; find out with Resolve Order or by reading the list',
		retryable: false,
	},
	rejected: { advice: 'Correct what the reason names and place it as a new order', retryable: false },
	unfilled: { advice: 'Place a new order if it is still wanted', retryable: false },
	time_limit: { advice: 'Read the order by its ID; it is still active', retryable: false },
	limit_reached: { advice: 'Narrow the request or raise the limit', retryable: false },
	stream_closed: { advice: 'The stream reconnects by itself; try again when it is connected', retryable: true },
	aborted: { advice: 'It was stopped by its caller; nothing more was sent', retryable: false },
} as const satisfies Record<string, { advice: string; retryable: boolean }>;

/** A code of {@link errorCodes}, such as `outcome_unknown`. */
export type ErrorCode = keyof typeof errorCodes;

/** Whether an order write that failed was carried out all the same. */
export type Standing = 'yes' | 'no' | 'unknown';

export interface ErrorFacts {
	/** What happened, as a clause without a final period. */
	what: string;
	/** Label of the operation, for people. */
	operation?: string;
	/** The input that caused the error, by the service's field name. */
	field?: string;
	status?: number;
	/** The message of the service, redacted and shortened. */
	serviceMessage?: string;
	serviceCode?: string;
	retryAfterMs?: number;
	advice?: string;
	/** Whether the write was done all the same, which only the errors of order writes say. */
	done?: Standing;
	/** Identifiers a person needs to follow up: order IDs, idempotency keys. Never secrets. */
	details?: Readonly<Record<string, string | number | boolean | null>>;
}

const brand = Symbol.for('@partner-exchange/core: error');

/**
 * The only error class of the package. Its text is built from an allow-list of facts. It never wraps a transport error,
 * because those hold headers and addresses with the key in them.
 *
 * @example
 * try {
 * 	await client.order.get({ order_id: id });
 * } catch (error) {
 * 	if (!isExchangeError(error, 'not_found')) throw error;
 * 	console.log(error.summary, error.advice);
 * }
 */
export class ExchangeError extends Error {
	/** Why the call failed. Branch on this, never on the message. */
	readonly code: ErrorCode;
	/** What happened, without the advice, for hosts that show the two separately. */
	readonly summary: string;
	/** What happened, without the label of the operation. */
	readonly what: string;
	/** The operation: `Create Order (order.create)` in a script, and its label alone in a form. */
	readonly operation?: string;
	/** The input at fault, by the service's field name. */
	readonly field?: string;
	/** HTTP status of the answer, when there was one. */
	readonly status?: number;
	/** What the service said: redacted, and shortened. */
	readonly serviceMessage?: string;
	/** The service's own code, such as `VALIDATION_FAILED`. (Interface, part 7.) */
	readonly serviceCode?: string;
	/** How long the service asks to wait, in milliseconds. */
	readonly retryAfterMs?: number;
	/** What to do next, as a clause without a final period. */
	readonly advice: string;
	/** Whether the order was placed, cancelled or replaced; undefined where the call was no order write. */
	readonly done?: Standing;
	/** Identifiers to follow up with, such as `client_order_id`. Never secrets. */
	readonly details: Readonly<Record<string, string | number | boolean | null>>;

	constructor(code: ErrorCode, details: ErrorFacts) {
		// Facts quote the service and the flow, and are printed.
		const facts = withTexts(details, printable);
		const advice = facts.advice ?? errorCodes[code].advice;
		const said = facts.serviceMessage ? ` (the service said: ${facts.serviceMessage.replace(/\.$/, '')})` : '';
		const summary = `${facts.operation ? `${facts.operation}: ` : ''}${facts.what.replace(/\.$/, '')}${said}`;
		super(`${summary}. ${advice}.`);
		this.name = 'ExchangeError';
		this.code = code;
		this.summary = summary;
		this.what = facts.what;
		this.operation = facts.operation;
		this.field = facts.field;
		this.status = facts.status;
		this.serviceMessage = facts.serviceMessage;
		this.serviceCode = facts.serviceCode;
		this.retryAfterMs = facts.retryAfterMs;
		this.advice = advice;
		this.done = facts.done;
		this.details = facts.details ?? {};
	}

	/** Both forms of the core, for `require` and for modules, may run in one process: each knows the errors of the other. */
	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && brand in value;
	}

	/** Tells the errors of this package from all others, whichever copy of it made them. */
	get [brand](): true {
		return true;
	}

	/** Whether the same call may be sent again and end otherwise. */
	get retryable(): boolean {
		return errorCodes[this.code].retryable;
	}

	/** The facts a flow may branch on, safe to store and to show. */
	toJSON(): Record<string, unknown> {
		const { code, message, operation, field, status, serviceMessage, serviceCode, advice, done, details } = this;
		const facts = {
			code,
			message,
			operation,
			field,
			status,
			serviceMessage,
			serviceCode,
			advice,
			done,
			retryable: this.retryable,
		};
		return { ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)), ...details };
	}
}

/** What an error says, to make another one that says more. */
export const factsIn = (error: ExchangeError): ErrorFacts => ({
	what: error.what,
	operation: error.operation,
	field: error.field,
	status: error.status,
	serviceMessage: error.serviceMessage,
	serviceCode: error.serviceCode,
	retryAfterMs: error.retryAfterMs,
	advice: error.advice,
	done: error.done,
	details: error.details,
});

/** An error of the same code that says something else of the same cause. */
export const retold = (error: ExchangeError, facts: ErrorFacts): ExchangeError =>
	'cause' in error ? causedBy(error.cause, error.code, facts) : new ExchangeError(error.code, facts);

/** An error that comes of what the caller handed over, whose own error is its cause. */
export const causedBy = (cause: unknown, code: ErrorCode, facts: ErrorFacts): ExchangeError =>
	Object.defineProperty(new ExchangeError(code, facts), 'cause', { value: cause });

/** The same facts with every text in them changed. */
export const withTexts = ({ details = {}, ...facts }: ErrorFacts, change: (text: string) => string): ErrorFacts => ({
	...changed(facts, change),
	details: changed(details, change),
});

const changed = <Facts extends object>(facts: Facts, change: (text: string) => string): Facts =>
	Object.fromEntries(
		Object.entries(facts).map(([name, value]) => [
			name,
			typeof value === 'string' ? change(value) : (value as unknown),
		]),
	) as Facts;

/** Facts that identify a write, as far as it had them. */
interface WriteFacts {
	client_order_id?: string;
	idempotency_key?: string;
	business_key?: string;
	order_id?: string;
	pair_id?: string;
	/** What the service called the order last. */
	status?: string;
	filled_quantity?: string;
	/** What is not filled of the order. */
	remaining_quantity?: string;
	/** Why the service rejected it. */
	rejection?: string;
}
/** The details that errors of a code may have. */
interface DetailsByCode {
	/** `not_before` is for Resolve Order, `cause` the code of the last try. */
	outcome_unknown: WriteFacts & { not_before?: string; cause?: string; attempts?: number };
	rejected: WriteFacts;
	unfilled: WriteFacts;
	time_limit: WriteFacts;
	/** `recipient_id` is the saved one that has these details. */
	conflict: WriteFacts & { recipient_id?: string };
}
/** An error of one code, with the details of that code. */
export type ErrorOf<Code extends ErrorCode> = ExchangeError & {
	readonly code: Code;
	readonly details: Code extends keyof DetailsByCode ? DetailsByCode[Code] : unknown;
};

/**
 * Whether an error is an {@link ExchangeError}, and of the given code if one is given, which narrows its details. Never
 * throws.
 *
 * @example
 * if (isExchangeError(error, 'rate_limited')) await wait(error.retryAfterMs ?? 1_000);
 * if (isExchangeError(error, 'outcome_unknown')) console.log(error.details.client_order_id);
 */
export const isExchangeError = <Code extends ErrorCode = ErrorCode>(
	error: unknown,
	code?: Code,
): error is ErrorOf<Code> => error instanceof ExchangeError && (code === undefined || error.code === code);

/** Whether the service refused the key, which no repetition of the call changes. */
export const isOfKey = (error: unknown): boolean =>
	isExchangeError(error, 'unauthorized') || isExchangeError(error, 'forbidden');
