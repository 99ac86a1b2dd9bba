import type { Account } from '../account';
import { isPrivate } from '../catalogue';
import { ExchangeError } from '../errors';
import { sleep, type Clock, type OpenSocket } from '../ports';
import { createCommands } from './connection/commands';
import type { Consumer, Stream, Subscription } from './contract';
import { createChannel, type Channel } from './sync/channel';
import type { Session } from './connection/session';
import { createSessionPool, hasRoom } from './connection/pool';
import { READY_MS_MAX } from './limits';
import { createOrderUpdates } from './sync/order-updates';
import type { HistoryReader } from './sync/history';
import { streamPolicy, type StreamPolicy } from './policy';
import { createSubscriber, type Subscriber } from './delivery/subscriber';
import { createMissingFills } from './sync/missing-fills';

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

/** The live side of one account. Connects on first use, closes when idle. */
export function createStream(ports: StreamPorts): Stream {
	const { account, client, clock, random, policy = streamPolicy } = ports;
	const members = new Map<Subscriber, Member>();
	const missingFills = createMissingFills(clock, () => sessions.channel('user.fills')?.requestReconcile());
	let closed = false;

	const commands = createCommands({ ...ports, send: (text) => sessions.send(ORDERS, text) });
	const sessions = createSessionPool({
		...ports,
		received: commands.answered,
		lost: commands.lost,
		failed: giveUp,
		ignored: (session) => session.subscribers().forEach(({ counters }) => (counters.ignored += 1)),
		changed: (session, state) => session.subscribers().forEach((subscriber) => subscriber.changed(state)),
	});
	const orderUpdates = createOrderUpdates({ clock, acquire: () => want(ORDERS), release: () => release(ORDERS) });

	/** Resolves when the topic is confirmed, for a subscriber or for a caller that only needs it to be there. */
	async function want(topic: string, subscriber?: Subscriber): Promise<void> {
		if (closed) throw streamClosed();
		if (isPrivate(topic) && account.apiKey === '') throw keyMissing(topic);
		const channel: Channel =
			sessions.channel(topic) ??
			createChannel(topic, {
				policy,
				clock,
				random,
				reader: account.apiKey === '' ? undefined : client,
				resubscribe: () => sessions.sessionOf(topic)?.subscribe(channel),
				refused: (error) => channel.subscribers().forEach((subscriber) => fail(subscriber, error)),
				observed: (events) => {
					orderUpdates.publish(events);
					missingFills.note(events);
				},
				state: () => sessions.sessionOf(topic)?.socket.state() ?? 'closed',
			});
		const joined = subscriber ? channel.join(subscriber) : channel.ready();
		// The one who joins says where to resume, so it joins before the topic is asked for.
		if (!sessions.channel(topic)) sessions.attach(channel);
		return joined;
	}

	function subscribe(consumer: Consumer): Subscription {
		const subscriber: Subscriber = createSubscriber(consumer, {
			policy,
			clock,
			random,
			full: () => sessions.pause(consumer.topics),
			moved: () => {
				if (!hasRoom(subscriber)) return;
				sessions.resume(consumer.topics);
				for (const topic of subscriber.lagging) sessions.channel(topic)?.rejoin(subscriber);
			},
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
		const topics = [...new Set(subscriber.consumer.topics)];
		if (topics.length === 0)
			throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
		const joined = Promise.all(topics.map((topic) => want(topic, subscriber)));
		if (subscriber.consumer.retriesFirstConnection) {
			subscriber.start();
			return void (await joined);
		}
		const finished = new AbortController();
		const late = sleep(clock, READY_MS_MAX, finished.signal).then(() => {
			if (!finished.signal.aborted)
				throw new ExchangeError('timeout', {
					operation: 'Stream',
					what: 'The service did not confirm the topics in time',
				});
		});
		await Promise.race([joined, late]).finally(() => finished.abort());
	}

	/** Those who wait for a first connection hear of its failure and are let go, unless they said they can wait. */
	function giveUp(session: Session, error: ExchangeError, final: boolean): boolean {
		for (const subscriber of session.subscribers()) {
			const isPatient = subscriber.consumer.retriesFirstConnection && !final;
			if (!isPatient) fail(subscriber, error);
		}
		for (const channel of session.channels.values()) channel.abandon(error);
		return !final && session.channels.size > 0 && (session.subscribers().length > 0 || orderUpdates.isWanted());
	}

	function fail(subscriber: Subscriber, error: ExchangeError): void {
		const member = members.get(subscriber);
		if (!member) return;
		if (!member.isReady) member.reject(error);
		remove(subscriber);
		if (member.isReady) subscriber.consumer.onFailed?.(error);
	}

	function remove(subscriber: Subscriber): void {
		members.delete(subscriber);
		for (const topic of new Set(subscriber.consumer.topics)) {
			sessions.channel(topic)?.leave(subscriber);
			release(topic);
		}
		subscriber.close();
	}

	function release(topic: string): void {
		const channel = sessions.channel(topic);
		if (!channel || channel.subscribers().length > 0 || (topic === ORDERS && orderUpdates.isWanted())) return;
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

const streamClosed = (): ExchangeError =>
	new ExchangeError('stream_closed', { operation: 'Stream', what: 'The stream was closed', advice: 'Open it again' });

const keyMissing = (topic: string): ExchangeError =>
	new ExchangeError('invalid_account', {
		operation: 'Stream',
		field: 'apiKey',
		what: `The topic ${topic} needs the API key`,
	});
