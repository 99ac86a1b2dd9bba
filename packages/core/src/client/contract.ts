import type { Account } from '../account';
import type { Operation, OperationId, StreamStatus } from '../catalogue';
import type { CallContext } from '../context';
import type { OrderPorts } from '../orders/deps';
import type { Intents } from '../orders/intents';
import type { Ports } from '../ports';
import type { Item } from '../wire/payload';
import type { Accepted } from '../wire/request';
import type { Methods } from './methods';

/** The ids of the methods that are written. */
type WrittenId = { [Resource in keyof Methods]: `${Resource}.${keyof Methods[Resource] & string}` }[keyof Methods];
type Written<Id extends WrittenId> = Id;
/** The error here names an operation of the catalogue that `Methods` lacks, until `npm run docs` has written it. */
type EveryId = Written<OperationId>;

type MethodOf<Id> = Id extends `${infer Resource extends keyof Methods}.${infer Verb}`
	? Extract<Methods[Resource][Verb & keyof Methods[Resource]], (...given: never[]) => unknown>
	: never;
/** What is known of a call by its id: nothing, where the id itself is only known at run time, as a host has it. */
type Known<Id extends OperationId, Shown, Unknown> = EveryId extends Id ? Unknown : NonNullable<Shown>;
type Given<Id extends OperationId> = Known<Id, Parameters<MethodOf<Id>>[0], Readonly<Record<string, unknown>>>;
type Context<Id extends OperationId> = Known<Id, Parameters<MethodOf<Id>>[1], CallContext>;
type Answer<Id extends OperationId> = Known<Id, Awaited<ReturnType<MethodOf<Id>>>, unknown>;
type Row<Id extends OperationId> = Known<Id, ReturnType<MethodOf<Id>> extends AsyncIterable<infer R> ? R : never, Item>;

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
	 * Calls the operation of an id: the same as its method. Where the id is only known at run time, as in a host, the
	 * input may be anything, and so may the answer.
	 *
	 * @throws An {@link ExchangeError}: `invalid_input` or `not_available` before anything is sent; `unauthorized`,
	 * `forbidden`, `not_found`, `conflict`, `refused` or `rate_limited` as the service answers. `unreachable`,
	 * `timeout`, `unavailable` or `malformed_response` without a usable answer; `outcome_unknown` for a write that may
	 * have been done. `rejected`, `unfilled` or `time_limit` where an option asks for it; `limit_reached`; `aborted`.
	 */
	call<Id extends OperationId>(id: Id, input: Given<Id>, context?: Context<Id>): Promise<Answer<Id>>;
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
	items<Id extends OperationId>(
		id: Id,
		input: Given<Id>,
		context?: Context<Id> & { limit?: number },
	): AsyncGenerator<Row<Id>>;
	/**
	 * One page of a list as the service answers it, requested once unless `retries` says otherwise: for callers that track
	 * their own offset and pace.
	 *
	 * @throws An {@link ExchangeError}: the codes of {@link Client.call}.
	 */
	page<Id extends OperationId>(id: Id, input: Given<Id>, context?: Context<Id>): Promise<Row<Id>[]>;
	/** The clock of the service now, by the dates of its replies; undefined before the first. */
	serviceTime(): number | undefined;
	/** The clock of the service in whole milliseconds, or the local clock where no reply carried a date yet. */
	now(): number;
}

/** A client for what is written for every operation, whose ids are only known at run time. */
export interface UntypedClient extends Pick<Client, 'account' | 'serviceTime' | 'now'> {
	call(id: OperationId, input: Readonly<Record<string, unknown>>, context?: CallContext): Promise<unknown>;
	items(
		id: OperationId,
		input: Readonly<Record<string, unknown>>,
		context?: CallContext & { limit?: number },
	): AsyncGenerator<Item>;
	page(id: OperationId, input: Readonly<Record<string, unknown>>, context?: CallContext): Promise<Item[]>;
}

/** What an operation that is computed from others works with. */
export interface Composing {
	operation: Operation;
	input: Accepted;
	context: CallContext;
	ports: Ports;
	/** Calls the other operations as anybody calls them. */
	client: Pick<UntypedClient, 'call' | 'items'>;
	/** The runs in progress that act, by what they act on, of all clients of the account. */
	running: Map<string, Promise<unknown>>;
}

/** What a host may pass to a client. Everything is optional. */
export interface ClientHost extends OrderPorts {
	/** Errors name operations and fields as forms label them, and not also as a script writes them. */
	isForm?: true;
	/** Status of the account's stream in this process, if one runs. Must not open a stream. */
	streamStatus?: () => StreamStatus | undefined;
}
