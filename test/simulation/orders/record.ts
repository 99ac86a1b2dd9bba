import type { Item } from '@partner-exchange/core';
import type { Trace } from '../support/trace';

/** One call of the client by its host, and all traffic it caused. */
export interface Call {
	number: number;
	/** The generation of the client's process. */
	life: number;
	/** The address of the account it was made for. */
	address: string;
	/** Shared by all calls of one intent. */
	intent: string;
	/** Distinguishes requests: the quantity, which is unique per payload, or the order to cancel. */
	subject: string;
	kind: 'create' | 'cancel' | 'replace';
	/** The host stated that an earlier run may have sent it. */
	repeated: boolean;
	/** Sent with a business key, which other processes may use as well. */
	business: boolean;
	/** Requested by an agent, which may repeat a certainly refused request under another name. */
	isToolCall: boolean;
	/** The host refused it before it reached the client. */
	declined: boolean;
	startedAt: number;
	sends: Sent[];
	reads: number;
	/** Lookups after the call ended with an unknown outcome. */
	readsAfter: number;
	/** The options of its node forbid it. */
	isForbidden: boolean;
	/** The client order id is another one in every run. */
	isTraced: boolean;
	/** The client must not send again before this time: the service asked it to wait. */
	waitUntil: number;
	/** The statuses of all answers. */
	heard: Set<number>;
	claim?: Claim;
}

/** The settlement reported for an intent after a call ended with an unknown outcome. */
export interface Settled extends Claim {
	life: number;
	address: string;
	kind: Call['kind'];
	subject: string;
}

export interface Sent {
	at: number;
	/** Position in the order of all transmissions and results. */
	order: number;
	/** Idempotency key and payload as sent. */
	bytes: string;
	/** The order this transmission created, if any. */
	made: string[];
	/** When the order was created. */
	madeAt?: number;
}

/** The result the client reported to its host. */
export interface Claim {
	at: number;
	order: number;
	/** `ended`: an error that says how an order ended, which was placed. */
	is: 'accepted' | 'ended' | 'refused' | 'unknown' | 'stopped' | 'dry';
	code?: string;
	item?: Item;
	text: string;
}

export interface Record {
	calls: Call[];
	settled: Settled[];
	/** Orders that Resolve Order denied, by client order id. */
	denied: { name: string; at: number }[];
	violations: Set<string>;
	trace: Trace;
	/** The next position in the order of events. */
	next(): number;
	violate(text: string): void;
}

export function newRecord(trace: Trace): Record {
	const violations = new Set<string>();
	let count = 0;
	return {
		calls: [],
		settled: [],
		denied: [],
		violations,
		trace,
		next: () => ++count,
		violate: (text) => void violations.add(text),
	};
}
