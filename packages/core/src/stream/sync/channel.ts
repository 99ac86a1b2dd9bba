import type { TopicStatus } from '../../catalogue';
import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { createBystanders } from './bystanders';
import { createSubscribers } from './subscribers';
import type { StreamNotice, StreamState } from '../contract';
import type { SessionChannel } from '../connection/subscriptions';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createInbox, type Inbox, type InboxPorts } from './inbox';
import type { Subscriber } from '../delivery/subscriber';
import { summed } from '../delivery/tally';
import { createFailureLog } from '../failure-log';
import { sameEpoch, type Position, type Step } from '../position';
import { createSequenceTracker } from './sequence';
import { createReconciler, type Reconciler, type ReconcilerPorts } from './reconciler';
import { createSuspicion } from '../backfill/suspicion';
import { offerGap } from '../backfill/backfill';
import { noticeTexts } from '../notice-text';

/** One topic as the service knows it, shared by all subscribers. */
export interface Channel extends SessionChannel {
	/** Resolves when the topic is confirmed and the baseline is read, which tells old events from new ones. */
	join(subscriber: Subscriber): Promise<void>;
	/** Resolves when the topic is confirmed. For callers without a subscriber, which only need the subscription. */
	ready(): Promise<void>;
	/** Serves a lagging subscriber again, whose events were dropped. */
	rejoin(subscriber: Subscriber): void;
	leave(subscriber: Subscriber): void;
	subscribers(): readonly Subscriber[];
	/** Updates the counters and positions of the bystanders. */
	settle(): void;
	/** Rejects the callers without a subscriber that still wait for the confirmation. */
	abandon(error: ExchangeError): void;
	/** Offers events that were read over REST for another purpose. */
	take(events: TopicEvent[]): void;
	/** Offers a notice to every subscriber. */
	tell(notice: TopicEvent): void;
	status(): TopicStatus;
	/** Events may be missing: backfills over REST, soon and again later. */
	requestReconcile(): void;
}

export interface ChannelPorts
	extends Pick<ReconcilerPorts, 'history' | 'policy' | 'observed'>, Pick<InboxPorts, 'serviceTime'> {
	clock: Clock;
	random: () => number;
	/** Order updates arrived over the stream, perhaps repeated. */
	moved(events: readonly TopicEvent[]): void;
	/** Subscribes the topic again, so that a subscriber that joined late gets the events it missed. */
	resubscribe(): void;
	state(): StreamState;
	/** The service refused the topic. */
	refused(error: ExchangeError): void;
}

