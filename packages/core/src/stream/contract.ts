import type { CommandAction, GapNotice, IncompleteFillsNotice, NoticeId, StreamStatus, TopicId } from '../catalogue';
import type { Fill, Order, OrderBook, Trade } from '../client/methods';
import type { ExchangeError } from '../errors';

/** What every event says, whatever its topic. */
interface Happening {
	/** Position on the stream, as text where a number would be rounded; null for events found by reading REST. */
	seq: number | string | null;
	/** Epoch of the sequence number; it changes when the service begins to count from the start. (Interface, part 6.) */
	epoch: string | number | null;
	/** When the service says it happened, as the service wrote it. */
	ts: string | null;
	/** How the event came: as it happened, by a resumed stream, or read over REST. */
	delivery: 'live' | 'replayed' | 'reconciled';
	/** Set on a change of an order book without a usable snapshot: earlier changes may be missing. */
	stale?: true;
	/** Identical for every copy of one event: live, replayed or reconciled. */
	eventKey: string;
}

/** An event of the service, with all that its payload shows, as it was written. The interface does not show its fields. */
interface Event<Topic extends string, Data> extends Happening {
	/** The exact topic: `user.orders`, `trades.USD_NGN`. */
	topic: Topic;
	/** The payload; an order also says what remains of it, as `remaining_quantity`. */
	data: Data;
	/** A notice has one. */
	kind?: undefined;
}

/** A notice: something is missing that could not be read back, or an order's fills do not add up. */
type Notice<Topic extends string> = Happening & { topic: Topic } & (
		{ kind: 'gap'; data: GapNotice } | { kind: 'incomplete_fills'; data: IncompleteFillsNotice }
	);

/** What the events of each topic carry. A missing topic does not compile. */
type Payloads = OfEachTopic<{
	'user.orders': Partial<Order> & { order_id?: string };
	'user.fills': Fill;
	trades: Partial<Trade>;
	orderbook: Partial<OrderBook>;
}>;
type OfEachTopic<Types extends Record<TopicId, unknown>> = Types;

/** The exact topics that a topic brings events of, and their payload. */
type EventOf<Topic extends string> = Topic extends keyof Payloads
	? Event<Topic, Payloads[Topic]>
	: Topic extends `${infer Id extends TopicId}.${string}`
		? Event<`${Id}.${string}`, Payloads[Id]>
		: Event<string, unknown>;

/**
 * One event or notice of the topics that were subscribed, as flows receive it. Its topic says what its `data` holds, where
 * it has no `kind`. Where the topics are only known at run time, its `data` may be anything.
 *
 * @example
 * const save = async (events: StreamEvent<'user.fills'>[]) => {
 * 	for (const { kind, data } of events) if (kind === undefined) console.log(data.quantity, data.price);
 * };
 */
export type StreamEvent<Topic extends string = string> = string extends Topic
	? Happening & { topic: string; data: unknown; kind?: NoticeId }
	: EventOf<Topic> | Notice<Topic extends `${infer Pair}*` ? `${Pair}${string}` : Topic>;

/**
 * The checkpoint a host stores between runs. Plain JSON, passed back unchanged; its content is not public. It is worked out
 * when it is first read or written, because hosts store far fewer than there are.
 */
export type StoredCheckpoint = Readonly<Record<string, unknown>>;

/** Events that pass every filter wait; the others are dropped. A filter that is not set lets everything pass. */
export interface EventFilters {
	/** Order statuses, such as `filled`. */
	statuses?: readonly string[];
	/** `buy`, `sell`. */
	sides?: readonly string[];
	/** Pairs as the service lists them: `USD/NGN`. */
	pairs?: readonly string[];
	/** The smallest quantity, as decimal text in the base currency. */
	minQuantity?: string;
}

/** A receiver of events, such as a trigger. After a crash events come again with the same `eventKey`. */
export interface Consumer<Topic extends string = string> {
	/** Exact topics such as `user.fills` and `trades.USD_NGN`, or wildcards such as `trades.*`, which are live only. */
	topics: readonly Topic[];
	/**
	 * The checkpoint stored last. Without one it is a first start, which delivers only new events. A damaged one ends
	 * the subscription with `invalid_input`. With one of another version it begins from now, with a gap.
	 */
	checkpoint?: StoredCheckpoint;
	/** Whether events between the checkpoint and this start are delivered. Default true. */
	deliverMissed?: boolean;
	/** Which events are delivered. Default: all. */
	filters?: EventFilters;
	/** The largest number of events in one `deliver`. Default 1. */
	batchMax?: number;
	/** Whether a first connection that fails or is refused is tried again instead of being reported. Default false. */
	retriesFirstConnection?: boolean;
	/** Resolves when the host has acknowledged the events. If it rejects, they are delivered again. One call at a time. */
	deliver(events: StreamEvent<Topic>[]): Promise<void>;
	/**
	 * Called after `deliver` resolved, with the checkpoint to store. Where it throws or rejects, the subscription ends:
	 * `onFailed` gets an error whose `cause` is what was thrown.
	 */
	onCheckpoint?(checkpoint: StoredCheckpoint): void;
	/** Changes of state, gaps, backfills and degradations, for operators. */
	onNotice?(notice: StreamNotice): void;
	/**
	 * The key was refused repeatedly. The stream goes on trying at growing pauses. A host that restarts subscriptions by
	 * itself may close this one.
	 */
	onRefused?(error: ExchangeError): void;
	/**
	 * The subscription ended, before it was ready or later, for a reason that only a person can remove. Nothing more is
	 * delivered. `ready` rejects with the same error where it had not resolved.
	 */
	onFailed?(error: ExchangeError): void;
}

