import type { TopicStatus } from '../../catalogue';
import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { createBystanders } from './bystanders';
import { createSubscribers } from './subscribers';
import type { StreamNotice, StreamState } from '../contract';
import type { SessionChannel } from '../connection/subscriptions';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createInbox, type Inbox } from './inbox';
import type { Subscriber } from '../delivery/subscriber';
import { summed } from '../delivery/tally';
import { createFailureLog } from '../failure-log';
import { sameEpoch, type Position, type Step } from '../position';
import { createSequenceTracker } from './sequence';
import { createReconciler, type Reconciler, type ReconcilerPorts } from './reconciler';
import type { FirstReading } from '../backfill/first-reading';
import { offerGap } from '../backfill/backfill';
import { createRecentReading } from '../backfill/recent-reading';
import { createSharedBaseline } from '../backfill/shared-baseline';
import { noticeTexts } from '../notice-text';

/** One topic as the service knows it, shared by everybody who wants it. */
export interface Channel extends SessionChannel {
	/** Resolves when the topic is confirmed and what was before is told apart from what is new. */
	join(subscriber: Subscriber): Promise<void>;
	/** Resolves when the topic is confirmed, for those who only need it to be there. */
	ready(): Promise<void>;
	/** Serves one again whose events were dropped. */
	rejoin(subscriber: Subscriber): void;
	leave(subscriber: Subscriber): void;
	subscribers(): readonly Subscriber[];
	/** Those whose filters let nothing pass are counted and moved to where the topic stands. */
	settle(): void;
	/** Those who only need it to be there are told that it will not be. */
	abandon(error: ExchangeError): void;
	/** Events that were read for another reason, offered where they are new. */
	take(events: TopicEvent[]): void;
	/** Tells everybody something about the topic. */
	tell(notice: TopicEvent): void;
	/** Its statistics. */
	status(): TopicStatus;
	/** Something may be missing: read REST, soon and again later. */
	requestReconcile(): void;
}

export interface ChannelPorts extends Pick<ReconcilerPorts, 'history' | 'policy' | 'observed'> {
	clock: Clock;
	random: () => number;
	/** Orders came over the stream, perhaps again. */
	moved(events: readonly TopicEvent[]): void;
	/** Subscribes once more, so that one who joined late gets what it missed. */
	resubscribe(): void;
	state(): StreamState;
	/** The service does not let us have the topic. */
	refused(error: ExchangeError): void;
}

export function createChannel(name: string, topic: Topic, ports: ChannelPorts): Channel {
	const isSnapshot = topic.order === 'snapshot';
	const parts = createParts(name, topic, ports);
	const { subscribers, tracker, notice, forget, inbox, reconciler, failures, request } = parts;
	/** `isRefused`: it is not asked for any more until somebody comes. */
	let [isConfirmed, wasConfirmed, isRefused] = [false, false, false];

	function join(subscriber: Subscriber): Promise<void> {
		const isAsked = isConfirmed && (isSnapshot || subscriber.wasHere(name));
		const joined = subscribers.join(subscriber, { confirmation: !isConfirmed || isAsked, baseline: true });
		// What changes a book is of no use before the whole of it.
		if (isSnapshot && isConfirmed) subscriber.lagging.add(name);
		reconciler.baseline(subscriber).catch((error: ExchangeError) => {
			// A key that may not read is told, and what is live flows all the same.
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
		// What changes a book is of no use before the whole of it.
		if (!isSnapshot) subscriber.lagging.delete(name);
		if (!isSnapshot || !isAsked) ports.resubscribe();
	}

	function confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void {
		const before = tracker.position() ?? resumedFrom;
		const newcomers = isConfirmed ? subscribers.lagging() : undefined;
		const isSameRun = before !== undefined && head !== undefined && sameEpoch(before.epoch, head.epoch);
		const isReplayed = isSameRun && (resumedFrom !== undefined || head.seq <= before.seq);
		// What happened while the connection was gone was not observed.
		if (!isConfirmed && wasConfirmed) forget();
		if (!isConfirmed && wasConfirmed && !isReplayed && !isSnapshot && !reconciler.canRead()) tellUnreadGap(name, parts);
		isConfirmed = wasConfirmed = true;
		request.ended();
		tracker.begin(head, resumedFrom);
		reconciler.doubt(head);
		subscribers.all().forEach(inbox.setInitialPosition);
		if (isSnapshot) subscribers.lagging().forEach((one) => one.lagging.delete(name));
		subscribers.confirmed();
		if (isSnapshot) return beginBook(parts, snapshot);
		if (topic.order === 'sequence' && reconciler.canRead()) inbox.buffer();
		const isAnew = before !== undefined && head !== undefined && !isSameRun;
		if (newcomers && !isAnew) reconciler.serveNewcomers(newcomers);
		else reconciler.requestReconcile('subscribed');
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
		confirmed,
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

/** What serves one topic, each part given the others it needs. */
function createParts(name: string, topic: Topic, ports: ChannelPorts) {
	const tracker = createSequenceTracker(ports.clock);
	const bystanders = createBystanders(name, tracker.position);
	const subscribers = createSubscribers(name, bystanders.are);
	const notice = (subscriber: Subscriber, one: Omit<StreamNotice, 'state'>) =>
		subscriber.notice({ ...one, state: ports.state() });
	const recent = createRecentReading({ ...ports, knownInARow: ports.policy.knownInARow });
	const baselines = createSharedBaseline<FirstReading>({ ...ports, observed: recent.observed });
	const failures = createFailureLog(ports.clock);
	const observed = baselines.observed;
	const given = { ...ports, name, topic, tracker, failures, subscribers, bystanders, notice, observed };
	const inbox = createInbox({ ...given, stepped, placed });
	const reconciler = createReconciler({ ...given, baselines, recent, inbox });

	function stepped(step: Step): void {
		if (step === 'epoch') reconciler.doubt(undefined);
		if (ports.policy.impliesGap(step)) reconciler.requestReconcile(step);
	}

	/** The first position that is known at all. */
	function placed(position: Position): void {
		if (reconciler.doubt(position) && ports.policy.impliesGap('epoch')) reconciler.requestReconcile('epoch');
	}

	const forget = (): void => (baselines.forget(), recent.forget(), reconciler.reconnected());
	const request = createRequest(inbox.resumeFrom);
	return { subscribers, tracker, notice, forget, inbox, reconciler, failures, request };
}

/** The topic is asked for and not confirmed yet, from where those stood who were there then. */
function createRequest(resumeFrom: () => Position | undefined) {
	let from: { position: Position | undefined } | undefined;
	return {
		began: () => void (from = { position: resumeFrom() }),
		ended: () => void (from = undefined),
		/** One who came meanwhile stands before that, so what it missed would not be replayed. */
		isTooLate: (): boolean => {
			const position = resumeFrom();
			return from !== undefined && position !== undefined && position.seq !== from.position?.seq;
		},
	};
}

/** What was missed cannot be read back, so at least it is told. */
function tellUnreadGap(topic: string, { subscribers, tracker, notice }: ReturnType<typeof createParts>): void {
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

/** A book begins here with everything there is, from the confirmation or else from REST; changes follow it. */
function beginBook({ inbox, reconciler }: { inbox: Inbox; reconciler: Reconciler }, snapshot: unknown): void {
	inbox.resetBook();
	if (snapshot !== undefined && snapshot !== null) {
		inbox.takeBook(snapshot);
		inbox.flush();
	} else if (reconciler.canRead()) reconciler.requestReconcile('subscribed');
}
