import { inBackground } from '../../background';
import { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { TopicHistory } from '../backfill/read-queue';
import { topicBackfill } from '../backfill/topic-backfill';
import type { DataFrame } from '../connection/frames';
import type { StreamState } from '../contract';
import type { Subscriber } from '../delivery/subscriber';
import { noticeTexts } from '../notice-text';
import type { StreamPolicy } from '../policy';
import { LIVE, REPLAYED, rulesOf, type TopicEffect, type TopicInput, type TopicRules } from '../sync/effects';
import { serviceTime } from '../sync/message-times';
import { countMessages, place } from '../sync/positions';
import { newTopic, type TopicState } from '../sync/state';
import { step, wakesAt } from '../sync/step';
import { served } from '../sync/subscribers';
import { observe } from '../sync/window';
import type { TopicEvent } from '../topics/event';
import { bookEvent } from '../topics/order-book';
import type { Topic } from '../topics/topic';
import { createWake } from '../wake';
import { createCallers, type Callers } from './callers';
import { incomingOf } from './incoming';
import { createTopicNotices, type TopicNotices } from './notices';
import { createReads } from './reads';
import { deliverWildcard } from './wildcard';

export interface ChannelPorts {
	clock: Clock;
	random: () => number;
	policy: StreamPolicy;
	/** Absent without a key, because every read needs one. */
	history?: TopicHistory;
	/** Events arrived, by stream or by REST. */
	observed(events: readonly TopicEvent[]): void;
	/** Order updates arrived over the stream, perhaps repeated. */
	moved(events: readonly TopicEvent[]): void;
	/** The clock of the service, by the dates of its replies. */
	serviceTime(): number | undefined;
	/** Subscribes the topic again, so that a subscriber that joined late gets the events it missed. */
	resubscribe(): void;
	state(): StreamState;
	/** The service refused the topic. */
	refused(error: ExchangeError): void;
}

/** Runs one topic: has `step` decide what follows from what happens, and does it. */
export interface TopicRunner {
	readonly rules: TopicRules;
	readonly state: TopicState;
	readonly notices: TopicNotices;
	readonly callers: Callers;
	happened(input: TopicInput, at?: number): void;
	/** Events arrived, by stream or by REST. */
	heard(events: readonly TopicEvent[]): void;
	/** Has the counters of all subscribers include every message. `at`: unless they did a moment before. */
	flush(at?: number): void;
	leave(subscriber: Subscriber, error?: ExchangeError): void;
	stop(): void;
}

/** Counters include messages this often, and on request. */
const COUNTED_EVERY_MS = 1_000;

/** Without a definition of its topic it is a wildcard. */
export function createTopicRunner(name: string, topic: Topic | undefined, ports: ChannelPorts): TopicRunner {
	const { clock, random, policy, history, observed } = ports;
	const [callers, stopped] = [createCallers(), new AbortController()];
	const rules = rulesOf(name, topic, policy, history !== undefined);
	const state = newTopic(clock.now(), random(), rules.readEveryMs);
	const { subscribers } = state;
	const { signal } = stopped;
	const notices = createTopicNotices({ name, state, clock, connection: ports.state, serviceTime: timeOfService });
	const backfill =
		topic && topicBackfill(topic, { name, clock, policy, state, notice: notices.notice, history, observed, signal });
	const reads = createReads({
		...{ name, clock, random, state, backfill, happened, signal, failed: leave, serviceTime: timeOfService },
	});
	const wake = createWake(clock, () => happened({ type: 'woken' }));
	wake(wakesAt(state, clock.now()));

	function happened(input: TopicInput, at = clock.now()): void {
		if (signal.aborted) return;
		const effects = step(rules, state, input, at);
		for (const effect of effects) perform(effect, input, at);
		// Whoever was told may have left, and the topic with them.
		if (signal.aborted) return;
		// Nearly all messages are only delivered, which changes nothing about what is due.
		if (effects === LIVE || effects === REPLAYED) return;
		wake(wakesAt(state, clock.now()));
		callers.look();
	}

	function perform(effect: TopicEffect, input: TopicInput, at: number): void {
		switch (effect.do) {
			case 'deliver':
				return deliver(input as DataFrame, effect.isReplay, at);
			case 'release':
				return effect.frames.forEach(([frame, isReplay]) => deliver(frame, isReplay, at));
			case 'count_gap':
				return subscribers.forEach((_, { counters }) => (counters.gaps += 1));
			case 'place':
				return effect.subscribers.forEach((subscriber) => place(name, state, subscriber));
			case 'follow_book':
				return effect.subscribers.forEach(({ queue }) => queue.lagging.delete(name));
			case 'serve':
				return reads.serve(effect.newcomers);
			case 'read_baseline':
				return inBackground(reads.baseline(effect.subscriber));
			case 'offer_book':
				// After a pause, several confirmations may arrive in the same millisecond.
				return notices.tell(bookEvent(name, effect.snapshot, `snapshot:${at}:${state.book.begun}`));
			case 'subscribe':
				return ports.resubscribe();
			case 'read':
				flush();
				return inBackground(reads.backfill());
			default:
				return tell(effect);
		}
	}

	function tell(effect: Extract<TopicEffect, { do: `tell_${string}` }>): void {
		switch (effect.do) {
			case 'tell_stale':
				return notices.warn(subscribers.keys(), noticeTexts.staleBook);
			case 'tell_gap':
				return notices.gap(subscribers.keys(), effect.since);
			case 'tell_refused':
				callers.reject(effect.error, () => true);
				return ports.refused(effect.error);
			case 'tell_unavailable':
				return notices.warn(subscribers.keys(), noticeTexts.unavailable(effect.error.summary, effect.againMs));
			case 'tell_failure':
				return notices.backfillFailed(
					effect.to ? [effect.to] : served(subscribers, name),
					effect.error,
					effect.againMs,
				);
		}
	}

	function deliver(frame: DataFrame, isReplay: boolean, at: number): void {
		if (!topic) return deliverWildcard(state, notices, frame, at);
		const message = incomingOf(topic, state, frame, { isReplay, at });
		if (!message) return;
		const { events, arrival } = message;
		heard(events);
		if (events[0]?.order) ports.moved(events);
		for (const [subscriber, { isInterested, isBehind, isNewcomer }] of subscribers) {
			// A replay begins where another one was; what this one missed since it joined, its backfill shows.
			if (!isInterested || (isReplay && isNewcomer)) continue;
			subscriber.offer(events, arrival);
			// Who is behind still has to get a replay of what it missed, so its position stays.
			if (frame.position && !isBehind) subscriber.advance(name, frame.position);
		}
		flush(at);
	}

	function heard(events: readonly TopicEvent[]): void {
		if (rules.isListed) observe(state.window, events);
		// Orders and fills are observed by listeners and sums, too.
		if (topic?.keeps === 'events') observed(events);
	}

	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	function timeOfService(at: number): number {
		const now = ports.serviceTime();
		return now === undefined ? serviceTime(state.times, at) : at + now - clock.now();
	}

	function flush(at?: number): void {
		// Of a wildcard each message is counted when it is offered.
		if (!topic || (at !== undefined && at - state.countedAt < COUNTED_EVERY_MS)) return;
		countMessages(name, state, at ?? clock.now());
	}

	function leave(subscriber: Subscriber, error = left()): void {
		flush();
		subscribers.delete(subscriber);
		callers.reject(error, (waiting) => waiting === subscriber);
	}

	return {
		...{ rules, state, notices, callers, happened, heard, flush, leave },
		stop: () => (stopped.abort(), wake(undefined)),
	};
}

const left = (): ExchangeError =>
	new ExchangeError('aborted', { operation: 'Stream', what: 'The subscription was closed before it was ready' });
