import type { Clock } from '../../ports';
import { REPLAY_MS_MAX, REPLAYS_IN_VAIN_MAX } from '../limits';
import { sameEpoch, type Position } from '../position';

/**
 * Decides which topics of a connection are resumed. A service may end the connection because of what it would have to
 * replay, and would do so for ever, so after some tries the topic is subscribed plainly and reading is relied on.
 */
export interface ResumeGuard {
	/** Whether a topic is to be resumed from where it stands. */
	isUseful(topic: string): boolean;
	/** The subscription is confirmed, perhaps with the service's position, which may be the one resumed from. */
	confirmed(topic: string, head: Position | undefined, resumedFrom: Position | undefined): void;
	/** A message of the topic arrived. */
	heard(topic: string): void;
	/** The service closed the connection for a reason that has nothing to do with its topics. */
	excuse(): void;
	/** The connection ended. */
	lost(): void;
}

export function createResumeGuard(clock: Pick<Clock, 'now'>): ResumeGuard {
	/** Topics with a pending replay, and since when. */
	const awaited = new Map<string, number>();
	/** Consecutive times the connection ended instead. */
	const tries = new Map<string, number>();

	return {
		isUseful: (topic) => (tries.get(topic) ?? 0) < REPLAYS_IN_VAIN_MAX,
		confirmed: (topic, head, resumedFrom) => {
			const isThere = head && resumedFrom && sameEpoch(head.epoch, resumedFrom.epoch) && head.seq <= resumedFrom.seq;
			if (!isThere) awaited.set(topic, clock.now());
		},
		heard: (topic) => {
			if (awaited.size > 0 && awaited.delete(topic)) tries.delete(topic);
		},
		excuse: () => awaited.clear(),
		lost: () => {
			for (const [topic, since] of awaited) {
				if (clock.now() - since >= REPLAY_MS_MAX) tries.delete(topic);
				else tries.set(topic, (tries.get(topic) ?? 0) + 1);
			}
			awaited.clear();
		},
	};
}
