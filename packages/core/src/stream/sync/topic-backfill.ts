import type { StreamNotice } from '../contract';
import type { Subscriber } from '../delivery/subscriber';
import type { StreamPolicy } from '../policy';
import type { Clock } from '../../ports';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import type { Backfill } from '../backfill/backfill';
import { createListBackfill } from '../backfill/list-backfill';
import type { TopicHistory } from '../backfill/reading-queue';
import { createSequenceBackfill } from '../backfill/sequence-backfill';
import { createSnapshotBackfill } from '../backfill/snapshot-backfill';
import type { Suspicion } from '../backfill/suspicion';
import type { Inbox } from './inbox';
import type { SequenceTracker } from './sequence';

export interface TopicBackfillPorts {
	name: string;
	topic: Topic;
	clock: Clock;
	policy: StreamPolicy;
	tracker: SequenceTracker;
	inbox: Inbox;
	/** Absent without a key, because every read needs one. */
	history?: TopicHistory;
	suspicion: Suspicion;
	/** Whether the topic is subscribed at present. If not, the service may restart without a sign. */
	isConfirmed(): boolean;
	/** Called with the events of a backfill before they are delivered. */
	observed(events: readonly TopicEvent[]): void;
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

/** The backfill of a topic, if it has one. */
export function topicBackfill(ports: TopicBackfillPorts, served: () => readonly Subscriber[]): Backfill | undefined {
	const { name, topic, clock, policy, tracker, inbox, history, suspicion } = ports;
	const { isConfirmed, observed } = ports;
	const notice = noticesAbout(name, ports.notice);
	const { backfill: source, identify } = topic;
	if (!history || source === 'live-only') return undefined;
	switch (source.from) {
		case 'list':
			return createListBackfill({
				topic: name,
				...{ source, identify, history, clock, policy, suspicion, isConfirmed, observed, notice },
			});
		case 'sequence':
			return createSequenceBackfill({
				topic: name,
				...{ source, identify, history, clock, tracker, isConfirmed, observed, notice },
			});
		case 'snapshot':
			return createSnapshotBackfill({
				topic: name,
				...{ source, history, served },
				isOutdated: inbox.isOutdated,
				observed,
				notice,
			});
	}
}

/** Adds the topic to each notice. */
export const noticesAbout =
	(topic: string, notice: TopicBackfillPorts['notice']) => (to: Subscriber, one: Omit<StreamNotice, 'state'>) =>
		notice(to, { ...one, topic });
