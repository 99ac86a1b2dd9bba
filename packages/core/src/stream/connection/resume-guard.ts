import { FAILED_REPLAYS_MAX, REPLAY_MS_MAX } from '../limits';
import { sameEpoch, type Position } from '../position';

/**
 * Which topics of a connection are resumed. A service may close the connection because a replay is too large, and would
 * close every further one. After some tries the topic is subscribed without resume and backfilled over REST.
 */
export interface Replays {
	/** Topics whose replay has not begun, with the time of their confirmation. */
	awaited: Map<string, number>;
	/** How often in a row the connection ended before the replay of a topic. */
	failed: Map<string, number>;
}

export const noReplays = (): Replays => ({ awaited: new Map(), failed: new Map() });

/** Whether to resume a topic from its position. */
export const isResumeUseful = ({ failed }: Replays, topic: string): boolean =>
	(failed.get(topic) ?? 0) < FAILED_REPLAYS_MAX;

/** A subscription was confirmed. If `head` is not beyond `resumedFrom`, nothing is left to replay. */
export function awaitReplay(
	{ awaited }: Replays,
	topic: string,
	{ head, resumedFrom, now }: { head?: Position; resumedFrom?: Position; now: number },
): void {
	const isUpToDate = head && resumedFrom && sameEpoch(head.epoch, resumedFrom.epoch) && head.seq <= resumedFrom.seq;
	if (!isUpToDate) awaited.set(topic, now);
}

/** A message of the topic arrived. */
export function hearReplay({ awaited, failed }: Replays, topic: string): void {
	if (awaited.size > 0 && awaited.delete(topic)) failed.delete(topic);
}

/** The connection ended. */
export function endReplays({ awaited, failed }: Replays, now: number): void {
	for (const [topic, since] of awaited) {
		if (now - since >= REPLAY_MS_MAX) failed.delete(topic);
		else failed.set(topic, (failed.get(topic) ?? 0) + 1);
	}
	awaited.clear();
}
