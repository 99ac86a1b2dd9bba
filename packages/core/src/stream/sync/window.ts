import { plus, sooner, type Whole } from '../../whole';
import { latest } from '../ledger/numbers';
import { READ_SPACING_MS, WINDOW_EVENTS_MAX, WINDOW_MS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/**
 * What a topic saw of its events, from stream or list, and where readings have shown that none is missing. Subscribers
 * that join are served from it. A place is the number of an event, or the milliseconds of its creation. A plain value,
 * which these functions change in place.
 */
export interface EventWindow {
	/** In order of arrival, copies among them. */
	events: TopicEvent[];
	/** A reading may have brought copies of what the stream had brought. */
	hasCopies: boolean;
	/** How many events it holds at most. */
	room: number;
	/** Every event behind this place was seen. */
	after: Whole;
	/** Every event up to this place was dropped, or may have been. */
	dropped: Whole;
	/** Up to where readings settled the topic; undefined where rows show no place. */
	upTo?: Whole;
	/** When the latest backfill began that found what was missing. */
	readAt: number;
	/** Whether the topic was subscribed when that backfill began. If not, nobody saw what happened between it and the subscription. */
	isFollowed: boolean;
	/** A row of the list, which shows under which names it carries its identifiers. */
	row?: TopicEvent;
	/** Whether the open records were looked up, which may be older than every place. */
	open?: 'all' | 'some';
}

/** What a complete backfill has shown: it found every event behind one place, and settled the topic up to another. */
export type ReadRange = Pick<EventWindow, 'after' | 'upTo' | 'row' | 'open'>;

/** When a backfill began, and whether the topic was subscribed then. */
export type ReadBegin = Pick<EventWindow, 'readAt' | 'isFollowed'>;

export const emptyWindow = (): EventWindow => ({
	events: [],
	hasCopies: false,
	room: 2 * WINDOW_EVENTS_MAX,
	after: Number.POSITIVE_INFINITY,
	dropped: Number.NEGATIVE_INFINITY,
	readAt: Number.NEGATIVE_INFINITY,
	isFollowed: false,
});

/** Adds events that came over the stream or were read. Beyond the room of the window the oldest are dropped. */
export function observe(window: EventWindow, events: readonly TopicEvent[]): void {
	for (const event of events) {
		window.events.push(event);
		if (window.upTo !== undefined && event.sequence === plus(window.upTo, 1)) window.upTo = event.sequence;
	}
	if (window.events.length >= window.room) drop(window);
}

/** Each event once, as it was seen last. */
export const distinctEvents = ({ events }: EventWindow): TopicEvent[] => [
	...new Map(events.map((event) => [event.key, event])).values(),
];

/** What somebody may miss who knows the topic up to a place. Times do not tell, because rows appear out of order. */
export const eventsBehind = (window: EventWindow, place: Whole): TopicEvent[] =>
	distinctEvents(window).filter(({ sequence = Number.POSITIVE_INFINITY }) => sequence > place);

/** Forgets copies, and the oldest where that is not enough: many at once, because each time all others are moved. */
function drop(window: EventWindow): void {
	if (window.hasCopies) window.events = distinctEvents(window);
	window.hasCopies = false;
	const excess = window.events.length - (window.room - WINDOW_EVENTS_MAX);
	if (excess <= 0) return;
	for (const { sequence, time = Number.POSITIVE_INFINITY } of window.events.splice(0, excess))
		window.dropped = latest(window.dropped, sequence ?? time)!;
	delete window.open;
}

/** A backfill is complete. What lies before it stays good if it began where earlier ones had settled the topic. */
export function complete(
	window: EventWindow,
	{ after, upTo, row, open }: ReadRange,
	{ readAt, isFollowed }: ReadBegin,
): void {
	window.hasCopies = true;
	const joins = after <= (window.upTo ?? Number.NEGATIVE_INFINITY);
	window.after = joins ? sooner(window.after, after) : after;
	window.upTo = latest(window.upTo, upTo);
	if (readAt >= window.readAt) Object.assign(window, { readAt, isFollowed });
	window.row = row ?? window.row;
	window.open = open ?? (joins ? window.open : undefined);
}

/** Whether it still says what there is, given whether the topic is subscribed now. */
export const isFresh = ({ readAt, isFollowed }: EventWindow, now: number, isConfirmed: boolean): boolean =>
	now - readAt < (isFollowed && isConfirmed ? WINDOW_MS_MAX : READ_SPACING_MS);

/** Whether everything behind a place is in it. */
const reachesBack = ({ after, dropped }: EventWindow, place: Whole): boolean => place >= latest(after, dropped)!;

/** Whether it holds everything that somebody may miss who knows the topic up to a place. */
export const servesReturn = (window: EventWindow, place: Whole): boolean =>
	window.isFollowed && reachesBack(window, place);

/** Whether it tells old events from new ones for a first start; of a late one, events after `since` are new. */
export const servesFirst = (window: EventWindow, since: Whole, needsOpen: boolean): boolean =>
	reachesBack(window, sooner(window.upTo ?? Number.NEGATIVE_INFINITY, since)) &&
	(!needsOpen || window.open !== undefined);
