import type { Account } from '../account';
import { isPrivate } from '../catalogue';
import { ExchangeError } from '../errors';
import { sleep, type Clock, type OpenSocket } from '../ports';
import { steadyClock } from '../steady-clock';
import { createCommands } from './connection/commands';
import { createSessionPool } from './connection/pool';
import type { Session } from './connection/session';
import type { Consumer, Stream, Subscription } from './contract';
import { assertFilters } from './delivery/filter';
import { createSubscriber, type Subscriber } from './delivery/subscriber';
import { READY_MS_MAX } from './limits';
import { streamPolicy, type StreamPolicy } from './policy';
import { createChannel, type Channel } from './sync/channel';
import { createHistory, type HistoryReader } from './sync/history';
import { createMissingFills } from './sync/missing-fills';
import { createOrderUpdates } from './sync/order-updates';
import { topicOf } from './topics';
import type { Topic } from './topics/topic';

export interface StreamPorts {
	account: Account;
	/** Reads what the stream may have missed. */
	client: HistoryReader;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	newId: () => string;
	policy?: StreamPolicy;
}

interface Member {
	subscriber: Subscriber;
	isReady: boolean;
	reject(error: ExchangeError): void;
}

const ORDERS = 'user.orders';
const FILLS = 'user.fills';

/** The live side of one account. Connects on first use, closes when idle. */
export function createStream(given: StreamPorts): Stream {
	const ports = { ...given, clock: steadyClock(given.clock) };
	const { account, client, clock, random, policy = streamPolicy } = ports;
	const history = account.apiKey === '' ? undefined : createHistory(client);
	const channels = new Map<string, Channel>();
	const members = new Map<Subscriber, Member>();
	let closed = false;

	const missingFills = createMissingFills(clock, () => channels.get(FILLS)?.requestReconcile());
	const orderUpdates = createOrderUpdates({ clock, acquire: () => want(ORDERS), release: () => release(ORDERS) });
	const commands = createCommands({ ...ports, send: (text) => sessions.send(ORDERS, text) });
	const sessions = createSessionPool({
		...ports,
		received: commands.answered,
		lost: commands.lost,
		failed: connectionFailed,
		ignored: (session) => subscribersOf(session).forEach(({ counters }) => (counters.ignored += 1)),
		changed: (session, state) => subscribersOf(session).forEach((subscriber) => subscriber.changed(state)),
	});

	const subscribersOf = (session: Session): Subscriber[] => [
		...new Set([...session.channels.keys()].flatMap((topic) => channels.get(topic)?.subscribers() ?? [])),
	];

	/** Resolves when the topic is confirmed, for a subscriber or for a caller that only needs it to be there. */
	async function want(topic: string, subscriber?: Subscriber): Promise<void> {
		if (closed) throw streamClosed();
		const isNew = !channels.has(topic);
		const channel = channels.get(topic) ?? openChannel(topic);
		const joined = subscriber ? channel.join(subscriber) : channel.ready();
		// The one who joins says where to resume, so it joins before the topic is asked for.
		if (isNew) sessions.attach(channel);
		return joined;
	}

	function openChannel(name: string): Channel {
		const channel: Channel = createChannel(name, acceptTopic(name, account), {
			policy,
			clock,
			random,
			history,
			resubscribe: () => sessions.sessionOf(name)?.subscribe(channel),
			refused: (error) => channel.subscribers().forEach((subscriber) => fail(subscriber, error)),
			observed: (events) => {
				orderUpdates.publish(events);
				missingFills.note(events);
			},
			state: () => sessions.sessionOf(name)?.socket.state() ?? 'closed',
		});
		channels.set(name, channel);
		return channel;
	}

	function subscribe(consumer: Consumer): Subscription {
		const subscriber: Subscriber = createSubscriber(consumer, {
			policy,
			clock,
			random,
			full: () => sessions.pause(consumer.topics),
			acknowledged: () => {
				if (subscriber.isCrowded()) return;
				sessions.resume(consumer.topics);
				for (const topic of subscriber.lagging) channels.get(topic)?.rejoin(subscriber);
			},
			failed: (error) => fail(subscriber, error),
		});
		const ready = new Promise<void>((resolve, reject) => {
			const member = { subscriber, isReady: false, reject };
			members.set(subscriber, member);
			join(subscriber).then(
				() => {
					member.isReady = true;
					subscriber.start();
					resolve();
				},
				(error: ExchangeError) => {
					fail(subscriber, error);
					reject(error);
				},
			);
		});
		// A rejection nobody looks at must not end the process.
		ready.catch(() => undefined);
		return {
			ready,
			counters: () => ({ ...subscriber.counters, waiting: subscriber.waiting() }),
			close: async () => remove(subscriber),
		};
	}

	async function join(subscriber: Subscriber): Promise<void> {
		const { consumer } = subscriber;
		const topics = [...new Set(consumer.topics)];
		if (topics.length === 0)
			throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
		assertFilters(consumer.filters);
		for (const topic of topics) acceptTopic(topic, account);
		const joined = Promise.all(topics.map((topic) => want(topic, subscriber)));
		if (!consumer.retriesFirstConnection) return void (await inTime(joined, clock));
		subscriber.start();
		await joined;
	}

	/** Those who wait for a first connection hear of its failure and are let go, unless they said they can wait. */
	function connectionFailed(session: Session, error: ExchangeError): boolean {
		for (const subscriber of subscribersOf(session)) {
			const { consumer } = subscriber;
			if (!consumer.retriesFirstConnection && !members.get(subscriber)?.isReady) fail(subscriber, error);
			else if (error.code !== 'unreachable') consumer.onRefused?.(error);
		}
		for (const topic of session.channels.keys()) channels.get(topic)?.abandon(error);
		return session.channels.size > 0 && (subscribersOf(session).length > 0 || orderUpdates.isWanted());
	}

	function fail(subscriber: Subscriber, error: ExchangeError): void {
		const member = members.get(subscriber);
		if (!member) return;
		if (!member.isReady) member.reject(error);
		remove(subscriber);
		if (member.isReady) safely(() => subscriber.consumer.onFailed?.(error));
	}

	function remove(subscriber: Subscriber): void {
		members.delete(subscriber);
		for (const topic of new Set(subscriber.consumer.topics)) {
			channels.get(topic)?.leave(subscriber);
			release(topic);
		}
		subscriber.close();
	}

	function release(topic: string): void {
		const channel = channels.get(topic);
		if (!channel || channel.subscribers().length > 0 || (topic === ORDERS && orderUpdates.isWanted())) return;
		channels.delete(topic);
		sessions.detach(channel);
		channel.stop();
	}

	return {
		subscribe,
		command: async (action, fields, signal) => {
			await orderUpdates.ready(signal);
			return commands.send(action, fields, signal);
		},
		onOrderUpdate: orderUpdates.listen,
		close: async () => {
			closed = true;
			orderUpdates.close();
			missingFills.close();
			[...members.keys()].forEach(remove);
			commands.lost();
			sessions.close();
		},
	};
}

