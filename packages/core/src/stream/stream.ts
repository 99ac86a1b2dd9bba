import type { Account } from '../account';
import { isPrivate } from '../catalogue';
import { ExchangeError } from '../errors';
import { sleep, type Clock, type OpenSocket } from '../ports';
import { createCommands } from './connection/commands';
import type { Consumer, Stream, Subscription } from './contract';
import { createFeed, type Feed } from './sync/channel';
import type { Line } from './connection/session';
import { createLines, hasRoom } from './connection/pool';
import { READY_MS_MAX } from './limits';
import { createOrderHints } from './sync/order-updates';
import type { Reader } from './sync/history';
import { streamPolicy, type StreamPolicy } from './policy';
import { createReceiver, type Receiver } from './delivery/subscriber';
import { createShortage } from './sync/missing-fills';

export interface StreamPorts {
	account: Account;
	/** Reads what the stream may have missed. */
	client: Reader;
	openSocket: OpenSocket;
	clock: Clock;
	random: () => number;
	newId: () => string;
	policy?: StreamPolicy;
}

interface Member {
	receiver: Receiver;
	isReady: boolean;
	reject(error: ExchangeError): void;
}

/** The live side of one account. It connects when something is asked of it and lets go when nothing is. */
export function createStream(ports: StreamPorts): Stream {
	const { account, client, clock, random, policy = streamPolicy } = ports;
	const members = new Map<Receiver, Member>();
	const shortage = createShortage(clock, () => lines.feed('user.fills')?.suspect());
	let closed = false;

	const commands = createCommands({ ...ports, send: (text) => lines.send('user.orders', text) });
	const lines = createLines({
		...ports,
		received: commands.answered,
		lost: commands.lost,
		failed: giveUp,
		ignored: (line) => line.receivers().forEach(({ counters }) => (counters.ignored += 1)),
		changed: (line, state) => line.receivers().forEach((receiver) => receiver.changed(state)),
	});
	const hints = createOrderHints({ clock, want: () => want('user.orders'), release: () => release('user.orders') });

	/** Resolves when the topic is there, for a consumer or for anybody. */
	async function want(topic: string, receiver?: Receiver): Promise<void> {
		if (closed)
			throw new ExchangeError('stream_closed', {
				operation: 'Stream',
				what: 'The stream was closed',
				advice: 'Open it again',
			});
		if (isPrivate(topic) && account.apiKey === '') {
			throw new ExchangeError('invalid_account', {
				operation: 'Stream',
				field: 'apiKey',
				what: `The topic ${topic} needs the API key`,
			});
		}
		const feed: Feed =
			lines.feed(topic) ??
			createFeed(topic, {
				policy,
				clock,
				random,
				reader: account.apiKey === '' ? undefined : client,
				resubscribe: () => lines.of(topic)?.subscribe(feed),
				refused: (error) => feed.receivers().forEach((receiver) => fail(receiver, error)),
				seen: (happenings) => {
					hints.hear(happenings);
					shortage.note(happenings);
				},
				state: () => lines.of(topic)?.connection.state() ?? 'closed',
			});
		const joined = receiver ? feed.join(receiver) : feed.ready();
		// The one who joins says where to resume, so it joins before the topic is asked for.
		if (!lines.feed(topic)) lines.carry(feed);
		return joined;
	}

	function subscribe(consumer: Consumer): Subscription {
		const receiver: Receiver = createReceiver(consumer, {
			policy,
			clock,
			random,
			full: () => lines.pause(consumer.topics),
			moved: () => {
				if (!hasRoom(receiver)) return;
				lines.resume(consumer.topics);
				for (const topic of receiver.behind) lines.feed(topic)?.rejoin(receiver);
			},
		});
		const ready = new Promise<void>((resolve, reject) => {
			const member = { receiver, isReady: false, reject };
			members.set(receiver, member);
			join(receiver).then(
				() => {
					member.isReady = true;
					receiver.start();
					resolve();
				},
				(error: ExchangeError) => {
					fail(receiver, error);
					reject(error);
				},
			);
		});
		// A rejection nobody looks at must not end the process.
		ready.catch(() => undefined);
		return {
			ready,
			counters: () => ({ ...receiver.counters, waiting: receiver.waiting() }),
			close: async () => remove(receiver),
		};
	}

	async function join(receiver: Receiver): Promise<void> {
		const topics = [...new Set(receiver.consumer.topics)];
		if (topics.length === 0)
			throw new ExchangeError('invalid_input', { operation: 'Stream', field: 'topics', what: 'No topic is chosen' });
		const joined = Promise.all(topics.map((topic) => want(topic, receiver)));
		if (receiver.consumer.patient) {
			receiver.start();
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
	function giveUp(line: Line, error: ExchangeError, final: boolean): boolean {
		for (const receiver of line.receivers()) {
			const isPatient = receiver.consumer.patient && !final;
			if (!isPatient) fail(receiver, error);
		}
		for (const feed of line.feeds.values()) feed.abandon(error);
		return !final && line.feeds.size > 0 && (line.receivers().length > 0 || hints.isWanted());
	}

	function fail(receiver: Receiver, error: ExchangeError): void {
		const member = members.get(receiver);
		if (!member) return;
		if (!member.isReady) member.reject(error);
		remove(receiver);
		if (member.isReady) receiver.consumer.failed?.(error);
	}

	function remove(receiver: Receiver): void {
		members.delete(receiver);
		for (const topic of new Set(receiver.consumer.topics)) {
			lines.feed(topic)?.leave(receiver);
			release(topic);
		}
		receiver.close();
	}

	function release(topic: string): void {
		const feed = lines.feed(topic);
		if (!feed || feed.receivers().length > 0 || (topic === 'user.orders' && hints.isWanted())) return;
		lines.let(feed);
		feed.stop();
	}

	return {
		subscribe,
		command: async (action, fields, signal) => {
			await hints.ready(signal);
			return commands.send(action, fields, signal);
		},
		onOrder: hints.listen,
		close: async () => {
			closed = true;
			hints.close();
			shortage.close();
			[...members.keys()].forEach(remove);
			commands.lost();
			lines.close();
		},
	};
}
