import { doubled } from '../../backoff';
import { mayMean } from '../../catalogue';
import { ExchangeError, isExchangeError } from '../../errors';
import {
	CONFIRMATION_MS,
	EARLY_MS,
	REFUSALS_CONFIRM,
	REFUSAL_AGAIN_MS,
	REFUSED_AGAIN_MS,
	TOPIC_REFUSALS_CONFIRM,
} from '../limits';
import type { Frame } from './frames';
import type { ConnectionEffect, ConnectionState, Refusal, TopicSubscription } from './state';

/** What becomes of the topics of a connection. All functions change the state in place. */

/**
 * Requests topics: books, which begin with a snapshot, in a message of their own. The first request of a connection asks
 * for what was missed and for snapshots, unless such a request ended the one before. One that is repeated does not.
 */
export function subscribe(
	state: ConnectionState,
	topics: readonly string[],
	asks: boolean,
	now: number,
): ConnectionEffect[] {
	// A service under load needs longer to confirm.
	const due = now + doubled(CONFIRMATION_MS, Math.max(0, state.reconnects.tries - 1));
	for (const topic of topics) change(state, topic, { is: 'requested', resumedFrom: undefined, due });
	return [false, true].flatMap((isBook): ConnectionEffect[] => {
		const group = topics.filter((topic) => state.topics.get(topic)!.isBook === isBook);
		if (group.length === 0) return [];
		state.hasAsked ||= isBook && asks;
		return [{ do: 'subscribe', topics: group, resumes: asks && !isBook, snapshot: asks && isBook }];
	});
}

/** Requests one topic that waits for it, once no other request is open, so that an error message belongs to that topic. */
export function subscribeNext(state: ConnectionState, now: number): ConnectionEffect[] {
	if (topicsThat(state, 'requested').length > 0) return [];
	const next = topicsThat(state, 'queued').find((topic) => state.topics.get(topic)!.due! - now < EARLY_MS);
	return next === undefined ? [] : subscribe(state, [next], false, now);
}

/** When something is to be done about a topic: about those that wait, once no request is open. */
export function dueTopics({ topics }: ConnectionState): number[] {
	const all = [...topics.values()];
	const requested = all.filter(({ is }) => is === 'requested');
	return (requested.length > 0 ? requested : all).flatMap(({ due }) => (due === undefined ? [] : [due]));
}

/** Topics are confirmed by name, a wildcard perhaps by topics it means. A confirmation without names is that of all requested. */
export function onSubscribed(
	state: ConnectionState,
	{ topics: names, positions, snapshots }: Extract<Frame, { type: 'subscribed' }>,
	now: number,
): ConnectionEffect[] {
	const isNamed = (topic: string): boolean => names.some((name) => name === topic || mayMean(topic, name));
	const requested = topicsThat(state, 'requested');
	// One that waits for another try is confirmed late, which counts. A wildcard that waits is not meant by what others are.
	const late = topicsThat(state, 'queued').filter((topic) => names.includes(topic));
	const confirmed = names.length === 0 ? requested : [...requested.filter(isNamed), ...late];
	if (confirmed.length > 0) Object.assign(state, { hasConfirmed: true, keyRefusals: 0 });
	const effects = confirmed.map((topic): ConnectionEffect => {
		const { resumedFrom } = state.topics.get(topic)!;
		change(state, topic, { is: 'confirmed', wasConfirmed: true, due: undefined, refusals: 0 });
		const news = { head: positions[topic], snapshot: snapshots[topic], resumedFrom };
		return { do: 'tell', topic, news: { type: 'confirmed', ...news } };
	});
	const again = topicsThat(state, 'confirmed').filter((topic) => names.includes(topic) && !confirmed.includes(topic));
	const repeated = again.map((topic): ConnectionEffect => {
		return { do: 'tell', topic, news: { type: 'confirmed_again', head: positions[topic] } };
	});
	return [...effects, ...repeated, ...subscribeNext(state, now)];
}

