import { boundedGet, boundedMap, boundedSet, type BoundedMap } from '../../bounded';
import { CONTENTS_MAX, PLACES_MAX } from '../limits';
import type { Position } from '../position';
import type { TopicEvent } from './event';

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

/**
 * Numbers the events that have equal content and no identifier: two such rows on one page are two events, and so are two such
 * messages at different positions of the stream. A repeated message keeps its position and so gets the same number.
 */
export function numberCopies(events: TopicEvent[], copies = noCopies(), position?: Position): TopicEvent[] {
	return events.some(isAnonymous) ? numbered(events, copies, position) : events;
}

const isAnonymous = (event: TopicEvent): boolean => event.isAnonymous === true;

function numbered(events: TopicEvent[], copies: Copies, position: Position | undefined): TopicEvent[] {
	return events.map((event, index) => {
		if (!isAnonymous(event)) return event;
		const at = position && `${position.epoch}:${position.seq}:${index}:${event.key}`;
		return { ...event, key: copyKey(event.key, numberAt(copies, event, at)) };
	});
}

function numberAt({ counts, numbers }: Copies, { key }: TopicEvent, at: string | undefined): number {
	const counted = at === undefined ? undefined : boundedGet(numbers, at);
	if (counted !== undefined) return counted;
	const number = (boundedGet(counts, key) ?? 0) + 1;
	boundedSet(counts, key, number);
	if (at !== undefined) boundedSet(numbers, at, number);
	return number;
}
