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
	/** The topic is subscribed. The service may say where it stands, which may be where it was resumed from. */
	confirmed(topic: string, head: Position | undefined, resumedFrom: Position | undefined): void;
	/** Something came for the topic. */
	heard(topic: string): void;
	/** The service said why the connection ends, which has nothing to do with what it carried. */
	excuse(): void;
	/** The connection ended. */
	lost(): void;
}

export function createResumeGuard(clock: Pick<Clock, 'now'>): ResumeGuard {
	/** Topics of which a replay is awaited, by since when. */
	const awaited = new Map<string, number>();
	/** How often in a row the connection ended instead. */
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
