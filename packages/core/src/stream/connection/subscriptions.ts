import { doubled } from '../../backoff';
import { mayMean } from '../../catalogue';
import { isExchangeError, type ExchangeError } from '../../errors';
import {
	CONFIRMATION_MS,
	FAILED_REPLAYS_MAX,
	REFUSALS_CONFIRM,
	REFUSAL_AGAIN_MS,
	REFUSED_AGAIN_MS,
	REPLAY_MS_MAX,
	TOPIC_REFUSALS_CONFIRM,
} from '../limits';
import { sameEpoch } from '../position';
import {
	type ConnectionEffect,
	type ConnectionState,
	type Refusal,
	type TopicSubscription,
	unconfirmed,
} from './state';
import type { Frame } from './frames';

/** Subscribes topics: books, which begin with a snapshot, in a message of their own. */
export function subscribe(
	state: ConnectionState,
	topics: readonly string[],
	mayResume: boolean,
	now: number,
): ConnectionEffect[] {
	const requested = topics.filter((topic) => state.topics.has(topic));
	for (const topic of requested) {
		const subscription = state.topics.get(topic)!;
		subscription.is = 'requested';
		subscription.resumedFrom = undefined;
		// A service under load needs longer to confirm.
		subscription.due = now + doubled(CONFIRMATION_MS, state.inVain);
	}
	return [false, true].flatMap((isBook): ConnectionEffect[] => {
		const group = requested.filter((topic) => state.topics.get(topic)!.isBook === isBook);
		const resumes = mayResume ? group.filter((topic) => isResumeUseful(state.topics.get(topic)!)) : [];
		// What may not be replayed is not asked for as a snapshot either.
		return group.length > 0 ? [{ do: 'subscribe', topics: group, resumes, snapshot: isBook && mayResume }] : [];
	});
}

/** Subscribes one queued topic at a time, so that an error message belongs to that topic. */
export function subscribeNext(state: ConnectionState, now: number): ConnectionEffect[] {
	const all = [...state.topics];
	if (all.some(([, { is }]) => is === 'requested')) return [];
	const [next] = all.filter(([, { is }]) => is === 'queued');
	return next ? subscribe(state, [next[0]], next[1].mayResume, now) : [];
}

/** A refused topic does not affect the others, so each is confirmed for itself. */
export function onSubscribed(
	state: ConnectionState,
	frame: Extract<Frame, { type: 'subscribed' }>,
	now: number,
): ConnectionEffect[] {
	const requested = topicsThat(state, 'requested');
	// A confirmation may name no topic, or every active one. Only topics that wait for one are confirmed by it.
	const named = frame.topics.length > 0 ? withWildcards(state, frame.topics) : requested;
	const effects = named.flatMap((topic): ConnectionEffect[] => {
		const subscription = state.topics.get(topic);
		const head = frame.positions[topic];
		if (!subscription) return [];
		// One that names a topic that waits for another try comes late, and counts.
		if (subscription.is !== 'requested' && subscription.is !== 'retrying')
			return [{ do: 'tell', topic, news: { type: 'confirmed_again', head } }];
		const { resumedFrom } = subscription;
		const isDoubtful = frame.topics.length === 0 && resumedFrom !== undefined;
		change(subscription, { is: 'confirmed', wasConfirmed: true, due: undefined, refusals: 0, isDoubtful });
		Object.assign(state, { hasConfirmed: true, inVain: 0, unconfirmed: 0, keyRefusals: 0 });
		const isUpToDate = head && resumedFrom && sameEpoch(head.epoch, resumedFrom.epoch) && head.seq <= resumedFrom.seq;
		if (!isUpToDate) subscription.replaySince = now;
		const snapshot = frame.snapshots[topic];
		return [{ do: 'tell', topic, news: { type: 'confirmed', head, snapshot, resumedFrom } }];
	});
	return [...effects, ...subscribeNext(state, now)];
}

/** The topics a confirmation names, with wildcards that wait: a service may confirm one by naming topics it means. */
function withWildcards({ topics, wildcards }: ConnectionState, named: readonly string[]): string[] {
	const meant = wildcards.filter(
		(wildcard) => topics.get(wildcard)!.is === 'requested' && named.some((topic) => mayMean(wildcard, topic)),
	);
	return [...new Set([...named, ...meant])];
}

/** The service confirms that topics are removed. Those that are confirmed it removed by itself. */
export function onRemoved(state: ConnectionState, topics: readonly string[], now: number): ConnectionEffect[] {
	return topics.flatMap((topic): ConnectionEffect[] => {
		const subscription = state.topics.get(topic);
		if (subscription?.is !== 'confirmed') return [];
		retry(subscription, { at: now + REFUSAL_AGAIN_MS, mayResume: true });
		return [{ do: 'tell', topic, news: { type: 'lost', heardAt: now } }];
	});
}

