import type { Account } from '../account';
import { inBackground, tell } from '../background';
import { ExchangeError } from '../errors';
import { assertGiven, callback, flag, plainObject, readElsewhere, texts, wholeNumber, type Kind } from '../given';
import { deadline, type Clock } from '../ports';
import { acceptTopic, type Channels } from './channels';
import { assertOwnCheckpoint } from './checkpoint';
import type { Consumer, Counters, Subscription } from './contract';
import { assertFilters } from './filter';
import { createSubscriber, type Subscriber } from './subscriber';
import { READY_MS_MAX } from './limits';
import type { StreamPolicy } from './policy';

/** The subscribers of a stream: who joins, who is ready, and how each ends. */
export interface Subscriptions {
	subscribe(consumer: Consumer): Subscription;
	/** Removes a subscriber and tells its host the error. */
	fail(subscriber: Subscriber, error: ExchangeError): void;
	/**
	 * The connection of these topics could not be opened yet, or its key was refused repeatedly. Subscribers that do
	 * not retry their first connection fail, the others are told of a refusal.
	 */
	failUnreached(topics: readonly string[], error: ExchangeError): void;
	count(): number;
	close(): void;
}

interface SubscriptionsPorts {
	account: Account;
	/** A form may ask for other topics than before. */
	isForm: boolean;
	policy: StreamPolicy;
	clock: Required<Clock>;
	random: () => number;
	channels: Channels;
	/** The same error in the words of whoever is told. */
	told(error: unknown): unknown;
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

/** Of a subscriber that is not removed. */
interface Entry {
	/** Lets the process end without it. */
	release(): void;
	reject(error: ExchangeError): void;
}

export function createSubscriptions(ports: SubscriptionsPorts): Subscriptions {
	const { account, isForm, policy, clock, random, channels } = ports;
	const { baseUrl: address } = account;
	const told = (error: unknown) => ports.told(error) as ExchangeError;
	const entries = new Map<Subscriber, Entry>();

	function subscribe(consumer: Consumer): Subscription {
		let subscriber: Subscriber;
		try {
			subscriber = open(consumer);
		} catch (error) {
			return failedSubscription(consumer, told(error));
		}
		const ready = add(subscriber);
		return {
			ready,
			counters: () => subscriber.counters((cursor) => channels.get(cursor.log.topic)?.receivedBy(cursor) ?? 0),
			close: async () => remove(subscriber),
		};
	}

	function open(consumer: Consumer): Subscriber {
		assertGiven(consumer, parts, { of: 'A subscription', operation: 'Stream', needs: ['topics', 'deliver'] });
		assertFilters(consumer.filters, isForm);
		if (!isForm) assertOwnCheckpoint(consumer, address);
		assertOwnStore(consumer);
		const [first] = consumer.topics;
		const subscriber: Subscriber = createSubscriber(consumer, {
			address,
			policy,
			clock,
			random,
			serviceTime: (at) => channels.get(first ?? '')?.timeOfService(at) ?? at,
			hasRoom: (cursor) => channels.get(cursor.log.topic)?.rejoin(cursor),
			failed: (error) => fail(subscriber, error),
		});
		return subscriber;
	}

	/** A checkpoint does not say whose it is, so what stores those of two subscriptions stores one over the other. */
	function assertOwnStore({ onCheckpoint }: Consumer): void {
		if (!onCheckpoint || ![...entries.keys()].some((other) => other.consumer.onCheckpoint === onCheckpoint)) return;
		throw new ExchangeError('invalid_input', {
			operation: 'Stream',
			field: 'onCheckpoint',
			what: 'This onCheckpoint stores the checkpoint of another open subscription already, and would store one over the other',
			advice: 'Give each subscription an onCheckpoint, or a fileCheckpoint, of its own; nothing was sent',
		});
	}

	/** Starts delivery once the subscriber has joined. Rejects if joining fails, or the subscriber fails before. */
	function add(subscriber: Subscriber): Promise<void> {
		const ready = new Promise<void>((resolve, reject) => {
			const entry = { reject, release: clock.hold() };
			entries.set(subscriber, entry);
			join(subscriber).then(
				() => {
					subscriber.ready();
					subscriber.start();
					resolve();
				},
				(error: ExchangeError) => {
					fail(subscriber, error);
					reject(error);
				},
			);
		});
		inBackground(ready);
		return ready;
	}

	async function join(subscriber: Subscriber): Promise<void> {
		const { retriesFirstConnection } = subscriber.consumer;
		const topics = [...new Set(subscriber.consumer.topics)];
		if (topics.length === 0)
			throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
		for (const topic of topics) acceptTopic(topic, account);
		const joined = Promise.all(topics.map((topic) => channels.want(topic, subscriber)));
		if (retriesFirstConnection) subscriber.start();
		await (retriesFirstConnection ? joined : inTime(joined, clock));
	}

	function fail(subscriber: Subscriber, cause: ExchangeError): void {
		const entry = entries.get(subscriber);
		if (!entry) return;
		const error = told(cause);
		// Without effect if the subscriber is ready already: its promise is settled.
		entry.reject(error);
		remove(subscriber);
		tell(() => subscriber.consumer.onFailed?.(error));
	}

	/** Fails who waits for a first connection, except those that asked for further tries. */
	function failUnreached(topics: readonly string[], error: ExchangeError): void {
		for (const subscriber of channels.subscribersOf(topics)) {
			if (!subscriber.consumer.retriesFirstConnection && !subscriber.isReady()) fail(subscriber, error);
			else if (error.code !== 'unreachable') subscriber.refused(told(error));
		}
		for (const topic of topics) channels.get(topic)?.abandon(error);
	}

	function remove(subscriber: Subscriber): void {
		entries.get(subscriber)?.release();
		entries.delete(subscriber);
		subscriber.close();
		for (const topic of new Set(subscriber.consumer.topics)) {
			channels.get(topic)?.leave(subscriber);
			channels.release(topic);
		}
	}

	return {
		subscribe,
		fail,
		failUnreached,
		count: () => entries.size,
		close: () => [...entries.keys()].forEach(remove),
	};
}

/** It never was one. Whoever does not await `ready` is told, too. */
function failedSubscription(consumer: Consumer | null, error: ExchangeError): Subscription {
	const ready = Promise.resolve().then(() => {
		tell(() => consumer?.onFailed?.(error));
		throw error;
	});
	inBackground(ready);
	return { ready, counters: noCounters, close: async () => undefined };
}

const noCounters = (): Counters => ({
	received: 0,
	delivered: 0,
	waiting: 0,
	duplicates: 0,
	filtered: 0,
	reconciled: 0,
	gaps: 0,
	ignored: 0,
	reconnects: 0,
});

async function inTime(joined: Promise<unknown>, clock: Clock): Promise<void> {
	const limit = deadline(clock, READY_MS_MAX);
	try {
		await Promise.race([joined, limit.reached]);
	} catch (error) {
		if (!limit.isOver()) throw error;
		throw new ExchangeError('timeout', { operation: 'Stream', what: 'The service did not confirm the topics in time' });
	} finally {
		limit.clear();
	}
}
