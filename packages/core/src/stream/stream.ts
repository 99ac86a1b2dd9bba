import type { Account } from '../account';
import { tell } from '../background';
import type { UntypedClient } from '../client/contract';
import { createRedaction } from '../client/redacted';
import { assertKind, callback, oneOf, givenFields, signal } from '../given';
import { acceptPorts, type Clock, type OpenSocket } from '../ports';
import { steadyClock } from '../steady-clock';
import { isItem, type Item } from '../wire/payload';
import { commandActions, createCommands, newCommand } from './connection/commands';
import { createConnections, type StreamConnections } from './connection/connections';
import { createOrderUpdates } from './connection/order-updates';
import type { Consumer, Stream } from './contract';
import { createFeeds, type Feeds } from './feeds';
import { createMissingFills, type MissingFills } from './missing-fills';
import { streamPolicy, type StreamPolicy } from './policy';
import { createHistory, type HistoryReader } from './sources/history';
import { createReadQueue } from './sources/read-queue';
import { streamStatus } from './status';
import { createSubscriptions } from './subscriptions';

/** What {@link createStream} is given. */
export interface StreamPorts {
	/** The account of the client, with normalized addresses: `client.account`. */
	account: Account;
	/** Reads over REST what the stream may have missed. */
	client: HistoryReader & Pick<UntypedClient, 'serviceTime'>;
	/** Opens connections, such as that of {@link nodePorts}. */
	openSocket: OpenSocket;
	/** Time, and the only way to wait. */
	clock: Clock;
	/** A number from 0 up to 1, for jitter. */
	random: () => number;
	/** A fresh UUID, for the ids of requests. */
	newId: () => string;
	/** Errors name fields as forms label them, and not also as a script writes them. */
	isForm?: true;
	/** Receives every order update there is; subscribes to nothing. The limits of the account count by it. */
	orderShown?: (order: Item) => void;
}

/** A simulation replaces intervals and limits of the stream. */
export type SimulatedPorts = StreamPorts & { policy?: StreamPolicy };

/**
 * Creates the stream of one account. It connects on first use, and closes its connections when nobody subscribes. At
 * most 50 topics share a connection. (Interface, parts 6 and 8.) In plain Node {@link openAccount} creates client and
 * stream in one call. {@link Subscription} and {@link Consumer} report what goes wrong later.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for ports that cannot work.
 *
 * @example
 * const stream = createStream({ ...nodePorts(), account: client.account, client });
 */
export function createStream(ports: StreamPorts): Stream {
	const brought = acceptPorts(ports, 'openSocket', 'random', 'newId');
	const isForm = ports.isForm === true;
	const inWords = createRedaction(ports.account, isForm).error;
	const { openSocket, random, newId } = brought;
	const { account, client, orderShown } = ports;
	const { policy = streamPolicy } = ports as SimulatedPorts;
	const clock = steadyClock(brought.clock);
	const reads = account.apiKey === '' ? undefined : createReadQueue(createHistory(client));
	const feeds: Feeds = createFeeds({
		policy,
		clock,
		random,
		reads,
		serviceTime: () => client.serviceTime(),
		connections: () => connections,
		observed: (events) => {
			for (const { order, data } of orderShown ? events : []) if (order && isItem(data)) tell(() => orderShown?.(data));
			missingFills.count(events);
		},
		moved: (events) => missingFills.expect(events),
		fail: (subscriber, error) => subscribers.fail(subscriber, error),
	});
	const missingFills: MissingFills = createMissingFills({
		clock,
		feed: feeds.get,
		history: reads?.of('user.fills'),
	});
	const orderUpdates = createOrderUpdates({ clock, subscribe: (...its) => subscribers.subscribe(...its) });
	const commands = createCommands({ account, clock, send: (text) => connections.send('user.orders', text) });
	const connections: StreamConnections = createConnections({
		account,
		client,
		openSocket,
		clock,
		random,
		commands,
		feed: feeds.get,
		subscribersOf: feeds.subscribersOf,
		failed: (topics, error) => subscribers.failUnreached(topics, error),
	});
	const subscribers = createSubscriptions({ account, isForm, clock, random, feeds, inWords });
	return {
		// Its events are those of its topics, which are known at run time here.
		subscribe: (consumer) => subscribers.subscribe(consumer as object as Consumer),
		command: async (action, fields, aborts, assertWanted) => {
			assertKind(action, oneOf(...commandActions), { of: 'The action of a command', field: 'action' });
			givenFields(fields, { of: 'What a command takes', field: 'fields' });
			if (aborts !== undefined) assertKind(aborts, signal, { of: 'The signal of a command', field: 'signal' });
			if (assertWanted !== undefined)
				assertKind(assertWanted, callback, { of: 'The assertWanted of a command', field: 'assertWanted' });
			const command = newCommand(action, fields, newId());
			const release = clock.hold();
			try {
				await orderUpdates.ready(aborts);
				await assertWanted?.();
				return await commands.send(command, aborts);
			} catch (error) {
				throw inWords(error);
			} finally {
				release();
			}
		},
		onOrderUpdate: (listener) => {
			assertKind(listener, callback, { of: 'The listener', field: 'listener' });
			return orderUpdates.follow(listener);
		},
		status: () =>
			streamStatus({
				clock,
				feeds: feeds.all(),
				connections,
				reads,
				missingFills,
				subscribers: subscribers.count(),
			}),
		close: async () => {
			orderUpdates.close();
			missingFills.close();
			subscribers.close();
			commands.lost();
			connections.close();
		},
	};
}
