import type { CommandAction, NoticeId, StreamStatus } from '../catalogue';
import type { ExchangeError } from '../errors';

/** One thing that happened, as flows receive it. */
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
	/** Set where it is no event of the service but something to be told of the events: `data` is then as the catalogue shows. */
	kind?: NoticeId;
	/** A change of an order book before which others may be missing: no snapshot to begin with could be had. */
	stale?: true;
	/** Identical for every copy of one event, whichever way it arrives. */
	eventKey: string;
}

/** What a consumer keeps between runs. Plain JSON, to be stored and handed back unread. */
export type StoredCheckpoint = Readonly<Record<string, unknown>>;

/** Events that pass are queued; the others are never seen. */
export interface EventFilters {
	statuses?: readonly string[];
	sides?: readonly string[];
	pairs?: readonly string[];
	/** Decimal text. */
	minQuantity?: string;
}

/** Who receives events, such as a trigger node. */
export interface Consumer {
	topics: readonly string[];
	/** Where it stood when it last stopped; nothing for a first start, which delivers only what is new. */
	checkpoint?: StoredCheckpoint;
	/** Whether what happened while it was away is delivered. Default true. */
	deliverMissed?: boolean;
	filters?: EventFilters;
	/** Most events handed over at once. Default 1. */
	batchMax?: number;
	/** A first connection that does not come about, or is refused, is tried again instead of being reported. Default false. */
	retriesFirstConnection?: boolean;
	/** Resolves when the host has taken the events; they are handed over again if it rejects. One call at a time. */
	deliver(events: StreamEvent[]): Promise<void>;
	/** Called after `deliver` resolved, with what to store. */
	onCheckpoint?(checkpoint: StoredCheckpoint): void;
	/** Changes of state, gaps and other things worth knowing. */
	onNotice?(notice: StreamNotice): void;
	/**
	 * The key is refused, which was confirmed. The stream goes on trying at growing pauses; a host that starts a
	 * subscription again by itself may close this one.
	 */
	onRefused?(error: ExchangeError): void;
	/** The subscription ended for a reason only a person can remove. Nothing more is delivered. */
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
	/** Not taken by the host yet. */
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
	/** Stops this consumer only. Resolves when nothing more will be handed over. */
	close(): Promise<void>;
}

/** The answer to a command: acceptance for processing, never the result. (Interface, part 6.) */
export interface CommandAck {
	action: CommandAction;
	data: Readonly<Record<string, unknown>>;
}

export interface Stream {
	subscribe(consumer: Consumer): Subscription;
	/** Sends one order command. Rejects with outcome_unknown when the acknowledgement is lost. */
	command(action: CommandAction, fields: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<CommandAck>;
	/**
	 * Hears of every order update as it arrives, perhaps twice and perhaps late: a hint to read, never the truth.
	 * The returned function stops it.
	 */
	onOrderUpdate(listener: (order: Readonly<Record<string, unknown>>) => void): () => void;
	/** How it goes by now, as plain data: no keys, and nothing of what events hold. */
	status(): StreamStatus;
	/** Ends every subscription and connection. */
	close(): Promise<void>;
}
