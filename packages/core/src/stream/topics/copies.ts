import { boundedGet, boundedMap, boundedSet, type BoundedMap } from '../bounded';
import type { Position } from '../position';
import type { TopicEvent } from './event';
import { CONTENTS_MAX, PLACES_MAX } from '../limits';

/**
 * Numbers the events that have equal content and no identifier: two such rows on one page are two events, and so are
 * two such messages at different positions of the stream.
 */
export function numberCopies(events: TopicEvent[]): TopicEvent[] {
	if (!events.some(isAnonymousEvent)) return events;
	const counts = new Map<string, number>();
	return events.map((event) => {
		if (!event.isAnonymous) return event;
		const number = (counts.get(event.key) ?? 0) + 1;
		counts.set(event.key, number);
		return numbered(event, number);
	});
}

const isAnonymousEvent = ({ isAnonymous }: TopicEvent): boolean => isAnonymous === true;

const numbered = (event: TopicEvent, number: number): TopicEvent =>
	number === 1 ? event : { ...event, key: copyKey(event.key, number) };

/** The key of the first, second or a further event of one content. */
export const copyKey = (content: string, number: number): string => (number === 1 ? content : `${content}#${number}`);

/** How many events of each content arrived, and which of them came at which position of the stream. */
export interface Copies {
	counts: BoundedMap<string, number>;
	numbers: BoundedMap<string, number>;
}

export const noCopies = (): Copies => ({
	counts: boundedMap(CONTENTS_MAX),
	numbers: boundedMap(PLACES_MAX),
});

/** The same for messages as they arrive: a repeated message keeps its position and so gets the same number. */
export function numberCopiesAt(copies: Copies, events: TopicEvent[], position: Position | undefined): TopicEvent[] {
	if (!events.some(isAnonymousEvent)) return events;
	return events.map((event, index) => {
		if (!event.isAnonymous) return event;
		const place = position && `${position.epoch}:${position.seq}:${index}:${event.key}`;
		return numbered(event, numberAt(copies, event, place));
	});
}

function numberAt({ counts, numbers }: Copies, { key }: TopicEvent, place: string | undefined): number {
	const counted = place === undefined ? undefined : boundedGet(numbers, place);
	if (counted !== undefined) return counted;
	const number = (boundedGet(counts, key) ?? 0) + 1;
	boundedSet(counts, key, number);
	if (place !== undefined) boundedSet(numbers, place, number);
	return number;
}
