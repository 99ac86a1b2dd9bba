import type { Account } from '../account';
import { inBackground } from '../background';
import { ExchangeError } from '../errors';
import { deadline, type Clock } from '../ports';
import { acceptTopic, type Channels } from './channels';
import type { Consumer, Subscription } from './contract';
import { assertFilters } from './delivery/filter';
import { isCrowded, sizeOf } from './delivery/queue';
import { createSubscriber, type Subscriber } from './delivery/subscriber';
import type { TopicKeys } from './ledger/topic-keys';
import { READY_MS_MAX } from './limits';
import type { StreamPolicy } from './policy';
import type { Sessions } from './sessions';
import type { TopicEvent } from './topics/event';

/** The subscribers of a stream: who joins, who is ready, and how each ends. */
export interface StreamSubscribers {
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

interface StreamSubscribersPorts {
	account: Account;
	policy: StreamPolicy;
	clock: Clock;
	random: () => number;
	channels: Channels;
	sessions: Pick<Sessions, 'pause' | 'resume'>;
	/** Backfills found new states of orders, whose fills are to be compared. */
	moved(events: readonly TopicEvent[]): void;
}

/** A subscriber is ready once its topics are confirmed. */
interface Entry {
	isReady: boolean;
	reject(error: ExchangeError): void;
}

export function createStreamSubscribers(ports: StreamSubscribersPorts): StreamSubscribers {
	const { account, policy, clock, random, channels, sessions, moved } = ports;
	const entries = new Map<Subscriber, Entry>();
	const keys = new Map<string, TopicKeys>();

	function subscribe(consumer: Consumer): Subscription {
		const subscriber: Subscriber = createSubscriber(consumer, {
			policy,
			clock,
			random,
			isRead: account.apiKey !== '',
			keys,
			full: () => sessions.pause(consumer.topics),
			acknowledged: () => {
				if (isCrowded(subscriber.queue)) return;
				sessions.resume();
				for (const topic of subscriber.queue.lagging.keys()) channels.get(topic)?.rejoin(subscriber);
			},
			failed: (error) => fail(subscriber, error),
			moved: (event) => moved([event]),
		});
		const ready = add(subscriber);
		return {
			ready,
			counters: () => {
				for (const topic of consumer.topics) channels.get(topic)?.flush();
				return { ...subscriber.counters, waiting: sizeOf(subscriber.queue) };
			},
			close: async () => remove(subscriber),
		};
	}

	/** Starts delivery once the subscriber has joined. Rejects if joining fails, or the subscriber fails before. */
	function add(subscriber: Subscriber): Promise<void> {
		const ready = new Promise<void>((resolve, reject) => {
			const entry = { isReady: false, reject };
			entries.set(subscriber, entry);
			join(subscriber).then(
				() => {
					entry.isReady = true;
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
		const { filters, retriesFirstConnection } = subscriber.consumer;
		const topics = [...new Set(subscriber.consumer.topics)];
		if (topics.length === 0)
			throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
		assertFilters(filters);
		for (const topic of topics) acceptTopic(topic, account);
		const joined = Promise.all(topics.map((topic) => channels.want(topic, subscriber)));
		if (retriesFirstConnection) subscriber.start();
		await (retriesFirstConnection ? joined : inTime(joined, clock));
	}

	function fail(subscriber: Subscriber, error: ExchangeError): void {
		const entry = entries.get(subscriber);
		if (!entry) return;
		// Without effect if the subscriber is ready already. Nobody has to await it: every end is told to its host.
		entry.reject(error);
		remove(subscriber);
		safely(() => subscriber.consumer.onFailed?.(error));
	}

	/** Fails who waits for a first connection, except those that asked for further tries. */
	function failUnreached(topics: readonly string[], error: ExchangeError): void {
		for (const subscriber of channels.subscribersOf(topics)) {
			const { consumer } = subscriber;
			if (!consumer.retriesFirstConnection && !entries.get(subscriber)?.isReady) fail(subscriber, error);
			else if (error.code !== 'unreachable') consumer.onRefused?.(error);
		}
		for (const topic of topics) channels.get(topic)?.abandon(error);
	}

	function remove(subscriber: Subscriber): void {
		entries.delete(subscriber);
		for (const topic of new Set(subscriber.consumer.topics)) {
			channels.get(topic)?.leave(subscriber);
			channels.release(topic);
		}
		subscriber.close();
	}

	return {
		subscribe,
		fail,
		failUnreached,
		count: () => entries.size,
		close: () => [...entries.keys()].forEach(remove),
	};
}

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

/** An exception in a callback of the host must not end the stream. */
function safely(action: () => void): void {
	try {
		action();
	} catch {
		// The callback that failed is the one errors are reported to.
	}
}
