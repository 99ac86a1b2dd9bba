import type { Item } from '@partner-exchange/core';
import type { Trace } from '../support/trace';

/** One call of the client by its host, and everything that left or reached the client because of it. */
export interface Call {
	number: number;
	/** Which life of the client's process it belongs to. */
	life: number;
	/** Calls of one intent share this name. */
	intent: string;
	/** Tells what is asked for apart: the quantity, which no two payloads share, or the order to cancel. */
	subject: string;
	kind: 'create' | 'cancel' | 'replace';
	/** The host said that an earlier run may have sent it. */
	repeated: boolean;
	/** Carried under a business key, which other processes may use as well. */
	business: boolean;
	/** Asked for by an agent, which may ask once more under another name for what was certainly refused. */
	isToolCall: boolean;
	/** The host turned it away before it came to the client. */
	declined: boolean;
	startedAt: number;
	sends: Sent[];
	reads: number;
	/** Readings after the call answered, for what it left unknown. */
	readsAfter: number;
	/** The options of its node do not allow it. */
	isForbidden: boolean;
	/** Not before this time may it send again: the service asked for patience. */
	waitUntil: number;
	claim?: Claim;
}

/** What was told of an intent after a call had to say that nobody knows. */
export interface Settled extends Claim {
	life: number;
	kind: Call['kind'];
	subject: string;
}

export interface Sent {
	at: number;
	/** Position among all that left and all that was claimed. */
	order: number;
	/** Idempotency key and payload, as they left. */
	bytes: string;
	/** Order that this transmission made, if it made one. */
	made: string[];
	/** When it made it. */
	madeAt?: number;
}

/** What the client told its host. */
export interface Claim {
	at: number;
	order: number;
	is: 'accepted' | 'refused' | 'unknown' | 'stopped' | 'dry';
	code?: string;
	item?: Item;
	text: string;
}

export interface Record {
	calls: Call[];
	settled: Settled[];
	violations: Set<string>;
	trace: Trace;
	/** The next position in the order of things. */
	next(): number;
	violate(text: string): void;
}

export function newRecord(trace: Trace): Record {
	const violations = new Set<string>();
	let count = 0;
	return {
		calls: [],
		settled: [],
		violations,
		trace,
		next: () => ++count,
		violate: (text) => void violations.add(text),
	};
}