export function createChannel(name: string, topic: Topic, ports: ChannelPorts): Channel {
	const isSnapshot = topic.order === 'snapshot';
	const parts = createParts({ name, topic, ports, isConfirmed: () => isConfirmed });
	const { subscribers, tracker, notice, inbox, reconciler, failures, request } = parts;
	/** `isRefused`: the topic is not subscribed again until somebody asks for it. */
	let [isConfirmed, wasConfirmed, isRefused] = [false, false, false];

	function join(subscriber: Subscriber): Promise<void> {
		const isAsked = isConfirmed && (isSnapshot || subscriber.wasStored(name));
		const joined = subscribers.join(subscriber, { confirmation: !isConfirmed || isAsked, baseline: true });
		// Changes are useless without the snapshot, so the subscriber lags until it arrives.
		if (isSnapshot && isConfirmed) subscriber.lagging.add(name);
		reconciler.baseline(subscriber).catch((error: ExchangeError) => {
			// A key without read permission is reported, and live events are delivered all the same.
			const isLeft = !subscriber.consumer.retriesFirstConnection && error.code !== 'forbidden';
			if (isLeft) subscribers.leave(subscriber, error);
		});
		if (topic.backfill === 'live-only')
			notice(subscriber, { kind: 'degraded', topic: name, text: noticeTexts.liveOnly });
		if (isRefused || isAsked || request.isTooLate()) ports.resubscribe();
		else if (isConfirmed) inbox.setInitialPosition(subscriber);
		return joined;
	}

	function rejoin(subscriber: Subscriber): void {
		const isAsked = subscribers.isRejoining(subscriber);
		subscribers.rejoin(subscriber);
		// The subscriber of a book stays lagging until the snapshot arrives.
		if (!isSnapshot) subscriber.lagging.delete(name);
		if (!isSnapshot || !isAsked) ports.resubscribe();
	}

	function confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void {
		const before = tracker.position() ?? resumedFrom;
		const newcomers = isConfirmed ? subscribers.lagging() : undefined;
		const isSameRun = before !== undefined && head !== undefined && sameEpoch(before.epoch, head.epoch);
		const isReplayed = isSameRun && (resumedFrom !== undefined || head.seq <= before.seq);
		if (!isConfirmed && wasConfirmed) reconciler.reconnected();
		if (!isConfirmed && wasConfirmed && !isReplayed && !isSnapshot && !reconciler.canRead())
			reportUnreadGap(name, parts);
		// Who starts for the first time is owed nothing from before.
		if (wasConfirmed || subscribers.all().some((one) => one.wasStored(name))) parts.suspicion.arises();
		if (!isConfirmed) inbox.confirmed();
		isConfirmed = wasConfirmed = true;
		request.ended();
		tracker.begin(head, resumedFrom);
		reconciler.doubt(head ?? (newcomers && tracker.position()));
		subscribers.all().forEach(inbox.setInitialPosition);
		if (isSnapshot) subscribers.lagging().forEach((one) => one.lagging.delete(name));
		subscribers.confirmed();
		const isOtherRun = before !== undefined && head !== undefined && !isSameRun;
		if (isSnapshot) return beginBook(parts, snapshot, isOtherRun);
		if (newcomers && !isOtherRun) reconciler.serveNewcomers(newcomers);
		else reconciler.subscribed();
	}

	return {
		topic: name,
		wantsSnapshot: isSnapshot,
		join,
		ready: () => {
			if (isRefused) ports.resubscribe();
			return subscribers.ready({ confirmation: !isConfirmed, baseline: false });
		},
		rejoin,
		leave: subscribers.leave,
		subscribers: subscribers.all,
		resumeFrom: inbox.resumeFrom,
		...{ confirmed, confirmedAgain: tracker.confirmedAgain },
		wasConfirmed: () => wasConfirmed,
		refused: (error) => {
			failures.note(error);
			isRefused = true;
			subscribers.reject(error);
			ports.refused(error);
		},
		unavailable: (error, againMs) => {
			failures.note(error);
			const text = noticeTexts.unavailable(error.summary, againMs);
			for (const one of subscribers.all()) notice(one, { kind: 'degraded', topic: name, text });
		},
		hasRoom: () => subscribers.all().every((one) => !one.isCrowded()),
		abandon: (error) => subscribers.reject(error, 'anonymous'),
		asked: (resumeFrom) => {
			isRefused = false;
			request.began();
			tracker.asked(resumeFrom, isConfirmed);
		},
		lost: () => {
			isConfirmed = false;
			inbox.lost();
			request.ended();
			tracker.asked(undefined, false);
		},
		receive: (frame, at) => (isSnapshot && !isConfirmed ? undefined : inbox.receive(frame, at)),
		drops: inbox.drops,
		settle: inbox.settleBystanders,
		take: reconciler.take,
		tell: (event) => {
			for (const one of subscribers.all()) one.offer([event], { topic: name, delivery: 'reconciled', ts: null });
		},
		status: () => {
			inbox.settleBystanders();
			return { ...statusOf(name, parts), state: isConfirmed ? 'subscribed' : ports.state() };
		},
		requestReconcile: () => reconciler.requestReconcile(),
		stop: () => {
			reconciler.stop();
			inbox.stop();
		},
	};
}

