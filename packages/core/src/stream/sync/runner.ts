import { inBackground } from '../../background';
import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { offerGap, type Backfill } from '../backfill/backfill';
import type { TopicHistory } from '../backfill/read-queue';
import type { DataFrame } from '../connection/frames';
import type { StreamNotice, StreamState } from '../contract';
import type { Subscriber } from '../delivery/subscriber';
import { reach } from '../ledger/ledger';
import { createFailureLog, type FailureLog } from '../failure';
import { noticeTexts } from '../notice-text';
import type { StreamPolicy } from '../policy';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createWake } from '../wake';
import { createBystanders, type Bystanders } from './bystanders';
import type { TopicEffect, TopicInput, TopicRules } from './effects';
import { createIncoming } from './incoming';
import { serviceTime } from './message-times';
import { createServing, type Serving } from './serving';
import { newTopic, type TopicState } from './state';
import { step, wakesAt } from './step';
import { createTopicSubscribers, type TopicSubscribers } from './topic-subscribers';
import { topicBackfill } from './topic-backfill';

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
	readonly state: TopicState;
	readonly subscribers: TopicSubscribers;
	readonly serving: Serving;
	readonly bystanders: Bystanders;
	readonly failures: FailureLog;
	/** A message and its time of arrival. */
	receive(frame: DataFrame, at: number): void;
	/** `details`: what the effects of this input need beside it. */
	happened(input: TopicInput, details?: Details): void;
	/** Gives a new subscriber the position of the topic, so that it can resume even if no event ever arrives. */
	place(subscriber: Subscriber): void;
	/** Events arrived, by stream or by REST. */
	heard(events: readonly TopicEvent[]): void;
	notice(subscriber: Subscriber, notice: Pick<StreamNotice, 'kind' | 'text'>): void;
	/** Tells all subscribers what works less well than it should. */
	warn(text: string): void;
	/** Aborted by `stop`. */
	readonly signal: AbortSignal;
	stop(): void;
}

/** Of a message its time of arrival, of a confirmation its snapshot, of a failure its error. */
interface Details {
	at?: number;
	snapshot?: unknown;
	error?: unknown;
}

