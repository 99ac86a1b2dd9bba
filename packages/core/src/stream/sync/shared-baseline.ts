import type { Clock } from '../../ports';
import { BASELINE_SHARED_EVENTS_MAX, BASELINE_SHARED_MS } from '../limits';
import type { TopicEvent } from '../topics/event';

/** The first reading of one subscriber, which serves those who come soon after, together with what happened since. */
export interface SharedBaseline<Found extends { events: readonly TopicEvent[] }> {
	/** One that has to reach back to a moment is shared by those who need no more. */
	read(read: () => Promise<Found>, reachesTo?: number): Promise<{ found: Found; since: readonly TopicEvent[] }>;
	/** Something came over the stream or was read, which is passed on. */
	observed(events: readonly TopicEvent[]): void;
	/** From here on something may happen unseen. */
	forget(): void;
}

export function createSharedBaseline<Found extends { events: readonly TopicEvent[] }>({
	clock,
	observed,
}: {
	clock: Pick<Clock, 'elapsed'>;
	observed(events: readonly TopicEvent[]): void;
}): SharedBaseline<Found> {
	let current: { reading: Promise<Found>; at: number; reachesTo: number; since: Map<string, TopicEvent> } | undefined;

	const isFresh = (): boolean =>
		current !== undefined &&
		clock.elapsed() - current.at < BASELINE_SHARED_MS &&
		current.since.size <= BASELINE_SHARED_EVENTS_MAX;

	const noted = (found: Found): Found => {
		observed(found.events);
		return found;
	};

	return {
		read: async (read, reachesTo = Number.POSITIVE_INFINITY) => {
			const begun = () => ({ reading: read().then(noted), at: clock.elapsed(), reachesTo, since: new Map() });
			const shared = isFresh() && current!.reachesTo <= reachesTo ? current! : begun();
			current = shared;
			try {
				return { found: await shared.reading, since: [...shared.since.values()] };
			} catch (error) {
				if (current === shared) current = undefined;
				throw error;
			}
		},
		observed: (events) => {
			if (!isFresh()) current = undefined;
			for (const event of events) current?.since.set(event.key, event);
			observed(events);
		},
		forget: () => void (current = undefined),
	};
}
