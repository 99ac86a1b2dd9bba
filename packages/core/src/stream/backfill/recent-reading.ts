import type { Clock } from '../../ports';
import { BASELINE_SHARED_EVENTS_MAX, BASELINE_SHARED_MS } from '../limits';
import type { TopicEvent } from '../topics/event';

/** The latest reading of a list. It serves those who come back soon after it, together with what happened since. */
export interface RecentReading {
	/** A reading begins, and what comes from here on is kept with it. */
	begin(): ReadingKept;
	/** What one needs to know to be told all that it missed, unless a reading of its own has to tell. */
	serves(isSettled: (event: TopicEvent) => boolean): readonly TopicEvent[] | undefined;
	/** Something came over the stream or was read, which is passed on. */
	observed(events: readonly TopicEvent[]): void;
	/** From here on something may happen unseen. */
	forget(): void;
}

interface ReadingKept {
	/** It ended. `isWhole` says that there is nothing behind it, `isOrdered` that all of that is older. */
	ended(read: { isWhole: boolean; isOrdered: boolean }): void;
}

interface Recent {
	at: number;
	events: Map<string, TopicEvent>;
	isWhole: boolean;
	isOrdered: boolean;
}

export function createRecentReading({
	clock,
	knownInARow,
	observed,
}: {
	clock: Pick<Clock, 'elapsed'>;
	/** Settled rows behind which an ordered list holds nothing new. */
	knownInARow: number;
	observed(events: readonly TopicEvent[]): void;
}): RecentReading {
	/** The one under way becomes the latest when it ends. */
	let latest: Recent | undefined;
	let underWay: Recent | undefined;

	const isUseful = ({ at, events }: Recent): boolean =>
		clock.elapsed() - at < BASELINE_SHARED_MS && events.size <= BASELINE_SHARED_EVENTS_MAX;

	return {
		begin: () => {
			const begun: Recent = { at: clock.elapsed(), events: new Map(), isWhole: false, isOrdered: false };
			underWay = begun;
			return {
				ended: (read) => {
					if (underWay !== begun) return;
					latest = Object.assign(begun, read);
					underWay = undefined;
				},
			};
		},
		serves: (isSettled) => {
			if (!latest || !isUseful(latest)) return undefined;
			const events = [...latest.events.values()];
			const reachesBack = () => latest?.isOrdered && events.filter(isSettled).length >= knownInARow;
			return latest.isWhole || reachesBack() ? events : undefined;
		},
		observed: (events) => {
			if (latest && !isUseful(latest)) latest = undefined;
			if (underWay && !isUseful(underWay)) underWay = undefined;
			for (const event of events) {
				latest?.events.set(event.key, event);
				underWay?.events.set(event.key, event);
			}
			observed(events);
		},
		forget: () => {
			latest = underWay = undefined;
		},
	};
}
