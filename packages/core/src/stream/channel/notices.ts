import { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { offerGap } from '../backfill/offers';
import type { StreamNotice, StreamState } from '../contract';
import { readOverRest } from '../delivery/admission';
import type { Subscriber } from '../delivery/subscriber';
import { failureOf, instant } from '../failure';
import { noticeTexts } from '../notice-text';
import type { TopicState } from '../sync/state';
import type { TopicEvent } from '../topics/event';

/** What a topic tells its subscribers beside events. `exact`: of a wildcard, the topic it is about. */
export interface TopicNotices {
	notice(to: Subscriber, notice: Pick<StreamNotice, 'kind' | 'text'>, exact?: string): void;
	/** Something works less well than it should. */
	warn(to: Iterable<Subscriber>, text: string, exact?: string): void;
	/** Has the status show an error. */
	failed(error: unknown): void;
	/** A backfill failed. It is tried again after `againMs`. */
	backfillFailed(to: Iterable<Subscriber>, error: unknown, againMs?: number): void;
	/** Everybody is offered an event that no message brought. */
	tell(event: TopicEvent): void;
	/** What was missed since a moment cannot be read. */
	gap(to: Iterable<Subscriber>, since: number, exact?: string): void;
}

interface TopicNoticesPorts {
	name: string;
	state: TopicState;
	clock: Clock;
	/** The state of the connection. */
	connection(): StreamState;
	/** The time on the clock of the service when ours showed `at`, as estimated by now. */
	serviceTime(at: number): number;
}

export function createTopicNotices({ name, state, clock, connection, serviceTime }: TopicNoticesPorts): TopicNotices {
	const notice: TopicNotices['notice'] = (to, said, topic = name) => to.notice({ ...said, topic, state: connection() });

	function failed(error: unknown): void {
		state.failure = failureOf(error, clock.now());
	}

	function warn(to: Iterable<Subscriber>, text: string, exact?: string): void {
		for (const subscriber of to) notice(subscriber, { kind: 'degraded', text }, exact);
	}

	/** A gap is named by numbers where the topic has them, else by times. */
	function gap(to: Iterable<Subscriber>, since: number, exact = name): void {
		const { highest, position } = state.sequence;
		const [from, until] = [since, clock.now()].map((at) => instant(serviceTime(at)));
		const times = { after_created_at: from!, before_created_at: until! };
		const range = highest > 0 ? { after_sequence: highest, before_sequence: null } : times;
		const noticeOfExact: TopicNotices['notice'] = (each, said) => notice(each, said, exact);
		for (const subscriber of to)
			offerGap(subscriber, range, {
				topic: exact,
				done: 'not_readable',
				epoch: position?.epoch,
				notice: noticeOfExact,
			});
	}

	return {
		notice,
		warn,
		gap,
		tell: (event) => state.subscribers.forEach((_, subscriber) => subscriber.offer([event], readOverRest(name))),
		failed,
		backfillFailed: (to, error, againMs) => {
			failed(error);
			const reason = error instanceof ExchangeError ? error.summary : 'unknown reason';
			warn(to, noticeTexts.backfillFailed(reason, againMs));
		},
	};
}
