import { doubled } from '../../backoff';
import type { Account } from '../../account';
import { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { excerpt } from '../../redaction';
import { CONFIRMATION_MS, REFUSAL_AGAIN_MS, TOPIC_REFUSALS_CONFIRM, TOPIC_RETRY_MS } from '../limits';
import { resumeField, type Position } from '../position';
import { subscribeFrame, unsubscribeFrame, type Frame } from './frames';
import type { ResumeGuard } from './resume-guard';
import { withWildcards } from './wildcards';

/** A subscribed topic, as its session sees it. */
export interface SessionChannel<Data = Frame & { type: 'data' }> {
	readonly topic: string;
	/** Whether the subscription asks for a snapshot. (Interface, part 6.) */
	readonly wantsSnapshot: boolean;
	/** The position to resume from. */
	resumeFrom(): Position | undefined;
	/** The subscription was sent, perhaps with a position to resume from. */
	asked(resumeFrom: Position | undefined): void;
	confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void;
	/** The topic was subscribed several times at once, and this is not the first confirmation. */
	confirmedAgain(head: Position | undefined): void;
	wasConfirmed(): boolean;
	/** The service refused the topic. */
	refused(error: ExchangeError): void;
	/** The service refuses a topic that was subscribed before. It is asked for again after `againMs`. */
	unavailable(error: ExchangeError, againMs: number): void;
	lost(): void;
	/** A message and its time of arrival. */
	receive(frame: Data, at: number): void;
	/** Whether a message can be dropped unparsed, because no subscriber wants it or it is a repeat. Counts it if so. */
	drops(isRepeated: boolean, at: number): boolean;
	/** Whether the queues of all its subscribers have room. */
	hasRoom(): boolean;
	stop(): void;
}

/** The subscriptions of one connection and their confirmations. A refused topic does not affect the others. */
export interface Subscriptions {
	/** Subscribes topics in one message. Without a position to resume from, the service replays nothing. */
	request(topics: readonly SessionChannel[], mayResume?: boolean): void;
	confirmed(frame: Frame & { type: 'subscribed' }): void;
	refused(frame: Frame & { type: 'error' }): void;
	cancel(topic: string): void;
	/** The connection was lost. */
	reset(): void;
	isSettled(): boolean;
}

export interface SubscriptionsPorts {
	clock: Clock;
	account: Account;
	channels: ReadonlyMap<string, SessionChannel>;
	resumeGuard: ResumeGuard;
	send(text: string): boolean;
	/** Runs `action` once the connection was read for so long: a confirmation may wait unread. */
	afterListening(delayMs: number, action: () => void): () => void;
	/** Reconnects, because no subscription of the connection was confirmed in time. */
	drop(): void;
}

interface Asked {
	resumedFrom?: Position;
	cancel(): void;
}

/** Whether the next try may resume, and from where the one before it did. */
interface Retry {
	mayResume: boolean;
	resumedFrom?: Position;
}

export function createSubscriptions(ports: SubscriptionsPorts): Subscriptions {
	const { clock, account, channels, resumeGuard, send } = ports;
	/** Pending requests, and topics that wait for another try: a confirmation that names one of those comes late, and counts. */
	const [asked, retries] = [new Map<string, Asked>(), new Map<string, Asked>()];
	/** Topics to subscribe one by one, and whether with a position: the position may be the reason of a refusal. */
	const [single, refusals] = [new Map<string, boolean>(), new Map<string, number>()];
	/** `inVain`: connections in a row of which nothing was confirmed, because a service under load needs longer. */
	let [hasConfirmed, inVain] = [false, 0];
	/** Topics subscribed with a position and confirmed without being named: the service may still refuse them. */
	const doubtful = new Set<string>();

	function request(wanted: readonly SessionChannel[], mayResume = true): void {
		const books = wanted.filter(({ wantsSnapshot }) => wantsSnapshot);
		const others = wanted.filter(({ wantsSnapshot }) => !wantsSnapshot);
		for (const group of [others, books]) if (group.length > 0) requestTogether(group, group === books, mayResume);
	}

	function requestTogether(group: readonly SessionChannel[], isBook: boolean, mayResume: boolean): void {
		const positions = new Map<string, Position>();
		for (const channel of group) {
			const position = mayResume && resumeGuard.isUseful(channel.topic) ? channel.resumeFrom() : undefined;
			if (position) positions.set(channel.topic, position);
		}
		const field = resumeField(positions, account);
		// The field is empty where the account has turned resume off, so nothing is replayed.
		if (Object.keys(field).length === 0) positions.clear();
		const waitMs = doubled(CONFIRMATION_MS, inVain);
		for (const channel of group) {
			const { topic } = channel;
			channel.asked(positions.get(topic));
			asked.get(topic)?.cancel();
			const cancel = ports.afterListening(waitMs, () => unconfirmed(topic));
			asked.set(topic, { resumedFrom: positions.get(topic), cancel });
		}
		const topics = group.map(({ topic }) => topic);
		send(subscribeFrame(topics, isBook, field));
	}

	/** Subscribes one topic at a time, so that an error message belongs to that topic. */
	function requestNext(): void {
		for (const [topic, mayResume] of single) {
			if (asked.size > 0) return;
			single.delete(topic);
			const channel = channels.get(topic);
			if (channel) request([channel], mayResume);
		}
	}

	function unconfirmed(topic: string): void {
		const channel = channels.get(topic);
		const resumedFrom = asked.get(topic)?.resumedFrom;
		cancel(topic);
		// If other topics were confirmed, the fault is not with the connection but with this topic.
		if (!hasConfirmed || !channel) {
			inVain += 1;
			return ports.drop();
		}
		// The service may be silent because of the position, so every other try goes without one.
		refuse(channel, notConfirmed(topic), { mayResume: (refusals.get(topic) ?? 0) % 2 === 0, resumedFrom });
		requestNext();
	}

	function cancel(topic: string): void {
		for (const waiting of [asked, retries]) {
			waiting.get(topic)?.cancel();
			waiting.delete(topic);
		}
		single.delete(topic);
	}

	function confirmed(frame: Frame & { type: 'subscribed' }): void {
		// A confirmation may name no topic, or every active one. Only topics that wait for one are confirmed by it.
		const named = frame.topics.length > 0 ? withWildcards(frame.topics, [...asked.keys()]) : [...asked.keys()];
		for (const topic of named) {
			const entry = asked.get(topic) ?? retries.get(topic);
			if (!entry) {
				channels.get(topic)?.confirmedAgain(frame.positions[topic]);
				continue;
			}
			cancel(topic);
			[hasConfirmed, inVain] = [true, 0];
			if (frame.topics.length === 0 && entry.resumedFrom) doubtful.add(topic);
			refusals.delete(topic);
			resumeGuard.confirmed(topic, frame.positions[topic], entry.resumedFrom);
			channels.get(topic)?.confirmed(frame.positions[topic], frame.snapshots[topic], entry.resumedFrom);
		}
		requestNext();
	}

	function refused(frame: Frame & { type: 'error' }): void {
		const named = frame.topics.filter((topic) => channels.has(topic));
		const topics = named.length > 0 ? named : [...asked.keys(), ...doubtful];
		const concerned = topics.flatMap((topic) => channels.get(topic) ?? []);
		const isAboutKey = frame.kind === 'key' || frame.kind === 'forbidden';
		const mayBePosition = topics.some((topic) => asked.get(topic)?.resumedFrom || doubtful.has(topic));
		doubtful.clear();
		// Topics of one message are refused together, so all of them are subscribed again, those without a position too.
		if (!isAboutKey && mayBePosition) return request(concerned, false);
		for (const topic of topics) cancel(topic);
		if (named.length === 0 && concerned.length > 1 && !isAboutKey) for (const topic of topics) single.set(topic, false);
		else for (const channel of concerned) refuse(channel, refusal(frame, account), { mayResume: isAboutKey });
		requestNext();
	}

	/** A refusal counts once it is repeated. A topic that was subscribed before is tried again at growing pauses. */
	function refuse(channel: SessionChannel, error: ExchangeError, next: Retry): void {
		const { topic } = channel;
		const count = (refusals.get(topic) ?? 0) + 1;
		refusals.set(topic, count);
		if (count < TOPIC_REFUSALS_CONFIRM) return again(topic, REFUSAL_AGAIN_MS * count, next);
		if (!channel.wasConfirmed()) {
			refusals.delete(topic);
			return channel.refused(error);
		}
		const againMs = doubled(TOPIC_RETRY_MS, count - TOPIC_REFUSALS_CONFIRM);
		channel.unavailable(error, againMs);
		again(topic, againMs, next);
	}

	function again(topic: string, delayMs: number, { mayResume, resumedFrom }: Retry): void {
		const stop = clock.after(delayMs, () => {
			retries.delete(topic);
			if (channels.has(topic)) single.set(topic, mayResume);
			requestNext();
		});
		retries.set(topic, { resumedFrom, cancel: stop });
	}

	return {
		request,
		confirmed,
		refused,
		cancel: (topic) => {
			cancel(topic);
			doubtful.delete(topic);
			refusals.delete(topic);
			send(unsubscribeFrame([topic]));
		},
		reset: () => {
			for (const { cancel: stop } of [...asked.values(), ...retries.values()]) stop();
			for (const waiting of [asked, retries, doubtful, single]) waiting.clear();
			hasConfirmed = false;
		},
		isSettled: () => asked.size === 0,
	};
}

function refusal(frame: Frame & { type: 'error' }, { apiKey }: Account): ExchangeError {
	const code = frame.kind === 'key' ? 'unauthorized' : frame.kind === 'forbidden' ? 'forbidden' : 'refused';
	return new ExchangeError(code, {
		operation: 'Stream',
		what: 'The service refused the subscription',
		serviceMessage: excerpt(frame.text, apiKey) || undefined,
		serviceCode: excerpt(frame.code, apiKey) || undefined,
	});
}

const notConfirmed = (topic: string): ExchangeError =>
	new ExchangeError('timeout', { operation: 'Stream', what: `The service does not confirm the topic ${topic}` });
