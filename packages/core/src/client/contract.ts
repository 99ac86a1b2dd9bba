import type { Account } from '../account';
import type { OperationId, StreamStatus } from '../catalogue';
import type { CallContext } from '../context';
import type { OrderPorts } from '../orders/deps';
import type { Intents } from '../orders/intents';
import type { PageLengths } from '../wire/page-length';
import type { Item } from '../wire/payload';
import type { Methods } from './methods';

/**
 * A client of one account: a method for each operation of the catalogue, such as `client.order.create({...})`.
 *
 * Every method throws an {@link ExchangeError}. Bad input is `invalid_input`, before any request. A write whose reply was
 * lost is `outcome_unknown`, never a failure. Amounts are decimal text in both directions.
 */
export interface Client extends Methods, Pick<Intents, 'recover'> {
	/** The account, with normalized addresses. */
	readonly account: Account;
	/**
	 * Calls the operation of an id that is only known at run time, as a host has it. Whoever writes the id down takes the
	 * method, which is the same call with types.
	 *
	 * @throws An {@link ExchangeError}: `invalid_input` or `not_available` before anything is sent; `unauthorized`, `forbidden`,
	 * `not_found`, `conflict`, `refused` or `rate_limited` as the service answers; `unreachable`, `timeout`, `unavailable` or
	 * `malformed_response` without a usable answer; `outcome_unknown` for a write that may have been done; `rejected`,
	 * `unfilled` or `time_limit` where an option asks for it; `limit_reached`; `aborted`.
	 */
	call(id: OperationId, input: Readonly<Record<string, unknown>>, context?: CallContext): Promise<unknown>;
	/**
	 * Every item of a list once, across all pages. `limit` bounds the total; without it the whole list is read, up to 1,000
	 * pages. (Interface, part 2.)
	 *
	 * @throws An {@link ExchangeError}: `invalid_input` for an operation that is no list, `limit_reached` after 1,000 pages with
	 * the place to go on from, and the codes of {@link Client.call}.
	 *
	 * @example
	 * for await (const order of client.items('order.list', { status: 'filled' }, { limit: 500 })) console.log(order.id);
	 */
	items(
		id: OperationId,
		input: Readonly<Record<string, unknown>>,
		context?: CallContext & { limit?: number },
	): AsyncGenerator<Item>;
	/**
	 * One page of a list as the service answers it, requested once: for callers that track their own offset and pace.
	 *
	 * @throws An {@link ExchangeError}: the codes of {@link Client.call}.
	 */
	page(id: OperationId, input: Readonly<Record<string, unknown>>, context?: CallContext): Promise<Item[]>;
	/** The clock of the service now, by the dates of its replies; undefined before the first. */
	serviceTime(): number | undefined;
}

/** What a host may pass to a client. Everything is optional. */
export interface ClientHost extends OrderPorts {
	/** Errors name operations and fields as forms label them, and not also as a script writes them. */
	isForm?: true;
	/** One per account, shared by all clients a host makes for it. */
	pageLengths?: PageLengths;
	/** Status of the account's stream in this process, if one runs. Must not open a stream. */
	streamStatus?: () => StreamStatus | undefined;
}
