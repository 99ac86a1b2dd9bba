import type { Clock } from '../../ports';
import type { StreamPolicy } from '../policy';
import type { TopicState } from '../sync/state';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { createBackfill, type Backfill } from './backfill';
import { createListSource } from './list-source';
import type { OfferPorts } from './offers';
import { createBookBackfill, createRecordsBackfill } from './present-state';
import type { TopicHistory } from './read-queue';
import { createSequenceSource } from './sequence-source';

export interface TopicBackfillPorts {
	name: string;
	clock: Clock;
	policy: StreamPolicy;
	state: TopicState;
	/** Absent without a key, because every read needs one. */
	history?: TopicHistory;
	/** Called with the events of a backfill before they are delivered. */
	observed(events: readonly TopicEvent[]): void;
	notice: OfferPorts['notice'];
	/** Aborted when the topic is stopped. */
	signal: AbortSignal;
}

/**
 * How a topic is read over REST: a list or a numbered list by the loop of `createBackfill`, a book or the state of
 * records by one read. Undefined without a key, and for a topic that is live only.
 */
export function topicBackfill(topic: Topic, ports: TopicBackfillPorts): Backfill | undefined {
	const { name, clock, policy, history, signal, observed, notice, state } = ports;
	const { backfill: source, identify, records } = topic;
	if (!history || source === 'live-only') return undefined;
	const common = { topic: name, identify, history, options: { signal }, clock, observed, notice, state };
	switch (source.from) {
		case 'state':
			return createRecordsBackfill({ ...common, source, records });
		case 'snapshot':
			return createBookBackfill({ ...common, source });
		case 'list':
			return createBackfill(createListSource({ ...common, ...source, policy }), common);
		case 'sequence':
			return createBackfill(createSequenceSource({ ...common, source }), common);
	}
}
