import type { TopicStatus } from '../../catalogue';
import { ExchangeError, isExchangeError } from '../../errors';
import type { StreamState } from '../contract';
import { waitingOf } from '../delivery/queue';
import { summed } from '../delivery/tally';
import { instant, type FailureLog } from '../failure';
import { noticeTexts } from '../notice-text';
import { lagOf } from './message-times';
import { nextAt } from './schedule';
import type { TopicState } from './state';
import type { TopicSubscribers } from './topic-subscribers';

interface TopicParts {
	state: TopicState;
	subscribers: TopicSubscribers;
	failures: FailureLog;
	/** The place of its next read among those of the account. */
	place: number | null;
	/** The state of its connection. */
	connection: StreamState;
}

/** What operators see of one topic. */
export function topicStatus(
	name: string,
	{ state, subscribers, failures, place, connection }: TopicParts,
): TopicStatus {
	const { position } = state.sequence;
	const current = subscribers.all();
	return {
		topic: name,
		state: state.isConfirmed ? 'subscribed' : connection,
		subscribers: current.length,
		epoch: position ? String(position.epoch) : null,
		seq: position?.seq ?? null,
		...lagOf(state.times),
		received: subscribers.received(),
		waiting: current.reduce((all, { queue }) => all + waitingOf(queue, name), 0),
		...summed(current.map(({ cursor }) => cursor(name).tally)),
		readings: readingsOf(state.readings, nextAt(state.schedule), place),
		...failures.last(),
	};
}

/** What became of the backfills of a topic. */
export const readingsOf = (
	{ done, refused, failed, lastAt }: TopicState['readings'],
	next: number | undefined,
	place: number | null,
) => ({ done, refused, failed, last_at: dated(lastAt), next_at: dated(next), place });

const dated = (at: number | undefined): string | null => (at === undefined ? null : instant(at));

/** Says that a backfill failed, and when the next try is. */
export const failureText = (error: unknown, againMs?: number): string =>
	noticeTexts.backfillFailed(error instanceof ExchangeError ? error.summary : 'unknown reason', againMs);

export const isRefusal = (error: unknown): boolean =>
	isExchangeError(error, 'unauthorized') || isExchangeError(error, 'forbidden');
