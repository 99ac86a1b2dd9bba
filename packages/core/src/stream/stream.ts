import type { Account } from '../account';
import type { Client } from '../client/contract';
import { ExchangeError } from '../errors';
import { sleep, type Clock, type OpenSocket } from '../ports';
import { steadyClock } from '../steady-clock';
import type { Item } from '../wire/payload';
import { acceptTopic, createChannels, type Channels } from './channels';
import { createCommands } from './connection/commands';
import { createSessionPool, type SessionPool } from './connection/pool';
import type { Session } from './connection/session';
import type { Consumer, Stream, Subscription } from './contract';
import { assertFilters } from './delivery/filter';
import { isCrowded, sizeOf } from './delivery/queue';
import { createSubscriber, type Subscriber } from './delivery/subscriber';
import { READY_MS_MAX } from './limits';
import { createStreamSubscribers, type StreamSubscribers } from './stream-subscribers';
import { streamPolicy, type StreamPolicy } from './policy';
import { statusOf } from './status';
import { createHistory, type HistoryReader } from './backfill/history';
import { createReadQueue } from './backfill/read-queue';
import { createMissingFills } from './fills/missing-fills';
import { readOrderFills } from './fills/order-fills';
import { createOrderUpdates } from './sync/order-updates';

/** What {@link createStream} is given. */
export interface StreamPorts {
	/** The account of the client, with normalized addresses: `client.account`. */
	account: Account;
	/** Reads over REST what the stream may have missed. */
	client: HistoryReader & Pick<Client, 'serviceTime'>;
	/** Opens connections, such as {@link wsSocket}. */
	openSocket: OpenSocket;
	/** Time, and the only way to wait. */
	clock: Clock;
	/** A number from 0 up to 1, for jitter. */
	random: () => number;
	/** A fresh UUID, for the ids of requests. */
	newId: () => string;
	/** Replaces intervals and limits of the stream; for simulations. */
	policy?: StreamPolicy;
	/** Receives every order update there is; subscribes to nothing. The limits of the account count by it. */
	orderShown?: (order: Item) => void;
}

const ORDERS = 'user.orders';
const FILLS = 'user.fills';

/**
 * Creates the stream of one account. It connects on first use, and closes its connections when nobody subscribes. At most
 * 50 topics share a connection. (Interface, parts 6 and 8.) In plain Node {@link openAccount} creates client and stream in
 * one call. Never throws; what goes wrong is told by {@link Subscription} and {@link Consumer}.
 *
 * @example
 * const stream = createStream({ ...nodePorts(), account: client.account, client, openSocket: wsSocket });
 */
export function createStream(hostPorts: StreamPorts): Stream {
	const { account, client, openSocket, random, newId, orderShown, policy = streamPolicy } = hostPorts;
	const clock = steadyClock(hostPorts.clock);
	const ports = { account, client, openSocket, clock, random, newId, policy, orderShown };
	const subscribers = createStreamSubscribers(remove);
	const { channels, sessions, reads, missingFills, orderUpdates, commands } = createParts(ports, subscribers);

	function subscribe(consumer: Consumer): Subscription {
		const subscriber: Subscriber = createSubscriber(consumer, {
			policy,
			clock,
			random,
			isRead: account.apiKey !== '',
			full: () => sessions.pause(consumer.topics),
			acknowledged: () => {
				if (isCrowded(subscriber.queue)) return;
				sessions.resume(consumer.topics);
				for (const topic of subscriber.lagging) channels.get(topic)?.rejoin(subscriber);
			},
			failed: (error) => subscribers.fail(subscriber, error),
			moved: (event) => missingFills.expect([event]),
		});
		const ready = subscribers.add(subscriber, () => join(subscriber, channels, ports));
		return {
			ready,
			counters: () => {
				for (const topic of consumer.topics) channels.get(topic)?.flush();
				return { ...subscriber.counters, waiting: sizeOf(subscriber.queue) };
			},
			close: async () => remove(subscriber),
		};
	}

	function remove(subscriber: Subscriber): void {
		subscribers.delete(subscriber);
		for (const topic of new Set(subscriber.consumer.topics)) {
			channels.get(topic)?.leave(subscriber);
			channels.release(topic);
		}
		subscriber.close();
	}

	return {
		subscribe,
		command: async (action, fields, signal, assertWanted) => {
			await orderUpdates.ready(signal);
			await assertWanted?.();
			return commands.send(action, fields, signal);
		},
		onOrderUpdate: orderUpdates.listen,
		status: () => statusOf({ clock, channels, sessions, reads, missingFills, subscribers: subscribers.all().length }),
		close: async () => {
			channels.close();
			orderUpdates.close();
			missingFills.close();
			subscribers.all().forEach(remove);
			commands.lost();
			sessions.close();
		},
	};
}

