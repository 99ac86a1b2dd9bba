import type { Clock } from '../../ports';
import type { TopicEvent } from '../topics/event';
import {
	complete,
	emptyWindow,
	eventsBehind,
	isFresh,
	observe,
	servesReturn,
	servesFirst,
	type ReadRange,
	type EventWindow,
} from './window';

/** Holds the window of one topic, and the read that fills it, which all who wait for it share. */
export interface TopicWindow {
	/** A backfill begins. What it returns is called when it is complete; after a lost connection that changes nothing. */
	begin(): (range: Range) => void;
	/** Adds events that came over the stream or were read. */
	observed(events: readonly TopicEvent[]): void;
	/** A window for a first start: the present one, or one that `read` fills. Of a late start, events after `since` are new. */
	first(read: () => Promise<Baseline>, since?: number): Promise<EventWindow>;
	/** What somebody who knows everything up to a place may miss; undefined if more may be missing. */
	after(place: number): readonly TopicEvent[] | undefined;
	/** Empties the window, because events before this moment may have been missed. */
	forget(): void;
}

/** What a complete walk has shown: between which places no event is missing. */
export type Range = Omit<ReadRange, 'readAt' | 'isFollowed'>;

/** The events of a baseline, and what it has shown. */
export interface Baseline extends Range {
	events: readonly TopicEvent[];
}

interface TopicWindowPorts {
	clock: Pick<Clock, 'elapsed'>;
	/** Whether the topic is subscribed. */
	isConfirmed(): boolean;
	/** Whether a first start needs the open records. */
	needsOpen?: boolean;
}

export function createTopicWindow({ clock, isConfirmed, needsOpen = false }: TopicWindowPorts): TopicWindow {
	let window = emptyWindow();
	let underWay: { window: Promise<EventWindow>; since: number } | undefined;

	const serves = (): boolean => isFresh(window, clock.elapsed(), isConfirmed());
	const start = () => ({ readAt: clock.elapsed(), isFollowed: isConfirmed() });

	async function fill(begun: EventWindow, read: () => Promise<Baseline>): Promise<EventWindow> {
		try {
			const { events, ...range } = await read();
			// As many as a baseline finds: it has limits of its own.
			begun.room += events.length;
			observe(begun, events);
			const { readAt, isFollowed } = begun;
			complete(begun, { ...range, readAt, isFollowed });
			return begun;
		} finally {
			if (begun === window) underWay = undefined;
		}
	}

	return {
		begin: () => {
			const [begun, began] = [window, start()];
			return (range) => complete(begun, { ...range, ...began });
		},
		observed: (events) => observe(window, events),
		first: async (read, since = Number.POSITIVE_INFINITY) => {
			if (serves() && servesFirst(window, since, needsOpen)) return window;
			if (underWay && serves() && underWay.since <= since) return underWay.window;
			window = { ...emptyWindow(), ...start() };
			underWay = { window: fill(window, read), since };
			return underWay.window;
		},
		after: (place) => (serves() && servesReturn(window, place) ? eventsBehind(window, place) : undefined),
		forget: () => {
			window = emptyWindow();
			underWay = undefined;
		},
	};
}
