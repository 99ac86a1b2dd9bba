import type { Clock } from '../../ports';
import { BASELINE_SHARED_EVENTS_MAX, BASELINE_SHARED_MS } from '../limits';
import type { TopicEvent } from '../topics/event';

/** The latest backfill of a list. With the events since, it serves subscribers that return soon after it. */
export interface RecentReading {
	/** A backfill begins; events from here on are kept with it. */
	begin(): ReadingKept;
	/** Everything a subscriber missed; undefined if only a backfill of its own can show it. */
	serves(isSettled: (event: TopicEvent) => boolean): readonly TopicEvent[] | undefined;
	/** An event arrived, by stream or by REST. */
	observed(events: readonly TopicEvent[]): void;
	/** Events from here on may be missed. */
	forget(): void;
}

interface ReadingKept {
	/** The backfill ended. `isWhole`: it read the whole list. `isOrdered`: all rows it did not read are older. */
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
	/** Number of settled rows after which an ordered list holds nothing new. */
	knownInARow: number;
	observed(events: readonly TopicEvent[]): void;
}): RecentReading {
	/** The backfill in progress becomes the latest when it ends. */
	let latest: Recent | undefined;
	let current: Recent | undefined;

	const isUseful = ({ at, events }: Recent): boolean =>
		clock.elapsed() - at < BASELINE_SHARED_MS && events.size <= BASELINE_SHARED_EVENTS_MAX;

	return {
		begin: () => {
			const begun: Recent = { at: clock.elapsed(), events: new Map(), isWhole: false, isOrdered: false };
			current = begun;
			return {
				ended: (read) => {
					if (current !== begun) return;
					latest = Object.assign(begun, read);
					current = undefined;
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
			if (current && !isUseful(current)) current = undefined;
			for (const event of events) {
				latest?.events.set(event.key, event);
				current?.events.set(event.key, event);
			}
			observed(events);
		},
		forget: () => {
			latest = current = undefined;
		},
	};
}