/** Creates the parts that serve one stream, and connects them. */
function createParts(ports: StreamPorts & { policy: StreamPolicy }, subscribers: StreamSubscribers) {
	const { account, client, openSocket, clock, random, newId, policy, orderShown } = ports;
	const reads = account.apiKey === '' ? undefined : createReadQueue(createHistory(client));
	const channels = createChannels({
		...{ account, policy, clock, random, reads },
		serviceTime: () => client.serviceTime(),
		sessions: () => sessions,
		isNeeded: (topic) => topic === ORDERS && orderUpdates.isWanted(),
		observed: (events) => {
			orderUpdates.publish(events);
			missingFills.count(events);
		},
		moved: (events) => missingFills.expect(events),
		refused: subscribers.fail,
	});
	const missingFills = createMissingFills({
		...{ clock, policy },
		isWanted: () => channels.get(FILLS) !== undefined,
		isCompared: () => channels.get(ORDERS) !== undefined,
		reconcile: () => channels.get(FILLS)?.requestReconcile(),
		readFills: async (orderId, signal) => {
			const events = await readOrderFills(orderId, reads!.of(FILLS), { signal });
			channels.get(FILLS)?.take(events);
		},
		tell: (key, data, order) =>
			channels.get(FILLS)?.tell({ key, kind: 'incomplete_fills', data, item: order && filterable(order) }),
	});
	const orderUpdates = createOrderUpdates({
		...{ clock, orderShown },
		acquire: () => channels.want(ORDERS),
		release: () => channels.release(ORDERS),
	});
	const commands = createCommands({ account, clock, newId, send: (text) => sessions.send(ORDERS, text) });
	const subscribersOf = (session: Session): Subscriber[] => channels.subscribersOf(session.channels.keys());
	const sessions: SessionPool = createSessionPool({
		...{ account, client, openSocket, clock, random },
		received: commands.answered,
		lost: commands.lost,
		failed: (session, error) => {
			failUnreached(session, error, { channels, subscribers });
			// Removing the failed subscribers released their topics. The session is needed if others remain.
			return session.channels.size > 0;
		},
		isShared: (session) => subscribersOf(session).length > 1,
		ignored: (session) => subscribersOf(session).forEach(({ counters }) => (counters.ignored += 1)),
		changed: (session, state) => subscribersOf(session).forEach((subscriber) => subscriber.changed(state)),
	});
	return { channels, sessions, reads, missingFills, orderUpdates, commands };
}

/** Fails the subscribers that wait for a first connection, except those that asked for further tries. */
function failUnreached(
	session: Session,
	error: ExchangeError,
	{ channels, subscribers }: { channels: Channels; subscribers: StreamSubscribers },
): void {
	for (const subscriber of channels.subscribersOf(session.channels.keys())) {
		const { consumer } = subscriber;
		if (!consumer.retriesFirstConnection && !subscribers.isReady(subscriber)) subscribers.fail(subscriber, error);
		else if (error.code !== 'unreachable') consumer.onRefused?.(error);
	}
	for (const topic of session.channels.keys()) channels.get(topic)?.abandon(error);
}

/** The fields filters look at, so that a notice about a pair that a subscriber filters out is filtered out too. */
const filterable = ({ pair_id, side }: Item): Item => ({ pair_id, side });

async function join(subscriber: Subscriber, channels: Channels, { account, clock }: StreamPorts): Promise<void> {
	const { consumer } = subscriber;
	const topics = [...new Set(consumer.topics)];
	if (topics.length === 0)
		throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
	assertFilters(consumer.filters);
	for (const topic of topics) acceptTopic(topic, account);
	const joined = Promise.all(topics.map((topic) => channels.want(topic, subscriber)));
	if (!consumer.retriesFirstConnection) return void (await inTime(joined, clock));
	subscriber.start();
	await joined;
}

async function inTime(joined: Promise<unknown>, clock: Clock): Promise<void> {
	const finished = new AbortController();
	const late = sleep(clock, READY_MS_MAX, finished.signal).then(() => {
		if (finished.signal.aborted) return;
		throw new ExchangeError('timeout', { operation: 'Stream', what: 'The service did not confirm the topics in time' });
	});
	await Promise.race([joined, late]).finally(() => finished.abort());
}
