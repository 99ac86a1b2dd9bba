import type { Account } from '../account';
import { inBackground, tell } from '../background';
import { ExchangeError } from '../errors';
import { assertGiven, callback, flag, plainObject, readElsewhere, texts, wholeNumber, type Kind } from '../given';
import type { Clock } from '../ports';
import type { Consumer, Subscription } from './contract';
import { timeOfService, type Feed } from './feed/feed';
import { rejoin } from './feed/join';
import { assertTopic, type Feeds } from './feeds';
import { assertFilters } from './filter';
import { READY_MS_MAX } from './limits';
import { assertOwnCheckpoint } from './log/checkpoint';
import { countersOf, createSubscriber, type Subscriber } from './subscriber';

/** The subscribers of a stream: how each joins, becomes ready and ends. */
export interface Subscriptions {
	/** `hears`: it gets updates of orders as they come, and asks for no read. `holds`: a process waits for it. */
	subscribe(consumer: Consumer, hears?: { holds: boolean }): Subscription;
	/** Removes a subscriber and tells its host the error. */
	fail(subscriber: Subscriber, error: ExchangeError): void;
	/**
	 * The connection of these topics could not be opened yet, or its key was refused repeatedly. Subscribers that do
	 * not retry their first connection fail; the others get a refusal.
	 */
	failUnreached(topics: readonly string[], error: ExchangeError): void;
	count(): number;
	close(): void;
}

interface SubscriptionsPorts {
	account: Account;
	/** A form may ask for other topics than before. */
	isForm: boolean;
	clock: Required<Clock>;
	random: () => number;
	feeds: Feeds;
	/** The error in the words of its reader: as a form labels things, or as a script writes them. */
	inWords(error: unknown): unknown;
}

const parts: Readonly<Record<keyof Consumer, Kind>> = {
	topics: texts,
	checkpoint: readElsewhere,
	deliverMissed: flag,
	filters: plainObject,
	batchMax: wholeNumber(1, 10_000),
	retriesFirstConnection: flag,
	deliver: callback,
	onCheckpoint: callback,
	onNotice: callback,
	onRefused: callback,
	onFailed: callback,
};

export function createSubscriptions(ports: SubscriptionsPorts): Subscriptions {
	const { account, isForm, clock, random, feeds } = ports;
	const { baseUrl: address } = account;
	const inWords = (error: unknown) => ports.inWords(error) as ExchangeError;
	/** Each subscriber, with the function that ends its time limit and lets the process end without it. */
	const all = new Map<Subscriber, () => void>();
	let isClosed = false;

	function subscribe(consumer: Consumer, hears?: { holds: boolean }): Subscription {
		let subscriber: Subscriber;
		try {
			subscriber = open(consumer, hears !== undefined);
		} catch (error) {
			return failedSubscription(consumer, inWords(error));
		}
		add(subscriber, hears?.holds === false ? () => undefined : clock.hold());
		const { ready, counters } = subscriber;
		return { ready, counters, close: async () => remove(subscriber) };
	}

	function open(consumer: Consumer, hearsOnly: boolean): Subscriber {
		assertGiven(consumer, parts, { of: 'A subscription', operation: 'Stream', needs: ['topics', 'deliver'] });
		assertFilters(consumer.filters, isForm);
		if (!isForm) assertOwnCheckpoint(consumer, address);
		assertOwnStore(consumer);
		const [first] = consumer.topics;
		if (first === undefined)
			throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
		for (const topic of consumer.topics) assertTopic(topic, account);
		if (isClosed) throw streamClosed();
		const of = (topic: string): Feed => feeds.get(topic)!;
		const subscriber: Subscriber = createSubscriber(consumer, {
			address,
			clock,
			random,
			hearsOnly,
			serviceTime: (at) => timeOfService(of(first), at),
			hasRoom: (cursor) => rejoin(of(cursor.log.topic), cursor),
			failed: (error) => fail(subscriber, error),
		});
		return subscriber;
	}

	/** A checkpoint does not say whose it is, so a store for two subscriptions would overwrite one with the other. */
	function assertOwnStore({ onCheckpoint }: Consumer): void {
		if (!onCheckpoint || ![...all.keys()].some((other) => other.consumer.onCheckpoint === onCheckpoint)) return;
		throw new ExchangeError('invalid_input', {
			operation: 'Stream',
			field: 'onCheckpoint',
			what: 'This onCheckpoint stores the checkpoint of another open subscription already, and would store one over the other',
			advice: 'Give each subscription an onCheckpoint, or a fileCheckpoint, of its own; nothing was sent',
		});
	}

	function add(subscriber: Subscriber, letGo: () => void): void {
		const { topics, retriesFirstConnection } = subscriber.consumer;
		const cancel = retriesFirstConnection ? () => undefined : clock.after(READY_MS_MAX, () => fail(subscriber, late()));
		inBackground(subscriber.ready.then(cancel));
		all.set(subscriber, () => (letGo(), cancel()));
		// A subscriber may leave in its callback.
		for (const topic of new Set(topics)) if (all.has(subscriber)) feeds.join(topic, subscriber);
		subscriber.joined();
	}

	function fail(subscriber: Subscriber, cause: ExchangeError): void {
		if (!all.has(subscriber)) return;
		const error = inWords(cause);
		remove(subscriber, error);
		tell(() => subscriber.consumer.onFailed?.(error));
	}

	/** Fails the subscribers that wait for a first connection, except those that asked for further tries. */
	function failUnreached(topics: readonly string[], error: ExchangeError): void {
		for (const subscriber of feeds.subscribersOf(topics)) {
			if (!subscriber.consumer.retriesFirstConnection && !subscriber.isReady()) fail(subscriber, error);
			else if (error.code !== 'unreachable' || subscriber.hearsOnly) subscriber.refused(inWords(error));
		}
	}

	function remove(subscriber: Subscriber, error = left()): void {
		all.get(subscriber)?.();
		if (!all.delete(subscriber)) return;
		subscriber.close(error);
		feeds.leave(subscriber);
	}

	return {
		subscribe,
		fail,
		failUnreached,
		count: () => all.size,
		close: () => {
			isClosed = true;
			for (const subscriber of all.keys()) remove(subscriber);
		},
	};
}

/** A subscription that failed at once. It also calls `onFailed`, for a caller that does not await `ready`. */
function failedSubscription(consumer: Consumer | null, error: ExchangeError): Subscription {
	const ready = Promise.resolve().then(() => {
		tell(() => consumer?.onFailed?.(error));
		throw error;
	});
	inBackground(ready);
	return { ready, counters: () => countersOf([]), close: async () => undefined };
}

const late = (): ExchangeError =>
	new ExchangeError('timeout', {
		operation: 'Stream',
		what: 'The service did not confirm the topics, or show their lists, in time',
	});

const left = (): ExchangeError =>
	new ExchangeError('aborted', { operation: 'Stream', what: 'The subscription was closed before it was ready' });

const streamClosed = (): ExchangeError =>
	new ExchangeError('stream_closed', { operation: 'Stream', what: 'The stream was closed', advice: 'Open it again' });
