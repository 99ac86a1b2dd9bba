import type { Account } from '../account';
import { isPrivate, isWildcard, topicNames } from '../catalogue';
import { ExchangeError } from '../errors';
import { createChannel, type Channel } from './channel';
import type { FeedPorts } from './feed';
import type { StreamConnections } from './connections';
import type { ReadQueue } from './sources/read-queue';
import type { Subscriber } from './subscriber';
import { topicOf } from './topics';
import type { Topic } from './topics/topic';

/** The topics of a stream, and who is on them. A channel exists as long as its topic is needed. */
export interface Channels {
	/** Subscribes a topic; resolves when it is confirmed. Callers that only need the subscription pass no subscriber. */
	want(topic: string, subscriber?: Subscriber): Promise<void>;
	get(topic: string): Channel | undefined;
	all(): Channel[];
	subscribersOf(topics: Iterable<string>): Subscriber[];
	/** Closes the channel of a topic that nobody needs any more. */
	release(topic: string): void;
	/** Closes all channels, and refuses further subscriptions. */
	close(): void;
}

interface ChannelsPorts extends Pick<FeedPorts, 'policy' | 'clock' | 'random' | 'observed' | 'moved' | 'serviceTime'> {
	account: Account;
	/** Absent without a key, because every read needs one. */
	reads?: ReadQueue;
	connections(): Pick<StreamConnections, 'attach' | 'subscribe' | 'detach' | 'stateOf'>;
	/** Whether a topic is needed although it has no subscribers. */
	isNeeded(topic: string): boolean;
	/** The service refused a topic for good. Called for each of its subscribers. */
	refused(subscriber: Subscriber, error: ExchangeError): void;
}

export function createChannels(ports: ChannelsPorts): Channels {
	const { account, policy, clock, random, reads, observed, moved, serviceTime, connections } = ports;
	const channels = new Map<string, Channel>();
	const arrivals = { count: 0 };
	let isClosed = false;

	function open(name: string, topic: Topic | undefined): Channel {
		const channelPorts: FeedPorts = {
			policy,
			clock,
			random,
			history: reads?.of(name),
			observed,
			moved,
			serviceTime,
			resubscribe: () => connections().subscribe(name),
			refused: (error) => channel.subscribers().forEach((subscriber) => ports.refused(subscriber, error)),
			arrivals,
			state: () => connections().stateOf(name),
		};
		const channel: Channel = createChannel(name, topic, channelPorts);
		channels.set(name, channel);
		return channel;
	}

	function close(topic: string, channel: Channel): void {
		channels.delete(topic);
		connections().detach(topic);
		channel.stop();
	}

	return {
		want: async (name, subscriber) => {
			if (isClosed) throw streamClosed();
			const topic = acceptTopic(name, account);
			const before = channels.get(name);
			const channel = before ?? open(name, topic);
			const joined = subscriber ? channel.join(subscriber) : channel.ready();
			// The subscriber's position decides where to resume, so it joins before the subscription is sent.
			if (!before) connections().attach(name);
			return joined;
		},
		get: (topic) => channels.get(topic),
		all: () => [...channels.values()],
		subscribersOf: (topics) => [...new Set([...topics].flatMap((topic) => channels.get(topic)?.subscribers() ?? []))],
		release: (topic) => {
			const channel = channels.get(topic);
			if (channel?.subscribers().length === 0 && !ports.isNeeded(topic)) close(topic, channel);
		},
		close: () => {
			isClosed = true;
			for (const [topic, channel] of channels) close(topic, channel);
		},
	};
}

/**
 * Refuses a topic the service does not have, and a private one without a key, before anything is sent. A wildcard is no
 * topic of its own, so nothing is returned for it.
 */
export function acceptTopic(name: string, { apiKey }: Account): Topic | undefined {
	const topic = topicOf(name);
	if (!topic && !isWildcard(name))
		throw new ExchangeError('invalid_input', {
			operation: 'Stream',
			field: 'topics',
			what: `There is no topic ${name.slice(0, 64)}`,
			advice: `Choose one of ${topicNames}; the key of a pair is written as in trades.USD_NGN, all pairs as in trades.*`,
		});
	if (isPrivate(name) && apiKey === '')
		throw new ExchangeError('invalid_account', {
			operation: 'Stream',
			field: 'apiKey',
			what: `API Key is missing: the topic ${name} needs it`,
		});
	return topic;
}

const streamClosed = (): ExchangeError =>
	new ExchangeError('stream_closed', { operation: 'Stream', what: 'The stream was closed', advice: 'Open it again' });
