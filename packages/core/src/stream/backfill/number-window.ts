import type { Clock } from '../../ports';
import { WINDOW_EVENTS_MAX, WINDOW_MS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/**
 * The latest numbered events of a topic, from the stream or from its list, and the numbers between which none is missing.
 * Subscribers that left within it are served without a reading of their own.
 */
export interface NumberWindow {
	observed(events: readonly TopicEvent[]): void;
	/** A backfill that began at `at` read everything after one number up to another. */
	readWhole(after: number, upTo: number, at: number): void;
	/** Every event after a number; undefined if one may be missing. */
	after(sequence: number): readonly TopicEvent[] | undefined;
	/** Events from here on may be missed, or carry other numbers. */
	forget(): void;
}

export function createNumberWindow(clock: Pick<Clock, 'elapsed'>): NumberWindow {
	/** In order of arrival. */
	let events: TopicEvent[] = [];
	/** The highest number that was dropped. */
	let dropped = Number.NEGATIVE_INFINITY;
	let whole: { after: number; upTo: number; at: number } | undefined;

	/** Whether every number after one up to another was observed. */
	function isKnown(after: number, upTo: number): boolean {
		if (upTo - after > 2 * WINDOW_EVENTS_MAX) return false;
		const numbers = new Set(events.map(({ sequence }) => sequence));
		for (let number = after + 1; number <= upTo; number += 1) if (!numbers.has(number)) return false;
		return true;
	}

	function drop(): void {
		for (const { sequence = 0 } of events.splice(0, WINDOW_EVENTS_MAX)) dropped = Math.max(dropped, sequence);
	}

	return {
		observed: (observed) => {
			for (const event of observed) if (event.sequence !== undefined) events.push(event);
			// At least the latest are kept; dropping one by one would move all others each time.
			if (events.length >= 2 * WINDOW_EVENTS_MAX) drop();
		},
		readWhole: (after, upTo, at) => {
			const first = whole && isKnown(whole.upTo, after) ? Math.min(whole.after, after) : after;
			whole = { after: first, upTo: Math.max(upTo, after), at };
		},
		after: (sequence) => {
			if (!whole || sequence < Math.max(whole.after, dropped) || clock.elapsed() - whole.at >= WINDOW_MS_MAX)
				return undefined;
			const byNumber = new Map(events.map((event) => [event.sequence!, event]));
			return [...byNumber.values()]
				.filter((event) => event.sequence! > sequence)
				.sort((a, b) => a.sequence! - b.sequence!);
		},
		forget: () => {
			[events, whole, dropped] = [[], undefined, Number.NEGATIVE_INFINITY];
		},
	};
}
