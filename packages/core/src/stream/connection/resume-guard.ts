import type { Clock } from '../../ports';
import { REPLAY_MS_MAX, FAILED_REPLAYS_MAX } from '../limits';
import { sameEpoch, type Position } from '../position';

/**
 * Decides which topics of a connection are resumed. A service may close the connection because a replay is too large,
 * and would close every further one. After some tries the topic is subscribed without resume and backfilled over REST.
 */
export interface ResumeGuard {
	/** Whether to resume a topic from its position. */
	isUseful(topic: string): boolean;
	/** A subscription was confirmed. If `head` is not beyond `resumedFrom`, nothing is left to replay. */
	confirmed(topic: string, head: Position | undefined, resumedFrom: Position | undefined): void;
	/** A message of the topic arrived. */
	heard(topic: string): void;
	/** The service closed the connection for a reason that has nothing to do with its topics. */
	ignoreEnd(): void;
	/** The connection ended. */
	lost(): void;
}

export function createResumeGuard(clock: Pick<Clock, 'now'>): ResumeGuard {
	/** Topics whose replay has not begun, with the time of their confirmation. */
	const awaited = new Map<string, number>();
	/** How often in a row the connection ended before the replay of a topic. */
	const tries = new Map<string, number>();

	return {
		isUseful: (topic) => (tries.get(topic) ?? 0) < FAILED_REPLAYS_MAX,
		confirmed: (topic, head, resumedFrom) => {
			const isUpToDate = head && resumedFrom && sameEpoch(head.epoch, resumedFrom.epoch) && head.seq <= resumedFrom.seq;
			if (!isUpToDate) awaited.set(topic, clock.now());
		},
		heard: (topic) => {
			if (awaited.size > 0 && awaited.delete(topic)) tries.delete(topic);
		},
		ignoreEnd: () => awaited.clear(),
		lost: () => {
			for (const [topic, since] of awaited) {
				if (clock.now() - since >= REPLAY_MS_MAX) tries.delete(topic);
				else tries.set(topic, (tries.get(topic) ?? 0) + 1);
			}
			awaited.clear();
		},
	};
}
