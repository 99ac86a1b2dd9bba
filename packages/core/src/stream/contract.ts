import type { CommandAction, NoticeId, StreamStatus } from '../catalogue';
import type { ExchangeError } from '../errors';

/** One event, as flows receive it. */
export interface StreamEvent {
	/** The exact topic: `user.orders`, `trades.USD_NGN`. */
	topic: string;
	/** Position on the stream; null for events found by reading REST. */
	seq: number | null;
	epoch: string | number | null;
	/** When the service says it happened, as the service wrote it. */
	ts: string | null;
	/** The payload, untouched. */
	data: unknown;
	delivery: 'live' | 'replayed' | 'reconciled';
	/** Set on a notice, such as a gap, which is no event of the service. The catalogue declares its `data`. */
	kind?: NoticeId;
	/** Set on a change of an order book without a usable snapshot: earlier changes may be missing. */
	stale?: true;
	/** Identical for every copy of one event: live, replayed or reconciled. */
	eventKey: string;
}

/** The checkpoint a host stores between runs. Plain JSON, passed back unchanged; its content is not public. */
export type StoredCheckpoint = Readonly<Record<string, unknown>>;

/** Events that pass the filters are queued; the others are dropped. */
export interface EventFilters {
	statuses?: readonly string[];
	sides?: readonly string[];
	pairs?: readonly string[];
	/** Decimal text. */
	minQuantity?: string;
}

/** A receiver of events, such as a trigger node. */
export interface Consumer {
	topics: readonly string[];
	/** The checkpoint stored last. Without one it is a first start, which delivers only new events. */
	checkpoint?: StoredCheckpoint;
	/** Whether events between the checkpoint and this start are delivered. Default true. */
	deliverMissed?: boolean;
	filters?: EventFilters;
	/** The largest number of events in one `deliver`. Default 1. */
	batchMax?: number;
	/** Whether a first connection that fails or is refused is tried again instead of being reported. Default false. */
	retriesFirstConnection?: boolean;
	/** Resolves when the host has acknowledged the events. If it rejects, they are delivered again. One call at a time. */
	deliver(events: StreamEvent[]): Promise<void>;
	/** Called after `deliver` resolved, with the checkpoint to store. */
	onCheckpoint?(checkpoint: StoredCheckpoint): void;
	/** Changes of state, gaps, backfills and degradations, for operators. */
	onNotice?(notice: StreamNotice): void;
	/**
	 * The key was refused repeatedly. The stream goes on trying at growing pauses. A host that restarts subscriptions by
	 * itself may close this one.
	 */
	onRefused?(error: ExchangeError): void;
	/** The subscription ended for a reason that only a person can remove. Nothing more is delivered. */
	onFailed?(error: ExchangeError): void;
}

export type StreamState = 'connecting' | 'live' | 'catching_up' | 'waiting' | 'refused' | 'closed' | 'failed';

export interface StreamNotice {
	kind: 'state' | 'gap' | 'reconciled' | 'degraded';
	state: StreamState;
	topic?: string;
	/** One clause for people. */
	text: string;
}

export interface Counters {
	received: number;
	delivered: number;
	/** Not acknowledged by the host yet. */
	waiting: number;
	duplicates: number;
	filtered: number;
	reconciled: number;
	gaps: number;
	ignored: number;
	reconnects: number;
}

export interface Subscription {
	/** Resolves when every topic is confirmed; rejects with the reason if the address or the key is wrong. */
	ready: Promise<void>;
	counters(): Counters;
	/** Stops this consumer only. Resolves when nothing more will be delivered. */
	close(): Promise<void>;
}

/** The answer to a command: acceptance for processing, never the result. (Interface, part 6.) */
export interface CommandAck {
	action: CommandAction;
	data: Readonly<Record<string, unknown>>;
}

export interface Stream {
	subscribe(consumer: Consumer): Subscription;
	/**
	 * Sends one order command. Rejects with outcome_unknown when the acknowledgement is lost, and sends nothing when
	 * `assertWanted`, asked once the connection is ready, rejects.
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
