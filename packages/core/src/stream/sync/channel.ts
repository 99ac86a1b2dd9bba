import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { createSubscribers } from './subscribers';
import { createBackfill, type BackfillPorts } from './backfill';
import type { StreamNotice, StreamState } from '../contract';
import type { DataFrame } from '../connection/frames';
import { kindOfTopic } from '../topics/event';
import { createInbox } from './inbox';
import { BASE_AGAIN_MS } from '../limits';
import type { Subscriber } from '../delivery/subscriber';
import type { Position } from '../connection/position';
import { createSequenceTracker, type Step } from './sequence';
import { createReconciler } from './reconciler';

/** One topic as the service knows it, shared by everybody who wants it. */
export interface Channel {
	readonly topic: string;
	/** Resolves when the topic is confirmed and what was before is told apart from what is new. */
	join(subscriber: Subscriber): Promise<void>;
	/** Resolves when the topic is confirmed, for those who only need it to be there. */
	ready(): Promise<void>;
	/** Serves one again who had let go of the topic. */
	rejoin(subscriber: Subscriber): void;
	leave(subscriber: Subscriber): void;
	subscribers(): readonly Subscriber[];
	/** Where to resume from, for the next subscription. */
	resumeFrom(): Position | undefined;
	confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void;
	wasConfirmed(): boolean;
	/** The service does not let us have the topic. */
	refused(error: ExchangeError): void;
	/** Those who only need it to be there are told that it will not be. */
	abandon(error: ExchangeError): void;
	/** The connection is gone. */
	lost(): void;
	receive(frame: DataFrame): void;
	/** Whether a message need not be read, and counts it: nobody's filters let anything of its topic pass, or it came before. */
	drops(topic: string, isRepeated: boolean): boolean;
	/** Something may be missing: read REST, soon and again later. */
	requestReconcile(): void;
	stop(): void;
}

export interface ChannelPorts extends Pick<BackfillPorts, 'reader' | 'policy' | 'observed' | 'refused'> {
	clock: Clock;
	random: () => number;
	/** Subscribes once more, so that one who joined late gets what it missed. */
	resubscribe(): void;
	state(): StreamState;
}

export function createChannel(topic: string, ports: ChannelPorts): Channel {
	const kind = kindOfTopic(topic);
	const subscribers = createSubscribers();
	const tracker = createSequenceTracker(ports.clock);
	const tell = (subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>) =>
		subscriber.notice({ ...notice, state: ports.state() });
	const retryBaseline = () => reconciler.request(BASE_AGAIN_MS);
	const stepped = (step: Step) => ports.policy.impliesGap(step) && reconciler.requestReconcile(step);
	const inbox = createInbox({ ...ports, topic, tracker, subscribers, stepped, notice: tell });
	const backfill = createBackfill({ ...ports, topic, inbox, subscribers, retryBaseline, notice: tell });
	const reconciler = createReconciler({ ...ports, topic, subscribers, tracker, inbox, backfill });
	let isConfirmed = false;
	let wasConfirmed = false;

	function join(subscriber: Subscriber): Promise<void> {
		const wasHere = subscriber.hasStored(topic);
		const joined = subscribers.join(subscriber, { confirmation: !isConfirmed || wasHere, baseline: true });
		backfill.readBaseline(subscriber).catch((error: ExchangeError) => {
			if (subscriber.consumer.retriesFirstConnection) retryBaseline();
			else subscribers.leave(subscriber, error);
		});
		if (isConfirmed && (wasHere || kind === 'book')) ports.resubscribe();
		else if (isConfirmed) inbox.setInitialPosition(subscriber);
		return joined;
	}

	function rejoin(subscriber: Subscriber): void {
		subscriber.lagging.delete(topic);
		subscribers.rejoin(subscriber);
		ports.resubscribe();
	}

	function confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void {
		isConfirmed = wasConfirmed = true;
		tracker.begin(head, resumedFrom);
		subscribers.all().forEach(inbox.setInitialPosition);
		subscribers.confirmed();
		if (kind === 'book') return confirmedBook(snapshot);
		if (kind === 'trades' && backfill.canRead()) inbox.buffer();
		reconciler.requestReconcile('subscribed');
	}

	function confirmedBook(snapshot: unknown): void {
		// A book begins here with everything there is, from the confirmation or else from REST; changes follow it.
		inbox.resetBook();
		if (snapshot !== undefined && snapshot !== null) {
			inbox.takeBook(snapshot);
			inbox.flush();
		} else if (backfill.canRead()) reconciler.requestReconcile('subscribed');
	}

	return {
		topic,
		join,
		ready: () => subscribers.ready({ confirmation: !isConfirmed, baseline: false }),
		rejoin,
		leave: subscribers.leave,
		subscribers: subscribers.all,
		resumeFrom: inbox.resumeFrom,
		confirmed,
		wasConfirmed: () => wasConfirmed,
		refused: (error) => {
			subscribers.reject(error);
			ports.refused(error);
		},
		abandon: (error) => subscribers.reject(error, 'anonymous'),
		lost: () => void (isConfirmed = false),
		receive: (frame) => (kind === 'book' && !isConfirmed ? undefined : inbox.receive(frame)),
		drops: subscribers.drops,
		requestReconcile: () => reconciler.requestReconcile(),
		stop: () => {
			backfill.stop();
			reconciler.stop();
			inbox.stop();
		},
	};
}
