import type { Account } from '../account';
import type { Client } from '../client/contract';
import type { Clock, OpenSocket } from '../ports';
import { steadyClock } from '../steady-clock';
import type { Item } from '../wire/payload';
import { createHistory, type HistoryReader } from './backfill/history';
import { createReadQueue, type ReadQueue } from './backfill/read-queue';
import { createChannels, type Channels } from './channels';
import { createCommands } from './connection/commands';
import { createOrderUpdates } from './connection/order-updates';
import type { Stream } from './contract';
import { createMissingFills, type MissingFills } from './fills/missing-fills';
import { readOrderFills } from './fills/order-fills';
import { streamPolicy, type StreamPolicy } from './policy';
import { createSessions, type Sessions } from './sessions';
import { statusOf } from './status';
import { createStreamSubscribers } from './stream-subscribers';

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
export function createStream(ports: StreamPorts): Stream {
	const { clock, channels, sessions, subscribers, reads, missingFills, orderUpdates, commands } = createParts(ports);
	return {
		subscribe: subscribers.subscribe,
		command: async (action, fields, signal, assertWanted) => {
			await orderUpdates.ready(signal);
			await assertWanted?.();
			return commands.send(action, fields, signal);
		},
		onOrderUpdate: orderUpdates.listen,
		status: () => statusOf({ clock, channels, sessions, reads, missingFills, subscribers: subscribers.count() }),
		close: async () => {
			orderUpdates.close();
			missingFills.close();
			subscribers.close();
			channels.close();
			commands.lost();
			sessions.close();
		},
	};
}

/** The parts of one stream, and what each has of the others. */
function createParts(ports: StreamPorts) {
	const { account, client, openSocket, random, newId, orderShown, policy = streamPolicy } = ports;
	const clock = steadyClock(ports.clock);
	const reads = account.apiKey === '' ? undefined : createReadQueue(createHistory(client));
	const channels: Channels = createChannels({
		account,
		policy,
		clock,
		random,
		reads,
		serviceTime: () => client.serviceTime(),
		sessions: () => sessions,
		isNeeded: (topic) => topic === ORDERS && orderUpdates.isWanted(),
		observed: (events) => {
			orderUpdates.publish(events);
			missingFills.count(events);
		},
		moved: (events) => missingFills.expect(events),
		refused: (subscriber, error) => subscribers.fail(subscriber, error),
	});
	const missingFills = missingFillsOf(channels, { reads, clock, policy });
	const orderUpdates = createOrderUpdates({
		clock,
		orderShown,
		acquire: () => channels.want(ORDERS),
		release: () => channels.release(ORDERS),
	});
	const commands = createCommands({ account, clock, newId, send: (text) => sessions.send(ORDERS, text) });
	const sessions: Sessions = createSessions({
		account,
		client,
		openSocket,
		clock,
		random,
		commands,
		channel: channels.get,
		subscribersOf: channels.subscribersOf,
		failed: (topics, error) => subscribers.failUnreached(topics, error),
	});
	const moved = missingFills.expect;
	const subscribers = createStreamSubscribers({ account, policy, clock, random, channels, sessions, moved });
	return { clock, channels, sessions, subscribers, reads, missingFills, orderUpdates, commands };
}

/** The check whether the fills of an order add up, over the channels of fills and of orders. */
function missingFillsOf(
	channels: Channels,
	{ reads, clock, policy }: { reads?: ReadQueue; clock: Clock; policy: StreamPolicy },
): MissingFills {
	return createMissingFills({
		clock,
		policy,
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
}

/** The fields filters look at, so that a notice about a pair that a subscriber filters out is filtered out too. */
const filterable = ({ pair_id, side }: Item): Item => ({ pair_id, side });
