import type { Clock } from '../../ports';
import type { TopicState } from '../sync/state';
import {
	complete,
	emptyWindow,
	isFresh,
	observe,
	servesFirst,
	type EventWindow,
	type ReadBegin,
	type ReadRange,
} from '../sync/window';
import type { TopicEvent } from '../topics/event';

/** The events of a baseline, and what it has shown. */
export interface Baseline extends ReadRange {
	events: readonly TopicEvent[];
}

/** A window for a first start: the present one, or one that `read` fills. Of a late start, events after `since` are new. */
type SharedBaseline = (read: () => Promise<Baseline>, since?: number) => Promise<EventWindow>;

/** Reads a baseline once for all who wait for it. `needsOpen`: a first start needs the open records. */
export function createSharedBaseline(
	state: TopicState,
	{ clock, needsOpen }: { clock: Pick<Clock, 'now'>; needsOpen: boolean },
): SharedBaseline {
	let underWay: { window: EventWindow; since: number; filled: Promise<EventWindow> } | undefined;

	async function fill(window: EventWindow, read: () => Promise<Baseline>): Promise<EventWindow> {
		try {
			const { events, ...range } = await read();
			// As many as a baseline finds: it has limits of its own.
			window.room += events.length;
			observe(window, events);
			complete(window, range, window);
			return window;
		} finally {
			if (underWay?.window === window) underWay = undefined;
		}
	}

	return async (read, since = Number.POSITIVE_INFINITY) => {
		const isFreshNow = isFresh(state.window, clock.now(), state.isConfirmed);
		if (isFreshNow && servesFirst(state.window, since, needsOpen)) return state.window;
		if (isFreshNow && underWay?.window === state.window && underWay.since <= since) return underWay.filled;
		const window = { ...emptyWindow(), ...readBegin(state, clock) };
		state.window = window;
		underWay = { window, since, filled: fill(window, read) };
		return underWay.filled;
	};
}

export const readBegin = ({ isConfirmed }: TopicState, clock: Pick<Clock, 'now'>): ReadBegin => ({
	readAt: clock.now(),
	isFollowed: isConfirmed,
});
