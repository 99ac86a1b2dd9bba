import { doubled } from '../../backoff';
import { mayMean } from '../../catalogue';
import { ExchangeError, isExchangeError } from '../../errors';
import { excerpt } from '../../redaction';
import {
	CONFIRMATION_MS,
	EARLY_MS,
	REFUSAL_AGAIN_MS,
	REFUSALS_CONFIRM,
	REFUSED_AGAIN_MS,
	TOPIC_REFUSALS_CONFIRM,
} from '../limits';
import { resumeField, type Position } from '../position';
import { subscribeMessage, type ErrorMessage, type ServiceMessage } from './messages';
import { isOpen, topicsThat, type SocketLink } from './link';

/**
 * Requests topics in one message. The first request of a connection asks for what was missed and for snapshots of
 * books, unless such a request ended the one before. A repeated request does not, since that may be what was refused.
 */
export function requestTopics(link: SocketLink, wanted: readonly string[], asks: boolean): void {
	const { state, account } = link;
	const topics = wanted.filter((topic) => state.topics.has(topic));
	if (!isOpen(state) || topics.length === 0) return;
	// A service under load needs longer to confirm.
	const due = link.clock.now() + doubled(CONFIRMATION_MS, Math.max(0, state.attempts - 2));
	const positions = new Map<string, Position>();
	for (const topic of topics) {
		const feed = link.feed(topic);
		const position = asks ? feed?.resumeFrom() : undefined;
		if (position) positions.set(topic, position);
		const asksMore = asks && (position !== undefined || feed?.isBook === true);
		Object.assign(state.topics.get(topic)!, { is: 'requested', due, asksMore });
	}
	const resume = resumeField(positions, account);
	// The field is empty where the account has turned resume off, so nothing is replayed.
	if (Object.keys(resume).length === 0) positions.clear();
	for (const topic of topics) link.feed(topic)?.happened({ type: 'requested', resumeFrom: positions.get(topic) });
	const snapshot = asks && topics.some((topic) => link.feed(topic)?.isBook);
	state.hasAsked ||= snapshot || positions.size > 0;
	link.send(subscribeMessage(topics, snapshot, resume));
}

/** Requests one topic that waits for it, once no other request is open, so that an error message belongs to that topic. */
export function requestNext(link: SocketLink): void {
	const { state, clock } = link;
	if (topicsThat(state, 'requested').length > 0) return;
	const next = topicsThat(state, 'queued').find((topic) => state.topics.get(topic)!.due! - clock.now() < EARLY_MS);
	if (next !== undefined) requestTopics(link, [next], false);
}

/** Topics are confirmed by name, a wildcard by topics it means. A confirmation without names confirms all. */
export function onConfirmed(link: SocketLink, message: Extract<ServiceMessage, { type: 'subscribed' }>): void {
	const { state } = link;
	const { topics: names, positions, snapshots } = message;
	const isNamed = (topic: string): boolean => names.some((name) => name === topic || mayMean(topic, name));
	const requested = topicsThat(state, 'requested').filter((topic) => names.length === 0 || isNamed(topic));
	// A confirmation that comes late, when the topic already waits for another try, still counts. It must name the topic
	// itself: the confirmation of `trades.USD_NGN` does not confirm a waiting `trades.*`.
	const late = topicsThat(state, 'queued').filter((topic) => names.includes(topic));
	for (const topic of [...requested, ...late]) {
		Object.assign(state, { hasConfirmed: true, keyRefusals: 0 });
		Object.assign(state.topics.get(topic)!, { is: 'confirmed', wasConfirmed: true, due: undefined, refusals: 0 });
	}
	for (const topic of [...requested, ...late])
		link.feed(topic)?.happened({ type: 'confirmed', head: positions[topic], snapshot: snapshots[topic] });
	requestNext(link);
}

/** A topic that was still confirmed was removed by the service itself, so it is asked for again. */
export function onRemoved(link: SocketLink, topics: readonly string[]): void {
	const now = link.clock.now();
	for (const topic of topics) {
		const subscription = link.state.topics.get(topic);
		if (subscription?.is !== 'confirmed') continue;
		Object.assign(subscription, { is: 'queued', due: now + REFUSAL_AGAIN_MS });
		link.feed(topic)?.happened({ type: 'lost', heardAt: now });
	}
}

/** The service refused topics; a message that names none means all requested ones. */
export function onRefused(link: SocketLink, message: ErrorMessage): void {
	const { state, clock, account } = link;
	const isAboutKey = message.kind === 'key' || message.kind === 'forbidden';
	const named = message.topics.filter((topic) => state.topics.has(topic));
	const topics = named.length > 0 ? named : topicsThat(state, 'requested');
	// Each topic is requested alone now, which shows which of them is refused.
	if (named.length === 0 && topics.length > 1 && !isAboutKey)
		for (const topic of topics) Object.assign(state.topics.get(topic)!, { is: 'queued', due: clock.now() });
	else for (const topic of topics) refuse(link, topic, refusalOf(message, account.apiKey));
	requestNext(link);
}

/** Topics were not confirmed in time, though others were. */
export function onSilence(link: SocketLink, topics: readonly string[]): void {
	for (const topic of topics)
		refuse(
			link,
			topic,
			new ExchangeError('timeout', { operation: 'Stream', what: `The service does not confirm the topic ${topic}` }),
		);
	requestNext(link);
}

/** A repeated refusal of nothing but the topic counts. A topic that was served is asked for again all the same. */
function refuse({ state, clock, feed, ports }: SocketLink, topic: string, error: ExchangeError): void {
	const subscription = state.topics.get(topic);
	// The subscriber may have left when it got the refusal before this one.
	if (!subscription) return;
	if (subscription.asksMore) return void Object.assign(subscription, { is: 'queued', due: clock.now() });
	subscription.refusals += 1;
	const { refusals, wasConfirmed } = subscription;
	const isConfirmed = refusals >= TOPIC_REFUSALS_CONFIRM;
	if (isConfirmed && !wasConfirmed) {
		Object.assign(subscription, { is: 'unsubscribed', due: undefined, refusals: 0 });
		return feed(topic)?.happened({ type: 'refused', error });
	}
	const againMs = isConfirmed ? doubled(REFUSED_AGAIN_MS, refusals - TOPIC_REFUSALS_CONFIRM) : REFUSAL_AGAIN_MS;
	Object.assign(subscription, { is: 'queued', due: clock.now() + againMs });
	if (!isConfirmed) return;
	feed(topic)?.happened({ type: 'unavailable', error, againMs });
	if (refusals === REFUSALS_CONFIRM && isExchangeError(error, 'unauthorized')) ports.failed([topic], error);
}

function refusalOf({ kind, text, code }: ErrorMessage, apiKey: string): ExchangeError {
	return new ExchangeError(kind === 'key' ? 'unauthorized' : kind === 'forbidden' ? 'forbidden' : 'refused', {
		operation: 'Stream',
		what: 'The service refused the subscription',
		serviceMessage: excerpt(text, apiKey) || undefined,
		serviceCode: excerpt(code, apiKey) || undefined,
	});
}
