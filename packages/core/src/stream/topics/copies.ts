import type { TopicEvent } from './event';
import type { Position } from '../position';

/**
 * Events that nothing tells from each other are counted: of two rows of equal content on one page the second is another
 * event, and so is the second message of equal content at another place of the stream.
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
	number === 1 ? event : { ...event, key: `${event.key}#${number}` };

/** Contents remembered to count their copies. */
const CONTENTS_MAX = 10_000;

/** The same for messages as they arrive: one that comes again stands where it stood before. */
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