/** The service refused topics; a message that names none means all that may be refused yet. */
export function onRefused(state: ConnectionState, refusal: Refusal, now: number): ConnectionEffect[] {
	const named = refusal.topics.filter((topic) => state.topics.has(topic));
	const doubtful = [...state.topics].flatMap(([topic, { isDoubtful }]) => (isDoubtful ? [topic] : []));
	const topics = named.length > 0 ? named : [...topicsThat(state, 'requested'), ...doubtful];
	const refused = topics.map((topic) => state.topics.get(topic)!);
	const isAboutKey = refusal.kind === 'key' || refusal.kind === 'forbidden';
	const mayBePosition = refused.some(
		(subscription) => subscription.isDoubtful || (subscription.is === 'requested' && subscription.resumedFrom),
	);
	for (const topic of doubtful) state.topics.get(topic)!.isDoubtful = false;
	// Topics of one message are refused together, so all of them are subscribed again, those without a position too.
	if (!isAboutKey && mayBePosition) return subscribe(state, topics, false, now);
	const isUnclear = named.length === 0 && topics.length > 1 && !isAboutKey;
	for (const subscription of refused)
		change(
			subscription,
			isUnclear ? { is: 'queued', due: undefined, mayResume: false } : { is: 'unsubscribed', due: undefined },
		);
	const clear = isUnclear ? [] : topics;
	const effects = clear.flatMap((topic) => refuse(state, topic, { error: refusal.error, mayResume: isAboutKey, now }));
	return [...effects, ...subscribeNext(state, now)];
}

/** A topic was not confirmed in time, although others of the connection were. */
export function onUnconfirmed(state: ConnectionState, topic: string, now: number): ConnectionEffect[] {
	// The service may be silent because of the position, so every other try goes without one.
	return refuse(state, topic, { mayResume: state.topics.get(topic)!.refusals % 2 === 0, now });
}

/** A refusal counts once it is repeated. A topic that was subscribed before is tried again at growing pauses. */
function refuse(
	state: ConnectionState,
	topic: string,
	{ error, mayResume, now }: { error?: ExchangeError; mayResume: boolean; now: number },
): ConnectionEffect[] {
	const subscription = state.topics.get(topic)!;
	subscription.refusals += 1;
	const { refusals, wasConfirmed } = subscription;
	// Without an error the service refuses by its silence.
	const [isRefused, reason] = [error !== undefined, error ?? unconfirmed(topic)];
	if (refusals < TOPIC_REFUSALS_CONFIRM) {
		retry(subscription, { at: now + REFUSAL_AGAIN_MS * refusals, mayResume, isRefused });
		return [];
	}
	if (!wasConfirmed) {
		change(subscription, { is: 'unsubscribed', due: undefined, refusals: 0 });
		return [{ do: 'tell', topic, news: { type: 'refused', error: reason } }];
	}
	const againMs = doubled(REFUSED_AGAIN_MS, refusals - TOPIC_REFUSALS_CONFIRM);
	retry(subscription, { at: now + againMs, mayResume, isRefused });
	return [{ do: 'tell', topic, news: { type: 'unavailable', error: reason, againMs } }, ...keyRefused(state, reason)];
}

/** The key is refused on a connection that stays open. The first topic that confirms it reports that, and no other. */
function keyRefused({ topics }: ConnectionState, error: ExchangeError): ConnectionEffect[] {
	const confirmed = [...topics.values()].filter(({ refusals }) => refusals >= REFUSALS_CONFIRM);
	const isReported = confirmed.length > 1 || confirmed.some(({ refusals }) => refusals > REFUSALS_CONFIRM);
	const isDue = isExchangeError(error, 'unauthorized') && confirmed.length > 0 && !isReported;
	return isDue ? [{ do: 'tell_refused', error }] : [];
}

function retry(
	subscription: TopicSubscription,
	{ at, mayResume, isRefused = false }: { at: number; mayResume: boolean; isRefused?: boolean },
): void {
	// The position of a request that was refused was not used; that of one without an answer may have been.
	if (isRefused) subscription.resumedFrom = undefined;
	change(subscription, { is: 'retrying', due: at, mayResume });
}

export const change = (subscription: TopicSubscription, changes: Partial<TopicSubscription>): void =>
	void Object.assign(subscription, changes);

/**
 * The connection ended. A service may close it because a replay is too large, and would close every further one. After some
 * tries the topic is subscribed without resume and backfilled over REST.
 */
export function endSubscriptions(state: ConnectionState, now: number): void {
	for (const subscription of state.topics.values()) {
		const { replaySince, lostReplays } = subscription;
		if (replaySince !== undefined) subscription.lostReplays = now - replaySince >= REPLAY_MS_MAX ? 0 : lostReplays + 1;
		change(subscription, { is: 'unsubscribed', due: undefined, isDoubtful: false, replaySince: undefined });
	}
	state.hasConfirmed = false;
}

const isResumeUseful = ({ lostReplays }: TopicSubscription): boolean => lostReplays < FAILED_REPLAYS_MAX;

/** A message of the topic arrived. */
export function hearReplay(subscription: TopicSubscription): void {
	if (subscription.replaySince === undefined) return;
	subscription.replaySince = undefined;
	subscription.lostReplays = 0;
}

const topicsThat = ({ topics }: ConnectionState, is: TopicSubscription['is']): string[] =>
	[...topics].flatMap(([topic, subscription]) => (subscription.is === is ? [topic] : []));
