import type { Clock } from '../../ports';
import { BASELINE_SHARED_EVENTS_MAX, BASELINE_SHARED_MS, READ_SPACING_MS } from '../limits';
import { latest } from '../ledger/numbers';
import type { TopicEvent } from '../topics/event';

interface Shared {
	events: readonly TopicEvent[];
	watermark?: number | undefined;
}

/** The baseline of one subscriber. With the events since, it also serves subscribers that join soon after. */
export interface SharedBaseline<Found extends Shared> {
	/** A baseline that reaches back to `reachesTo` is shared by subscribers that need to go back no further. */
	read(read: () => Promise<Found>, reachesTo?: number): Promise<{ found: Found; since: readonly TopicEvent[] }>;
	/** An event arrived, by stream or by REST. */
	observed(events: readonly TopicEvent[]): void;
	/** A backfill of the whole topic begins. Call the returned function once it has read everything up to a watermark. */
	begin(): (watermark: number | undefined) => void;
	/** Events from here on may be missed. */
	forget(): void;
}

export function createSharedBaseline<Found extends Shared>({
	clock,
	isConfirmed,
	observed,
}: {
	clock: Pick<Clock, 'elapsed'>;
	/** Whether the topic is subscribed. If not, nobody sees what happens after a reading. */
	isConfirmed(): boolean;
	observed(events: readonly TopicEvent[]): void;
}): SharedBaseline<Found> {
	let current: Kept<Found> | undefined;

	const isFresh = (): boolean =>
		current !== undefined &&
		clock.elapsed() - current.at < (isConfirmed() ? BASELINE_SHARED_MS : READ_SPACING_MS) &&
		current.since.size <= BASELINE_SHARED_EVENTS_MAX;

	const noted = (found: Found): Found => {
		observed(found.events);
		return found;
	};

	return {
		read: async (read, reachesTo = Number.POSITIVE_INFINITY) => {
			const begun = (): Kept<Found> => ({
				...{ reading: read().then(noted), at: clock.elapsed() },
				...{ reachesTo, since: new Map<string, TopicEvent>() },
			});
			const shared = isFresh() && current!.reachesTo <= reachesTo ? current! : begun();
			current = shared;
			try {
				const found = await shared.reading;
				const watermark = latest(found.watermark, shared.watermark);
				return { found: { ...found, watermark }, since: [...shared.since.values()] };
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
		begin: () => {
			const [present, beganAt] = [current, clock.elapsed()];
			return (watermark) => {
				if (present) Object.assign(present, { at: beganAt, watermark: latest(present.watermark, watermark) });
			};
		},
		forget: () => void (current = undefined),
	};
}

interface Kept<Found> {
	reading: Promise<Found>;
	/** When the baseline began, or the latest backfill that confirmed it. */
	at: number;
	reachesTo: number;
	watermark?: number | undefined;
	since: Map<string, TopicEvent>;
}
