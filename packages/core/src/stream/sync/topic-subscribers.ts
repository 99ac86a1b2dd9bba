import { ExchangeError } from '../../errors';
import { readOverRest } from '../delivery/admission';
import type { Subscriber } from '../delivery/subscriber';
import type { TopicEvent } from '../topics/event';
import { createWaiters, type Needs } from './waiters';

/** The subscribers of a topic, and the callers that wait for its confirmation or baseline. */
export interface TopicSubscribers {
	all(): readonly Subscriber[];
	/** The subscribers whose filters may let events of the topic pass, */
	interested(): readonly Subscriber[];
	/** and those whose filters let none of them pass. */
	bystanders(): readonly Subscriber[];
	/** Whether a message can be dropped unread, because no filter lets its topic pass. Counts it if so. */
	drops(): boolean;
	/** Offers an event that no message brought to all of them. */
	tell(event: TopicEvent): void;
	/** A message arrived. */
	arrived(): void;
	/** Messages received. */
	received(): number;
	/** A jump of the sequence numbers suggests missing messages: counts it for each subscriber. */
	countGap(): void;
	/** Resolves when the topic is confirmed and the baseline read, as far as `needs` asks for them. */
	join(subscriber: Subscriber, needs: Needs): Promise<void>;
	/** The same for callers without a subscriber, which only need the topic to be confirmed. */
	ready(needs: Needs): Promise<void>;
	/** A lagging subscriber is served again from the next confirmation on. */
	rejoin(subscriber: Subscriber): void;
	isRejoining(subscriber: Subscriber): boolean;
	/** Subscribers that still have to catch up. */
	lagging(): ReadonlySet<Subscriber>;
	/** Subscribers that joined since the connection opened, without a position of their own: no replay is for them. */
	joined(): ReadonlySet<Subscriber>;
	confirmed(): void;
	/** The connection is lost. */
	lost(): void;
	/** The baseline of a subscriber is read. */
	baselined(subscriber: Subscriber): void;
	/** Removes a subscriber. If it was still waiting, its promise is rejected with the error. */
	leave(subscriber: Subscriber, error?: ExchangeError): void;
	/** Rejects all waiting callers, or only those without a subscriber. */
	reject(error: ExchangeError, whom?: 'all' | 'anonymous'): void;
}

/** `changes` is called before a subscriber joins or leaves. */
export function createTopicSubscribers(topic: string, changes: () => void): TopicSubscribers {
	const [subscribers, rejoining] = [new Set<Subscriber>(), new Set<Subscriber>()];
	const waiters = createWaiters();
	/** Read for every message, so these arrays are rebuilt only when a subscriber joins or leaves. */
	let current: readonly Subscriber[] = [];
	let interested: readonly Subscriber[] = [];
	let bystanders: readonly Subscriber[] = [];
	let joined = new Set<Subscriber>();
	let received = 0;

	function arrived(): void {
		received += 1;
		for (const { counters } of interested) counters.received += 1;
	}

	function lagging(): ReadonlySet<Subscriber> {
		const waiting = waiters.unconfirmed();
		return rejoining.size === 0 && waiting.length === 0 ? nobody : new Set([...rejoining, ...waiting]);
	}

	function drops(): boolean {
		// Waiting callers without a subscriber have no filters.
		const isUnwanted = current.length > 0 && interested.length === 0;
		if (isUnwanted) arrived();
		return isUnwanted;
	}

	function change(action: () => void): void {
		changes();
		action();
		current = [...subscribers];
		interested = current.filter((subscriber) => subscriber.wants(topic));
		bystanders = current.filter((subscriber) => !subscriber.wants(topic));
	}

	return {
		all: () => current,
		interested: () => interested,
		bystanders: () => bystanders,
		drops,
		tell: (event) => current.forEach((subscriber) => subscriber.offer([event], readOverRest(topic))),
		arrived,
		received: () => received,
		countGap: () => current.forEach(({ counters }) => (counters.gaps += 1)),
		join: (subscriber, needs) => {
			change(() => subscribers.add(subscriber));
			if (subscriber.cursor(topic).start === 'new') joined.add(subscriber);
			return waiters.wait(subscriber, needs);
		},
		ready: (needs) => waiters.wait(undefined, needs),
		rejoin: (subscriber) => rejoining.add(subscriber),
		isRejoining: (subscriber) => rejoining.has(subscriber),
		lagging,
		joined: () => joined,
		confirmed: () => {
			rejoining.clear();
			waiters.meet('confirmation');
		},
		lost: () => void (joined = new Set(waiters.unconfirmed().filter((subscriber) => joined.has(subscriber)))),
		baselined: (subscriber) => waiters.meet('baseline', (waiting) => waiting === subscriber),
		leave: (subscriber, error = left()) => {
			change(() => subscribers.delete(subscriber));
			rejoining.delete(subscriber);
			joined.delete(subscriber);
			waiters.reject((waiting) => waiting === subscriber, error);
		},
		reject: (error, whom = 'all') => waiters.reject((waiting) => whom === 'all' || waiting === undefined, error),
	};
}

const nobody: ReadonlySet<Subscriber> = new Set();

const left = (): ExchangeError =>
	new ExchangeError('aborted', { operation: 'Stream', what: 'The subscription was closed before it was ready' });