/** The service confirms that topics are removed. Those that are confirmed it removed by itself. */
export function onRemoved(state: ConnectionState, topics: readonly string[], now: number): ConnectionEffect[] {
	return topics.flatMap((topic): ConnectionEffect[] => {
		if (state.topics.get(topic)?.is !== 'confirmed') return [];
		queue(state, topic, now + REFUSAL_AGAIN_MS);
		return [{ do: 'tell', topic, news: { type: 'lost', heardAt: now } }];
	});
}

/** The service refused topics; a message that names none means all requested ones. */
export function onRefused(
	state: ConnectionState,
	{ kind, topics: names, error }: Refusal,
	now: number,
): ConnectionEffect[] {
	const named = names.filter((topic) => state.topics.has(topic));
	const topics = named.length > 0 ? named : topicsThat(state, 'requested');
	const isAboutKey = kind === 'key' || kind === 'forbidden';
	const isResumed = (topic: string): boolean => {
		const { is, resumedFrom } = state.topics.get(topic)!;
		return is === 'requested' && resumedFrom !== undefined;
	};
	// Topics of one message are refused together, so all of them are requested again, those without a position too.
	if (!isAboutKey && topics.some(isResumed)) return subscribe(state, topics, false, now);
	const isUnclear = named.length === 0 && topics.length > 1 && !isAboutKey;
	if (isUnclear) for (const topic of topics) queue(state, topic, now);
	const refused = isUnclear ? [] : topics.flatMap((topic) => refuse(state, topic, now, error));
	return [...refused, ...subscribeNext(state, now)];
}

/** A refusal counts once it is repeated; without an error it is by silence. A topic that was served is asked for again. */
export function refuse(state: ConnectionState, topic: string, now: number, error?: ExchangeError): ConnectionEffect[] {
	const { refusals: before, wasConfirmed, resumedFrom } = state.topics.get(topic)!;
	const refusals = before + 1;
	const reason = error ?? unconfirmed(topic);
	if (refusals >= TOPIC_REFUSALS_CONFIRM && !wasConfirmed) {
		change(state, topic, { is: 'unsubscribed', due: undefined, refusals: 0 });
		return [{ do: 'tell', topic, news: { type: 'refused', error: reason } }];
	}
	// The position of a request that was refused was not used; that of one without an answer may have been.
	change(state, topic, { refusals, resumedFrom: error ? undefined : resumedFrom });
	const isConfirmed = refusals >= TOPIC_REFUSALS_CONFIRM;
	const againMs = isConfirmed ? doubled(REFUSED_AGAIN_MS, refusals - TOPIC_REFUSALS_CONFIRM) : REFUSAL_AGAIN_MS;
	queue(state, topic, now + againMs);
	if (!isConfirmed) return [];
	const told = isExchangeError(error, 'unauthorized') && refusals === REFUSALS_CONFIRM && isFirst(state);
	const report: ConnectionEffect[] = told ? [{ do: 'tell_refused', error }] : [];
	return [{ do: 'tell', topic, news: { type: 'unavailable', error: reason, againMs } }, ...report];
}

/** The key is refused on a connection that stays open. The first topic that confirms it reports that, and no other. */
const isFirst = ({ topics }: ConnectionState): boolean =>
	[...topics.values()].filter(({ refusals }) => refusals >= REFUSALS_CONFIRM).length === 1;

const queue = (state: ConnectionState, topic: string, due: number): void => change(state, topic, { is: 'queued', due });

function change({ topics }: ConnectionState, topic: string, changes: Partial<TopicSubscription>): void {
	Object.assign(topics.get(topic)!, changes);
}

export const topicsThat = ({ topics }: ConnectionState, is: TopicSubscription['is']): string[] =>
	[...topics].flatMap(([topic, subscription]) => (subscription.is === is ? [topic] : []));

/** A topic is refused by silence. */
const unconfirmed = (topic: string): ExchangeError =>
	new ExchangeError('timeout', { operation: 'Stream', what: `The service does not confirm the topic ${topic}` });
