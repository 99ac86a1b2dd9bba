import type { Backfill, BackfillPorts } from '../backfill/backfill';
import { createListBackfill } from '../backfill/list-backfill';
import type { TopicHistory } from '../backfill/read-queue';
import { createSequenceBackfill } from '../backfill/sequence-backfill';
import { createStateBackfill } from '../backfill/state-backfill';
import { createSnapshotBackfill } from '../backfill/snapshot-backfill';
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
	notice: BackfillPorts['notice'];
}

/** The backfill of a topic, if it has one. */
export function topicBackfill(topic: Topic, ports: TopicBackfillPorts): Backfill | undefined {
	const { name, clock, policy, history, observed, notice, state } = ports;
	const { backfill: source, identify } = topic;
	const isConfirmed = (): boolean => state.isConfirmed;
	if (!history || source === 'live-only') return undefined;
	switch (source.from) {
		case 'list':
			return createListBackfill({
				...{ topic: name, source, identify, history, clock, policy, isConfirmed, observed, notice },
				suspicion: suspicionOf(state, clock),
			});
		case 'sequence':
			return createSequenceBackfill({
				...{ topic: name, source, identify, history, clock, isConfirmed, observed, notice },
				tracker: numbersOf(state, clock),
			});
		case 'state':
			return createStateBackfill({
				...{ topic: name, source, identify, records: topic.records, history, observed, notice },
			});
		case 'snapshot':
			return createSnapshotBackfill({
				...{ topic: name, source, history, observed, notice },
				served: () => served(state.subscribers, name),
				isOutdated: (sequence) => isOutdated(state.book, sequence, clock.now()),
			});
	}
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
