import type { TopicStatus } from '../../catalogue';
import type { StreamState } from '../contract';
import { waitingOf } from '../delivery/queue';
import { summed } from '../delivery/tally';
import { instant, lastError } from '../failure';
import { lagOf } from '../sync/message-times';
import { nextAt } from '../sync/schedule';
import type { TopicState } from '../sync/state';

interface TopicParts {
	state: TopicState;
	/** The place of its next read among those of the account. */
	place: number | null;
	/** The state of its connection. */
	connection: StreamState;
}

/** What operators see of one topic, or of one wildcard and its exact topics. */
export function topicStatus(name: string, { state, place, connection }: TopicParts): TopicStatus {
	const { position } = state.sequence;
	const all = [...state.subscribers.keys()];
	const topics = [name, ...state.exact];
	const { done, refused, failed, lastAt } = state.readings;
	const waiting = all.flatMap(({ queue }) => topics.map((topic) => waitingOf(queue, topic)));
	return {
		topic: name,
		state: state.isConfirmed ? 'subscribed' : connection,
		subscribers: all.length,
		epoch: position ? String(position.epoch) : null,
		seq: position ? Number(position.seq) : null,
		...lagOf(state.times),
		received: state.received,
		waiting: waiting.reduce((all, each) => all + each, 0),
		...summed(all.flatMap(({ cursor }) => topics.map((topic) => cursor(topic).tally))),
		readings: { done, refused, failed, last_at: dated(lastAt), next_at: dated(nextAt(state.schedule)), place },
		...lastError(state.failure),
	};
}

const dated = (at: number | undefined): string | null => (at === undefined ? null : instant(at));
