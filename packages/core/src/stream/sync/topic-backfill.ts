import { createBackfill, type Backfill } from '../backfill/backfill';
import { createListSource } from '../backfill/list-source';
import type { OfferPorts } from '../backfill/offers';
import { createBookBackfill, createRecordsBackfill } from '../backfill/present-state';
import type { TopicHistory } from '../backfill/read-queue';
import { createSequenceSource } from '../backfill/sequence-source';
import { createTopicWindow } from '../backfill/topic-window';
import { READ_LAG_MS_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import type { Clock } from '../../ports';
import type { TopicEvent } from '../topics/event';
import type { Topic } from '../topics/topic';
import { isOutdated } from './book-sequence';
import { served } from './subscribers';
import { reach, restartNumbers, settledSequence } from './sequence';
import type { TopicState } from './state';

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
	const { backfill: source, identify } = topic;
	if (!history || source === 'live-only') return undefined;
	const common = { topic: name, identify, history, options: { signal }, clock, observed, notice };
	const whole = { ...common, served: () => served(state.subscribers, name) };
	if (source.from === 'state') return createRecordsBackfill({ ...whole, source, records: topic.records });
	if (source.from === 'snapshot') {
		const isOld = (sequence: number | undefined) => isOutdated(state.book, sequence, clock.now());
		return createBookBackfill({ ...whole, source, isOutdated: isOld });
	}
	const isConfirmed = (): boolean => state.isConfirmed;
	const needsOpen = source.from === 'list' && source.follow !== undefined;
	const window = createTopicWindow({ clock, isConfirmed, needsOpen });
	const lists =
		source.from === 'list'
			? createListSource({ ...common, ...source, window, policy, suspicion: suspicionOf(state, clock) })
			: createSequenceSource({ ...common, source, window, isConfirmed, tracker: numbersOf(state, clock) });
	return createBackfill(lists, { ...common, window });
}

/** Whether messages may be missing. A backfill that looked at once may have been too early, because lists lag. */
export const suspicionOf = (state: TopicState, clock: Clock) => ({
	isOpen: () => state.missingSince !== undefined,
	looked: (beganAt: number) => {
		const ageMs = clock.now() - (state.missingSince ?? Infinity) - (clock.elapsed() - beganAt);
		if (ageMs >= READ_LAG_MS_MAX) state.missingSince = undefined;
	},
});

/** The sequence numbers of a topic, as its backfill sees them. */
export const numbersOf = ({ sequence: state }: TopicState, clock: Clock) => ({
	position: () => state.position,
	highest: () => state.highest,
	reached: (sequence: number) => reach(state, sequence, clock.now()),
	restart: () => restartNumbers(state),
	settledSequence: () => settledSequence(state, clock.now()),
});
