import type { Subscriber } from '../delivery/subscriber';

/** The subscribers of a topic, in the order in which they joined, and what each still waits for. */
export type Subscribers = Map<Subscriber, Phase>;

/** How far a subscriber is with a topic. */
export interface Phase {
	/** Whether its filters may let events of the topic pass. */
	readonly isInterested: boolean;
	/** It waits for a confirmation: the first since it joined, or since its queue dropped events. */
	isBehind: boolean;
	/** What tells old events from new ones. Until it is read, no other backfill serves the subscriber. */
	baseline: 'wanted' | 'reading' | 'read';
	/** The key may not read, so live events are delivered without a baseline. */
	isUnreadable: boolean;
	/** It joined since the connection opened, without a position of its own: no replay is for it. */
	isNewcomer: boolean;
	/** How many of the messages in `TopicState.received` its counters include. */
	counted: number;
}

/** Whether a subscriber is served: confirmed, and its baseline read, unless the key may not read it. */
export const isReady = (phase: Phase | undefined): boolean =>
	phase !== undefined && !phase.isBehind && (phase.baseline === 'read' || phase.isUnreadable);

/** Those whose baseline is read, and whose queues have room. */
export const served = (subscribers: Subscribers, topic: string): Subscriber[] =>
	[...subscribers.keys()].filter((subscriber) => isServed(subscribers, subscriber, topic));

export const isServed = (subscribers: Subscribers, subscriber: Subscriber, topic: string): boolean =>
	subscribers.get(subscriber)?.baseline === 'read' && !subscriber.queue.lagging.has(topic);

/** Whether there are subscribers, and the filters of all of them let nothing of the topic pass. */
export function areAllUninterested(subscribers: Subscribers): boolean {
	for (const { isInterested } of subscribers.values()) if (isInterested) return false;
	return subscribers.size > 0;
}

export const areAllNewcomers = (subscribers: Subscribers): boolean =>
	[...subscribers.values()].every(({ isNewcomer }) => isNewcomer);

/** The topic is confirmed. Returns those who waited for it. */
export function catchUp(subscribers: Subscribers): Subscriber[] {
	const behind = [...subscribers].filter(([, { isBehind }]) => isBehind);
	for (const [, phase] of behind) phase.isBehind = false;
	return behind.map(([subscriber]) => subscriber);
}

/** The connection is lost. What the next one replays is for everybody but those who have waited for it. */
export function lose(subscribers: Subscribers): void {
	for (const phase of subscribers.values()) phase.isNewcomer &&= phase.isBehind;
}

/**
 * Takes the baselines that are to be read. Each is read exactly once: a second one would take events since the first for
 * old ones and lose them.
 */
export function takeBaselines(subscribers: Subscribers): Subscriber[] {
	const wanted = [...subscribers].filter(([, { baseline }]) => baseline === 'wanted');
	for (const [, phase] of wanted) phase.baseline = 'reading';
	return wanted.map(([subscriber]) => subscriber);
}
