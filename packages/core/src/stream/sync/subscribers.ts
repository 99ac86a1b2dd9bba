import { ExchangeError } from '../../errors';
import type { Subscriber } from '../delivery/subscriber';

/** The subscribers of a topic, and the callers that wait for its confirmation or baseline. */
export interface Subscribers {
	all(): readonly Subscriber[];
	/** The subscribers whose filters may let events of the topic pass. */
	interested(): readonly Subscriber[];
	/** Whether a message can be dropped unread: no filter lets its topic pass, or it is a repeat. Counts it if so. */
	drops(isRepeated: boolean): boolean;
	/** A message arrived. */
	arrived(): void;
	/** Messages received. */
	received(): number;
	/** A jump of the sequence numbers suggests missing messages. */
	doubted(): void;
	/** Resolves when the topic is confirmed and the baseline read, as far as `needs` asks for them. */
	join(subscriber: Subscriber, needs: Needs): Promise<void>;
	/** The same for callers without a subscriber, which only need the topic to be confirmed. */
	ready(needs: Needs): Promise<void>;
	/** A lagging subscriber is served again from the next confirmation on. */
	rejoin(subscriber: Subscriber): void;
	isRejoining(subscriber: Subscriber): boolean;
	/** Subscribers that still have to catch up. */
	lagging(): ReadonlySet<Subscriber>;
	confirmed(): void;
	/** The baseline of a subscriber is read. */
	baselined(subscriber: Subscriber): void;
	/** Removes a subscriber. If it was still waiting, its promise is rejected with the error. */
	leave(subscriber: Subscriber, error?: ExchangeError): void;
	/** Rejects all waiting callers, or only those without a subscriber. */
	reject(error: ExchangeError, whom?: 'all' | 'anonymous'): void;
}

interface Needs {
	confirmation: boolean;
	baseline: boolean;
}

interface Entry {
	subscriber: Subscriber | undefined;
	needs: Needs;
	resolve(): void;
	reject(error: ExchangeError): void;
}

/** `changed` is called with the bystanders: the subscribers whose filters let no event of the topic pass. */
export function createSubscribers(topic: string, changed: (bystanders: readonly Subscriber[]) => void): Subscribers {
	const subscribers = new Set<Subscriber>();
	const rejoining = new Set<Subscriber>();
	const entries = new Set<Entry>();
	/** Read for every message, so these arrays are rebuilt only when a subscriber joins or leaves. */
	let present: readonly Subscriber[] = [];
	let interested: readonly Subscriber[] = [];

	let received = 0;

	const wait = (subscriber: Subscriber | undefined, needs: Needs): Promise<void> =>
		new Promise((resolve, reject) => {
			const entry = { subscriber, needs: { ...needs }, resolve, reject };
			entries.add(entry);
			settle(entry);
		});

	function settle(entry: Entry): void {
		if (entry.needs.confirmation || entry.needs.baseline) return;
		entries.delete(entry);
		entry.resolve();
	}

	function meet(need: keyof Needs, whose: (entry: Entry) => boolean): void {
		for (const entry of [...entries].filter(whose)) {
			entry.needs[need] = false;
			settle(entry);
		}
	}

	function reject(whom: (entry: Entry) => boolean, error: ExchangeError): void {
		for (const entry of [...entries].filter(whom)) {
			entries.delete(entry);
			entry.reject(error);
		}
	}

	function arrived(): void {
		received += 1;
		for (const { counters } of interested) counters.received += 1;
	}

	function tell(): void {
		present = [...subscribers];
		interested = present.filter((one) => one.wants(topic));
		changed(present.filter((one) => !one.wants(topic)));
	}

	return {
		all: () => present,
		interested: () => interested,
		drops: (isRepeated) => {
			// Waiting callers without a subscriber have no filters.
			if (present.length === 0 || !(isRepeated || interested.length === 0)) return false;
			arrived();
			for (const { counters, tally } of interested) {
				counters.duplicates += 1;
				tally(topic).duplicates += 1;
			}
			return true;
		},
		arrived,
		received: () => received,
		doubted: () => {
			for (const { counters } of present) counters.gaps += 1;
		},
		join: (subscriber, needs) => {
			subscribers.add(subscriber);
			tell();
			return wait(subscriber, needs);
		},
		ready: (needs) => wait(undefined, needs),
		rejoin: (subscriber) => rejoining.add(subscriber),
		isRejoining: (subscriber) => rejoining.has(subscriber),
		lagging: () => {
			if (rejoining.size === 0 && entries.size === 0) return nobody;
			const waiting = [...entries].flatMap(({ subscriber, needs }) =>
				subscriber && needs.confirmation ? [subscriber] : [],
			);
			return new Set([...rejoining, ...waiting]);
		},
		confirmed: () => {
			rejoining.clear();
			meet('confirmation', () => true);
		},
		baselined: (one) => meet('baseline', ({ subscriber }) => subscriber === one),
		leave: (one, error = left()) => {
			subscribers.delete(one);
			tell();
			rejoining.delete(one);
			reject(({ subscriber }) => subscriber === one, error);
		},
		reject: (error, whom = 'all') => reject(({ subscriber }) => whom === 'all' || subscriber === undefined, error),
	};
}

const nobody: ReadonlySet<Subscriber> = new Set();

const left = (): ExchangeError =>
	new ExchangeError('aborted', { operation: 'Stream', what: 'The subscription was closed before it was ready' });