/**
 * The state of a subscription's connection: `live` follows the service, `catching_up` reads what was missed, `waiting`
 * pauses before another try, `refused` waits longer because the key was refused, `failed` ended for a reason only a person
 * can remove.
 */
export type StreamState = 'connecting' | 'live' | 'catching_up' | 'waiting' | 'refused' | 'closed' | 'failed';

/** What an operator should know: a change of state, a gap, a backfill, or something that works badly. */
export interface StreamNotice {
	/** What happened. */
	kind: 'state' | 'gap' | 'reconciled' | 'degraded';
	/** The state of the connection at that moment. */
	state: StreamState;
	/** The topic it concerns; missing when it concerns the connection. */
	topic?: string;
	/** One clause for people. */
	text: string;
	/** What `deliver` rejected with, where its events were not acknowledged. */
	cause?: unknown;
}

/** What happened to the events of one subscription, since it began. */
export interface Counters {
	/** Messages of its topics. */
	received: number;
	/** Events the host acknowledged. */
	delivered: number;
	/** Not acknowledged by the host yet. */
	waiting: number;
	/** Copies of events that were known. */
	duplicates: number;
	/** Events that did not pass the filters. */
	filtered: number;
	/** Delivered events that were found by reading REST. */
	reconciled: number;
	/** Gaps that could not be read back. */
	gaps: number;
	/** Messages that could not be read. */
	ignored: number;
	/** Connections after the first. */
	reconnects: number;
}

/** One consumer's place on the stream. */
export interface Subscription {
	/**
	 * Resolves when every topic is confirmed, and for a first start when a read has shown which events are old.
	 *
	 * @throws An {@link ExchangeError}: `invalid_input` for a topic that does not exist, none, or a wrong filter;
	 * `invalid_account` for a private topic without a key; `unauthorized` or `forbidden` when the key is refused.
	 * `unreachable` without a connection; `timeout` after 30 seconds without a confirmation; `aborted` or
	 * `stream_closed` when it was closed.
	 */
	ready: Promise<void>;
	/** The counts until now. */
	counters(): Counters;
	/** Stops this consumer only. Resolves when nothing more will be delivered. */
	close(): Promise<void>;
}

/** The answer to a command: acceptance for processing, never the result. (Interface, part 6.) */
export interface CommandAck {
	/** The action of the command. */
	action: CommandAction;
	/** What the service said, such as the interim status. */
	data: Readonly<Record<string, unknown>>;
}

/** The stream of one account: subscriptions share its connections. */
export interface Stream {
	/**
	 * Subscribes a consumer. Returns at once; await `ready` to know that it listens.
	 *
	 * @example
	 * const fills = stream.subscribe({ topics: ['user.fills'], deliver: async (events) => save(events) });
	 * await fills.ready;
	 */
	subscribe<Topic extends string>(consumer: Consumer<Topic>): Subscription;
	/**
	 * Sends one order command and resolves with its acknowledgement. Sends nothing when `assertWanted`, asked once the
	 * connection is ready, rejects. Prefer `client.order.cancel` and `client.order.replace`, which also find out the result.
	 *
	 * @throws An {@link ExchangeError}: `outcome_unknown` when the acknowledgement is lost or does not come within 10 seconds;
	 * `stream_closed`; `limit_reached` with 1,000 commands waiting; the service's refusal as `unauthorized`, `forbidden`,
	 * `refused`, `conflict` or `rate_limited`. (Interface, part 7.)
	 */
	command(
		action: CommandAction,
		fields: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
		assertWanted?: () => Promise<void>,
	): Promise<CommandAck>;
	/**
	 * Calls the listener with every order update, which may be repeated or late: a hint to read the order, never proof of
	 * its state. The returned function removes the listener.
	 */
	onOrderUpdate(listener: (order: Readonly<Record<string, unknown>>) => void): () => void;
	/** Statistics as plain data, without keys and without contents of events. */
	status(): StreamStatus;
	/** Ends every subscription and connection. */
	close(): Promise<void>;
}