interface Parts extends Pick<ReconcilerPorts, 'name' | 'topic' | 'isConfirmed'> {
	ports: ChannelPorts;
}

/** Creates the parts that serve one topic, and connects them. */
function createParts({ name, topic, ports, isConfirmed }: Parts) {
	const { clock, random, policy, history, observed, moved, resubscribe } = ports;
	const tracker = createSequenceTracker(clock);
	const bystanders = createBystanders(name, tracker.position);
	const subscribers = createSubscribers(name, bystanders.are);
	const notice = (subscriber: Subscriber, one: Omit<StreamNotice, 'state'>) =>
		subscriber.notice({ ...one, state: ports.state() });
	const failures = createFailureLog(clock);
	const suspicion = createSuspicion(clock);
	const inbox = createInbox({
		...{ name, topic, clock, tracker, subscribers, bystanders, observed, moved, notice },
		serviceTime: ports.serviceTime,
		stepped,
		placed,
		heard: (events) => reconciler.heard(events),
		canReadBook: () => reconciler.canRead(),
	});
	const reconciler = createReconciler({
		...{ name, topic, clock, random, policy, history, subscribers, tracker, inbox },
		...{ suspicion, failures, isConfirmed, observed, resubscribe, notice },
	});

	function stepped(step: Step): void {
		if (step === 'epoch') reconciler.doubt(undefined);
		if (step !== 'old') suspicion.arises();
		if (ports.policy.impliesGap(step)) reconciler.requestReconcile(step);
	}

	/** The first position of the topic is known. */
	function placed(position: Position): void {
		if (reconciler.doubt(position) && ports.policy.impliesGap('epoch')) reconciler.requestReconcile('epoch');
	}

	const request = createRequest(inbox.resumeFrom);
	return { subscribers, tracker, suspicion, notice, inbox, reconciler, failures, request };
}

/** A pending subscription, with the position it resumes from: the oldest among the subscribers at that time. */
function createRequest(resumeFrom: () => Position | undefined) {
	let from: { position: Position | undefined } | undefined;
	return {
		began: () => void (from = { position: resumeFrom() }),
		ended: () => void (from = undefined),
		/** Whether a subscriber that joined since has an older position, so that the replay would not cover it. */
		isTooLate: (): boolean => {
			const position = resumeFrom();
			return from !== undefined && position !== undefined && position.seq !== from.position?.seq;
		},
	};
}

/** Reports the missed events as a gap, because they cannot be read over REST. */
function reportUnreadGap(topic: string, { subscribers, tracker, notice }: ReturnType<typeof createParts>): void {
	const gap = { after_sequence: tracker.highest(), before_sequence: null };
	const told = { topic, done: 'not_readable' as const, epoch: tracker.position()?.epoch };
	for (const one of subscribers.all())
		offerGap(one, gap, { ...told, notice: (to, said) => notice(to, { ...said, topic }) });
}

function statusOf(name: string, { subscribers, tracker, inbox, reconciler, failures }: ReturnType<typeof createParts>) {
	const position = tracker.position();
	const present = subscribers.all();
	return {
		topic: name,
		subscribers: present.length,
		epoch: position ? String(position.epoch) : null,
		seq: position?.seq ?? null,
		...inbox.lag(),
		received: subscribers.received(),
		waiting: present.reduce((all, one) => all + one.waitingOf(name), 0),
		...summed(present.map(({ tally }) => tally(name))),
		readings: reconciler.status(),
		...failures.last(),
	};
}

/** Begins an order book with its snapshot, from the confirmation or else from REST. Changes follow it. */
function beginBook(
	{ inbox, reconciler }: { inbox: Inbox; reconciler: Reconciler },
	snapshot: unknown,
	isOtherRun: boolean,
): void {
	inbox.resetBook(isOtherRun);
	if (snapshot !== undefined && snapshot !== null && inbox.takeBook(snapshot)) inbox.flush();
	else if (reconciler.canRead()) reconciler.requestReconcile('subscribed');
}
