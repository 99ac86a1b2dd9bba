import type { TopicEvent } from './event';
import type { Position } from '../position';

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

/** Distinct contents whose copies are counted. */
const CONTENTS_MAX = 10_000;

/** The same for messages as they arrive: a repeated message keeps its position and so gets the same number. */
export function createCopyCounter(): (events: TopicEvent[], position: Position | undefined) => TopicEvent[] {
	const places = new Map<string, string[]>();

	return (events, position) => {
		if (!events.some(isAnonymousEvent)) return events;
		return events.map((event, index) => {
			if (!event.isAnonymous) return event;
			const known = places.get(event.key) ?? [];
			const place = position ? `${position.epoch}:${position.seq}:${index}` : `unplaced:${known.length}`;
			if (!known.includes(place)) known.push(place);
			places.set(event.key, known);
			if (places.size > CONTENTS_MAX) places.delete(places.keys().next().value!);
			return numbered(event, known.indexOf(place) + 1);
		});
	};
}