export function createTopicRunner(name: string, topic: Topic, ports: ChannelPorts): TopicRunner {
	const { clock, random, policy, history, observed } = ports;
	const [failures, stopped] = [createFailureLog(clock), new AbortController()];
	const subscribers = createTopicSubscribers(name, () => bystanders.flush());
	const notice: TopicRunner['notice'] = (to, text) => to.notice({ ...text, topic: name, state: ports.state() });
	const backfill: Backfill | undefined = topicBackfill(
		{ name, topic, clock, policy, notice, history, observed, state: () => state },
		() => serving.served(),
	);
	const rules = rulesOf(topic, policy, backfill);
	const state = newTopic(clock.now(), random(), rules.readEveryMs);
	const incoming = createIncoming(name, topic, state);
	const bystanders = createBystanders(name, state, subscribers);
	const wake = createWake(clock, () => happened({ type: 'woken' }));
	wake(wakesAt(state, clock.now()));
	const serving = createServing({
		...{ name, clock, random, subscribers, backfill, failures, notice, happened, signal: stopped.signal },
		serviceTime: (at) => {
			const serviceNow = ports.serviceTime();
			return serviceNow === undefined ? serviceTime(state.times, at) : at + serviceNow - clock.now();
		},
	});

	function receive(frame: DataFrame, at: number): void {
		if (rules.isBook && !state.isConfirmed) return;
		subscribers.arrived();
		happened(frame, { at });
	}

	function happened(input: TopicInput, details: Details = {}): void {
		if (stopped.signal.aborted) return;
		const effects = step(rules, state, input, details.at ?? clock.now());
		for (const effect of effects) perform(effect, input, details);
		// Nearly all messages are only delivered, or wait, which changes nothing about what is due.
		if (input.type !== 'data' || effects.some((effect) => effect.do !== 'deliver')) wake(wakesAt(state, clock.now()));
	}

	function perform(effect: TopicEffect, input: TopicInput, { at = clock.now(), snapshot, error }: Details): void {
		switch (effect.do) {
			case 'deliver':
				return deliver(input as DataFrame, effect.isReplay, at);
			case 'release':
				return effect.frames.forEach(([frame, isReplay]) => deliver(frame, isReplay, at));
			case 'tell_stale':
				return warn(noticeTexts.staleBook);
			case 'tell_gap':
				return subscribers.all().forEach((subscriber) => tellUnreadGap(subscriber, { name, state, notice }));
			case 'tell_failure':
				return serving.reportFailure(serving.served(), error, effect.againMs);
			case 'count_gap':
				return subscribers.countGap();
			case 'forget':
				return backfill?.reconnected?.();
			case 'compare_runs':
				return serving.compareRuns(effect);
			case 'confirm':
				return confirm(effect);
			case 'offer_book':
				return subscribers.tell(incoming.readBook(snapshot, at));
			case 'subscribe':
				return ports.resubscribe();
			case 'read':
				bystanders.flush();
				return inBackground(serving.read());
		}
	}

	function deliver(frame: DataFrame, isReplay: boolean, at: number): void {
		const message = incoming.read(frame, isReplay, at);
		if (!message) return;
		const { events, arrival } = message;
		heard(events);
		if (events[0]?.order) ports.moved(events);
		const behind = subscribers.lagging();
		for (const subscriber of subscribers.interested()) {
			// A replay begins where another one was; what this one missed since it joined, its backfill shows.
			if (isReplay && subscribers.joined().has(subscriber)) continue;
			subscriber.offer(events, arrival);
			// A lagging subscriber still has to get a replay of what it missed, so its position stays.
			if (frame.position && !behind.has(subscriber)) subscriber.advance(name, frame.position);
		}
		bystanders.skip(at, events);
	}

	function heard(events: readonly TopicEvent[]): void {
		backfill?.heard?.(events);
		// Orders and fills are observed by listeners and sums, too.
		if (topic.keeps === 'events') ports.observed(events);
	}

	const warn = (text: string): void =>
		subscribers.all().forEach((subscriber) => notice(subscriber, { kind: 'degraded', text }));

	function confirm({ servesNewcomers }: Extract<TopicEffect, { do: 'confirm' }>): void {
		const newcomers = subscribers.lagging();
		subscribers.all().forEach(place);
		if (rules.isBook) newcomers.forEach((subscriber) => subscriber.lagging.delete(name));
		subscribers.confirmed();
		if (servesNewcomers) serving.serveNewcomers(newcomers);
	}

	function place(subscriber: Subscriber): void {
		const { position } = state.sequence;
		const { offered } = subscriber.cursor(name);
		if (!position || offered.position) return;
		// Messages that wait are not delivered yet, so this is not stored as taken, but it tells which run of the service it is.
		if (state.backlog && state.backlog.frames.length > 0) reach(offered, position);
		else subscriber.advance(name, position);
	}

	const stop = (): void => (stopped.abort(), wake(undefined));
	const actions = { receive, happened, place, heard, notice, warn, stop };
	return { state, subscribers, serving, bystanders, failures, signal: stopped.signal, ...actions };
}

/** Reports the missed events as a gap, because they cannot be read over REST. */
function tellUnreadGap(
	subscriber: Subscriber,
	{ name, state: { sequence }, notice }: { name: string } & Pick<TopicRunner, 'state' | 'notice'>,
): void {
	const gap = { after_sequence: sequence.highest, before_sequence: null };
	offerGap(subscriber, gap, { topic: name, done: 'not_readable', epoch: sequence.position?.epoch, notice });
}

const rulesOf = (
	topic: Topic,
	{ readAfterMs, readEveryMs, impliesGap }: StreamPolicy,
	backfill?: Backfill,
): TopicRules => ({
	readAfterMs,
	readEveryMs: backfill && readEveryMs,
	impliesGap,
	isBook: topic.keeps === 'book',
	isOrdered: topic.keeps === 'sequence' || topic.keeps === 'book',
	canRead: backfill !== undefined,
});