/** What a host throws in its own callback is no reason for the stream to end. */
function safely(action: () => void): void {
	try {
		action();
	} catch {
		// There is nobody left to tell.
	}
}

async function inTime(joined: Promise<unknown>, clock: Clock): Promise<void> {
	const finished = new AbortController();
	const late = sleep(clock, READY_MS_MAX, finished.signal).then(() => {
		if (finished.signal.aborted) return;
		throw new ExchangeError('timeout', { operation: 'Stream', what: 'The service did not confirm the topics in time' });
	});
	await Promise.race([joined, late]).finally(() => finished.abort());
}

/** Refuses a topic the service does not have, and a private one without a key, before anything is sent. */
function acceptTopic(name: string, { apiKey }: Account): Topic {
	const topic = topicOf(name);
	if (!topic)
		throw new ExchangeError('invalid_input', {
			operation: 'Stream',
			field: 'topics',
			what: `There is no topic ${name.slice(0, 64)}`,
			advice: 'Choose user.orders, user.fills, trades.<PAIR_KEY> or orderbook.<PAIR_KEY>, such as trades.USD_NGN',
		});
	if (isPrivate(name) && apiKey === '')
		throw new ExchangeError('invalid_account', {
			operation: 'Stream',
			field: 'apiKey',
			what: `The topic ${name} needs the API key`,
		});
	return topic;
}

const streamClosed = (): ExchangeError =>
	new ExchangeError('stream_closed', { operation: 'Stream', what: 'The stream was closed', advice: 'Open it again' });
